"""Long lists are cut, and what is left out is counted; one more is not many."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

import crake
from crake.evaluation.columns.describe import describe_table
from crake.metrics.significance.mcnemar import McNemar
from crake.render.description import Description
from crake.render.page import description_page
from crake.render.text.description import MOST_COLUMNS, description_text
from crake.render.text.relations import LINES


def described(columns: int) -> Description:
    """Return the description of as many columns and a class."""
    frame = {f"x{k}": [k, k + 1, k, k + 3] * 5 for k in range(columns)}
    return describe_table(crake.read(pa.table({**frame, "y": ["a", "b"] * 10}), target="y"))


@pytest.mark.parametrize(("more", "words"), [(1, "1 more column:"), (2, "2 more columns:")])
def test_columns_that_are_left_out(more: int, words: str) -> None:
    relations = description_text(described(LINES + more)).plain
    assert f"… {words} --html or --json" in relations
    columns = described(MOST_COLUMNS + more)
    them = "it" if more == 1 else "them all"
    assert f"… {words} --json has {them}" in description_text(replace(columns, relations=None)).plain


def test_rows_that_one_learner_got_right() -> None:
    assert "1 row only the first got right, 3 only the second" in str(McNemar(1, 3, 0.625))
    assert "2 rows only the first got right" in str(McNemar(2, 3, 1.0))


def test_a_name_with_a_blank_stays_on_its_line() -> None:
    table = crake.read(pa.table({"room": ["it is 0", "it is 1", "it is 2", "it is 3"] * 5}))
    lines = description_text(crake.describe(table), 60).plain.split("\n")
    assert [line.split()[-5:] for line in lines if "it is" in line][1] == ["it", "is", "1:", "25.0", "%,"]
    assert not any(line.endswith(" ") for line in lines)


def test_two_columns_are_both_and_a_share_stays_on_its_line_of_a_page() -> None:
    table = crake.read("iris").select(["petal length (cm)", "petal width (cm)", "species"])
    description = crake.describe(table)
    assert description.relations is not None
    assert description.relations.finding.startswith("Both columns say more about it than chance does")
    assert "is right in 33.3\N{NO-BREAK SPACE}%." in description_page(description)
