"""The first rows of a table, in a terminal and in a notebook; tables for pandas; `crake.describe`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import crake
from crake.table.examples import load


def test_the_first_rows() -> None:
    head = load("golf").head(2)
    assert len(head) == 2
    assert str(head).splitlines() == [
        "<Table 'golf': 2 rows, 4 nominal and 0 numeric features, target 'play'>",
        "  outlook  temp  humidity  windy  play",
        "  Rainy     Hot      High  False    No",
        "  Rainy     Hot      High   True    No",
    ]
    assert len(load("golf").head(99)) == 14
    assert len(load("golf").head(0)) == 0
    with pytest.raises(crake.CrakeError, match="0 or more"):
        load("golf").head(-1)


def test_long_and_wide_tables_are_shortened() -> None:
    lines = str(load("digits")).splitlines()
    assert len(lines) <= 13
    assert "the first 10 of 1,797 rows" in lines[1]
    assert "more" in lines[2]
    assert max(map(len, lines)) < 400


def test_a_notebook_shows_rows_and_no_markup_of_theirs() -> None:
    table = crake.read(pd.DataFrame({"<b>": ["<script>", None], "x": [1.5, np.nan]}))
    page = table._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert page.count("?") == 2


def test_a_scan_shows_its_columns(tmp_path: Path) -> None:
    crake.write_csv(load("golf"), tmp_path / "golf.csv")
    scan = crake.read(tmp_path / "golf.csv", target="play", in_memory=False)
    assert "no row is read" in str(scan)
    with pytest.raises(crake.CrakeError, match="needs rows in memory"):
        scan.head()


def test_a_pandas_frame() -> None:
    frame = load("iris").to_pandas()
    assert frame.shape == (150, 5)
    assert str(frame["species"].dtype) == "category"


def test_describe() -> None:
    expected = load("golf").describe()
    assert crake.describe("golf") == crake.describe(load("golf")) == expected
    frame = load("golf").to_pandas()
    assert crake.describe(frame, "play").target == "play"
