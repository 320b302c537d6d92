"""Numbers with decimal commas: noticed, named, and read when asked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crake
from crake.errors import ReadError
from crake.table.formats.csv.reader import read_csv
from crake.table.schema import Kind

GERMAN = b"x;c;y\n1,5;n.a.;yes\n-2,25;b;no\n+,5;b;yes\n1e3;a;no\n?;a;yes\n7;b;no\n"


def test_commas_are_noticed_and_the_option_is_named() -> None:
    table = read_csv(GERMAN, target="y")
    assert table.schema["x"].kind is Kind.NOMINAL
    (note,) = table.notes
    assert note == (
        "column 'x' is nominal: '1,5' in line 2 is no number; if the comma is the decimal point, say --decimal , "
        '(decimal=",")'
    )


def test_commas_are_read_when_asked() -> None:
    table = read_csv(GERMAN, target="y", decimal=",")
    assert table.notes == ()
    np.testing.assert_array_equal(table.column("x"), [1.5, -2.25, 0.5, 1000, np.nan, 7])
    assert table.schema["c"].levels == ("a", "b", "n.a.")


def test_a_point_is_no_decimal_point_then() -> None:
    assert read_csv(b"x;y\n1.5;a\n2,5;b\n", decimal=",").schema["x"].levels == ("1.5", "2,5")


def test_tokens_of_missing_values_may_hold_either() -> None:
    table = read_csv(b"x;y\nn.a.;a\n2,5;b\n-,-;a\n", decimal=",", missing=["n.a.", "-,-"])
    np.testing.assert_array_equal(table.column("x"), [np.nan, 2.5, np.nan])


@pytest.mark.parametrize("text", ["a,b", "1,2,3", "x, y"])
def test_other_commas_are_left_alone(text: str) -> None:
    assert read_csv(f"x;y\n{text};a\n{text};b\n".encode(), delimiter=";").notes == ()


def test_a_file_that_is_scanned(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(GERMAN)
    held = crake.read(tmp_path / "t.csv", "y", decimal=",")
    scan = crake.read(tmp_path / "t.csv", "y", decimal=",", in_memory=False)
    moments = [crake.NaiveBayesClassifier().fit(t).statistics_.class_moments.moments.tobytes() for t in (held, scan)]
    assert moments[0] == moments[1]
    assert crake.read(tmp_path / "t.csv", "y", in_memory=False).notes == crake.read(tmp_path / "t.csv", "y").notes


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_every_number_comes_back(numbers: list[float]) -> None:
    lines = "".join(f"{number!r};a\n".replace(".", ",") for number in numbers)
    table = read_csv(f"x;y\n{lines}".encode(), decimal=",", numeric=["x"], delimiter=";")
    assert table.column("x").tolist() == numbers


def test_wrong_ones_are_refused() -> None:
    with pytest.raises(ReadError, match=r"to be \. or a comma, got ';'"):
        read_csv(GERMAN, decimal=";")
    with pytest.raises(
        ReadError, match="decimal= is for CSV, Excel and OpenDocument files, and this is a bundled example"
    ):
        crake.read("golf", decimal=",")
    with pytest.raises(ReadError, match=r"'1,5' is no number; .* say --decimal , if the comma is its decimal point"):
        read_csv(GERMAN, numeric=["x"])
