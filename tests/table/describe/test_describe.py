"""What a table is said to hold, and what is warned of."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crake.render.description import ColumnSummary, Description
from crake.render.text.description import description_text
from crake.table.convert.frames import from_frame
from crake.table.describe.describe import describe
from crake.table.describe.duplicates import repeated_rows
from crake.table.describe.warnings import warnings_about
from crake.table.examples import load
from crake.table.schema import Column, Kind, Schema, sorted_levels
from crake.table.sources.memory import MemorySource
from crake.table.table import Table


def _table(target: str | None = None, **columns: Sequence[Any]) -> Table:
    """Lists of strings are nominal, of numbers numeric; None is missing; a name ending in _text is text."""
    schema, arrays = [], {}
    for name, values in columns.items():
        if name.endswith("_text"):
            schema.append(Column(name, Kind.TEXT))
            arrays[name] = np.array(values, object)
        elif all(value is None or isinstance(value, str) for value in values):
            levels = sorted_levels(value for value in values if value is not None)
            schema.append(Column(name, Kind.NOMINAL, levels))
            codes = [levels.index(value) if value is not None else -1 for value in values]
            arrays[name] = np.array(codes, np.int32)
        else:
            schema.append(Column(name, Kind.NUMERIC))
            arrays[name] = np.array([np.nan if value is None else value for value in values], float)
    rows = len(next(iter(columns.values())))
    return Table(Schema(tuple(schema), target), MemorySource(arrays, rows))


def _varied(rows: int) -> list[float]:
    """Numbers that are neither whole nor all distinct."""
    return [0.5 + k % 7 + k // 7 % 3 for k in range(rows)]


def _warned(words: str, **options: Any) -> bool:
    return any(words in warning for warning in warnings_about(_table(**options)))


def test_a_numeric_column():
    column = describe(_table(x=[3, None, 1, 4, 1])).columns[0]
    assert (column.kind, column.missing, column.distinct) == ("numeric", 1, 3)
    assert (column.minimum, column.mean, column.maximum) == (1, 2.25, 4)
    assert sum(column.histogram) == 4
    assert column.histogram[0] == 2
    assert column.histogram[-1] == 1


def test_a_nominal_column():
    column = describe(_table(x=["b", "a", None, "b"])).columns[0]
    assert (column.kind, column.missing, column.distinct) == ("nominal", 1, 2)
    assert [(share.level, share.rows, round(share.share, 3)) for share in column.levels] == [
        ("b", 2, 0.667),
        ("a", 1, 0.333),
    ]


def test_only_the_most_frequent_levels_are_named():
    column = describe(_table(x=[f"v{k % 9}" for k in range(90)])).columns[0]
    assert column.distinct == 9
    assert [share.level for share in column.levels] == ["v0", "v1", "v2", "v3", "v4"]


def test_golf():
    description = load("golf").describe()
    assert (description.rows, description.target) == (14, "play")
    assert [(share.level, share.rows) for share in description.classes] == [("Yes", 9), ("No", 5)]
    assert [column.distinct for column in description.columns] == [3, 3, 2, 2, 2]


def test_values_near_the_largest_float_have_a_finite_mean():
    column = describe(_table(x=[1.7e308, 1.7e308, 1.0])).columns[0]
    assert column.mean == pytest.approx(1.7e308 / 3 * 2)
    assert sum(column.histogram) == 3
    wide = describe(_table(x=[-1.7e308, 1.7e308, 0.5])).columns[0]
    assert (wide.minimum, wide.maximum, sum(wide.histogram)) == (-1.7e308, 1.7e308, 3)


@given(st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_counts_add_up(values):
    column = describe(_table(x=[0.0, *values])).columns[0]
    known = [0.0, *(value for value in values if value is not None)]
    assert column.missing + sum(column.histogram) == len(values) + 1
    assert column.distinct == len(set(known))
    assert (column.minimum, column.maximum) == (min(known), max(known))


def test_json_has_a_schema_and_no_nan():
    document = json.loads(json.dumps(load("tax").describe().to_dict(), allow_nan=False))
    assert document["schema"] == "crake-describe/2"
    assert {column["name"]: column["kind"] for column in document["columns"]}[document["target"]] == "nominal"


def test_an_empty_column_is_all_missing():
    description = describe(_table(x=[None, None], z=[1.5, 2.5]))
    assert (description.columns[0].distinct, description.columns[0].missing) == (0, 2)
    assert "every value is missing in 'x': nothing can be learned from it" in description.warnings
    assert "all missing" in str(description)


WARNED: Mapping[str, tuple[str, dict[str, Any]]] = {
    "id of names": ("looks like an id", {"x": [f"id{k}" for k in range(20)]}),
    "row numbers": ("looks like an id", {"x": list(range(1, 15))}),
    "big distinct integers": ("looks like an id", {"x": [k * k for k in range(200)]}),
    "an id copied with its row": (
        "looks like an id",
        {"x": [*range(100, 130), 107], "a": [*_varied(30), _varied(30)[7]], "b": [1.5] * 31, "y": ["no"] * 31},
    ),
    "a row again under a new id": (
        "1 row repeats an earlier row in every column but 'x' (3.2 %)",
        {"x": list(range(31)), "a": [1.37 * k for k in (*range(30), 7)], "b": [1.5] * 31},
    ),
    "two ids": ("look like ids", {"x": list(range(9)), "z": [f"id{k}" for k in range(9)]}),
    "constant number": ("never changes in 'x'", {"x": [2.5] * 9}),
    "constant name": ("never changes in 'x'", {"x": ["a"] * 9}),
    "a name and gaps": ("only gaps differ in 'x': 1R, CHAID", {"x": ["a"] * 8 + [None]}),
    "a number and gaps": ("only gaps differ in 'x': 1R, CHAID", {"x": [2.5] * 8 + [None]}),
    "nominal copy": ("copy of the answer", {"target": "y", "x": ["0", "1", "1"] * 5, "y": ["a", "b", "b"] * 5}),
    "numeric copy": ("copy of the answer", {"target": "y", "x": [2, 9, None] * 5, "y": ["a", "b", "b"] * 5}),
    "text": (
        "running text is read by naive Bayes; other learners leave it out: 'remark_text'",
        {"remark_text": ["a b", "c d"]},
    ),
    "no class": ("2 rows have no value of the target", {"target": "y", "y": ["a", "b", None, None]}),
    "one class": ("nothing to learn", {"target": "y", "y": ["a"] * 5, "x": _varied(5)}),
    "numeric target": ("a classifier needs classes: --nominal y", {"target": "y", "y": [1.5, 2.5]}),
    "a price for a target": ("regressors predict it", {"target": "y", "y": [1.5 * k for k in range(60)]}),
    "few rows of a class": ("'b' 2", {"target": "y", "y": ["a"] * 30 + ["b"] * 2}),
    "target is an id": ("differs in every row", {"target": "y", "y": [f"id{k}" for k in range(9)]}),
}


@pytest.mark.parametrize("case", WARNED)
def test_warned_of(case):
    words, columns = WARNED[case]
    assert _warned(words, **columns), warnings_about(_table(**columns))


NOT_WARNED: Mapping[str, tuple[str, dict[str, Any]]] = {
    "measurements all distinct": ("id", {"x": [k * 1.37 for k in range(300)]}),
    "few distinct integers": ("id", {"x": [60, 125, 100, 70, 120, 95, 220, 85, 75, 90]}),
    "an id with gaps": ("id", {"x": ["a", "b", None, "c", "d", "e"]}),
    "amounts of which some are equal": (
        "id",
        {"x": [*(k * k for k in range(200)), 4, 9], "a": _varied(202), "b": ["u", "v"] * 101},
    ),
    "three rows": ("id", {"x": ["a", "b", "c"]}),
    "a finer column than the target": (
        "copy",
        {"target": "y", "x": [1, 2, 3, 1, 2, 3], "y": ["a", "b", "b", "a", "b", "b"]},
    ),
    "a coarser column": ("copy", {"target": "y", "x": [1, 2, 2, 1, 2, 2], "y": ["a", "b", "c", "a", "b", "c"]}),
    "one exception": ("copy", {"target": "y", "x": [1, 2] * 9 + [1], "y": ["a", "b"] * 9 + ["b"]}),
    "balanced classes": ("class", {"target": "y", "y": ["a", "b"] * 20, "x": _varied(40)}),
}


@pytest.mark.parametrize("case", NOT_WARNED)
def test_not_warned_of(case):
    words, columns = NOT_WARNED[case]
    assert not _warned(words, **columns), warnings_about(_table(**columns))


def test_an_exception_after_the_first_thousand_rows_is_no_copy():
    columns = {"x": [1, 2] * 1000 + [1], "y": ["a", "b"] * 1000 + ["b"]}
    assert not _warned("copy", target="y", **columns)


def test_the_words_of_the_lecture_on_a_rare_class():
    warnings = warnings_about(_table(target="y", y=["0"] * 9990 + ["1"] * 10))
    assert any("always answering '0' is 99.9 % right and useless" in warning for warning in warnings)


def test_a_nearly_empty_class_is_not_rounded_to_certainty():
    warnings = warnings_about(_table(target="y", y=["0"] * 99_999 + ["1"]))
    assert any("always answering '0' is 99.999 % right" in warning for warning in warnings)


def test_rare_classes_among_many():
    warnings = warnings_about(_table(target="y", y=["a"] * 600 + ["b"] * 600 + ["c"] * 3))
    assert any("rare: 'c' (3 of 1,203 rows)" in warning for warning in warnings)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from([0.0, -0.0, 1.5, None])), min_size=1))
def test_repeated_rows_are_those_a_set_would_drop(rows):
    table = _table(x=[name for name, _ in rows], z=[1.0 if value is None else value for _, value in rows])
    values = table.column("z")
    values[[k for k, (_, value) in enumerate(rows) if value is None]] = np.nan
    assert repeated_rows(table) == len(rows) - len(set(rows))


def test_rows_are_equal_by_chance_in_hardly_any_column():
    ids = list(range(100, 140))
    assert not _warned("earlier row", x=ids, y=["no", "yes"] * 20)
    assert not _warned("earlier row", x=ids, a=[k % 3 for k in ids], y=[f"n{k}" for k in ids])
    assert _warned("in every column but 'x' (50.0 %)", x=ids, a=[*range(20), *range(20)], y=["no"] * 40)


def test_text_counts_for_repeats():
    assert repeated_rows(_table(a_text=["x", "y", "x"], x=[1, 1, 1])) == 1
    assert _warned("1 row repeats an earlier row in every column (33.3 %)", a_text=["x", "y", "x"])


def test_an_option_to_copy_is_quoted_for_the_shell():
    assert _warned("--ignore 'row id'", **{"row id": list(range(20))})


def test_the_text_fits_and_says_everything():
    table = _table(
        target="y",
        y=["yes", "no"] * 20,
        **{"a rather long name of a column": _varied(40), "x": [f"level {k % 6}" for k in range(40)]},
    )
    text = description_text(describe(replace(table, notes=("2 rows were skipped",))), 80).plain
    assert max(map(len, text.split("\n"))) <= 80
    for said in ("40 rows, 3 columns, target y", "50.0 %", "level 0: 17.5 %", "1 more", "· 2 rows were skipped"):
        assert said in text


def test_describe_hostile_names_stay_text():
    table = _table(target="y", y=["\x1b[31mred", "b"] * 5, **{"\x1b]0;title\x07": _varied(10)})
    assert "\x1b" not in str(describe(table))


def test_an_ignored_column_was_not_read_and_zero_has_no_sign() -> None:
    table = from_frame(pa.table({"id": [1, 2], "x": [-0.0, -0.0]}), ignore=["id"])
    text = description_text(describe(table)).plain
    assert "2 rows, 2 columns" in text
    assert [line.split()[-1] for line in text.splitlines() if line.startswith("id ")] == ["read"]
    assert "all missing" not in text
    assert "0\N{NO-BREAK SPACE}…\N{NO-BREAK SPACE}0" in text.replace(" … ", "\N{NO-BREAK SPACE}…\N{NO-BREAK SPACE}")
    assert "-0" not in text
    html = describe(table).to_html()
    assert "not read" in html
    assert "all missing" not in html


def test_one_row_is_not_many() -> None:
    description = describe(from_frame(pa.table({"x": [1]})))
    assert "1 row, 1 column," in str(description)
    assert "1 row, 1 column" in description.to_html()


def test_the_hint_names_a_column_that_can_be_a_target():
    columns = (ColumnSummary("class", "nominal", 0, 2), ColumnSummary("mail", "text", 0, 9))
    hint = "--target class shows what the other columns say about it"
    assert Description("mails", 9, None, columns, (), ()).further_notes == (hint,)
    assert Description("mails", 9, None, columns[1:], (), ()).further_notes == ()
    assert Description("mails", 9, None, columns[:1], (), ()).further_notes == ()
    ids = (*columns, ColumnSummary("id", "nominal", 1, 8))
    assert Description("mails", 9, None, ids, (), ()).further_notes == (hint,)
