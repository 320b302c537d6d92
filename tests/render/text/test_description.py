"""The description of a table as text, in terminals of several widths."""

from __future__ import annotations

import pyarrow as pa

import crake
from crake.render.text.description import description_text

LABOUR = crake.read(
    pa.table(
        {"contribution to health plan": ["none", "half", None] * 9, "wage increase first year": [2.0, 4.5, 7.0] * 9}
    )
)


def test_values_stand_below_their_column_where_they_would_be_cut() -> None:
    lines = description_text(crake.describe(LABOUR), 60).plain.split("\n")
    heading = lines.index("column                       kind        missing  distinct")
    assert lines[heading + 2] == "    half 50.0 %, none 50.0 %"
    assert lines[heading + 4] == "    █···█··█  2 … 7, mean 4.5, median 4.5, IQR 5"
    assert max(map(len, lines)) <= 60


def test_values_stand_behind_their_column_where_there_is_room() -> None:
    lines = description_text(crake.describe(LABOUR), 80).plain.split("\n")
    heading = lines.index("column                       kind        missing  distinct  values")
    assert lines[heading + 1].endswith("9 (33.3 %)         2  half 50.0 %,")


def test_a_share_stays_on_its_line_above_the_relations() -> None:
    table = crake.read("iris").select(["petal length (cm)", "petal width (cm)", "species"])
    for width in range(40, 80):
        lines = description_text(crake.describe(table), width).plain.split("\n")
        assert not any(line.startswith("%") for line in lines), width
