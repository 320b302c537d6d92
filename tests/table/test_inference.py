"""The rules of kinds, cell by cell, and the renaming of columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crake.kernels.csv import cells as csv_cells
from crake.table.column_names import unique_names
from crake.table.inference import DEFAULT_MISSING, Cells, MissingTokens, is_running_text, labels, parse


def kind_of(text: str, missing: list[str] | None = None) -> int:
    kinds = np.empty(1, np.uint8)
    parse(Cells.of([text.encode()]), MissingTokens.of(missing), np.empty(1), kinds)
    return int(kinds[0])


@pytest.mark.parametrize(
    "text", ["0", "-0", "12", "0.5", "-0.5", "+3", ".5", "5.", "1e5", "1E-5", "1e+05", "9007199254740992"]
)
def test_plain_numbers(text: str) -> None:
    assert kind_of(text) == csv_cells.NUMBER


@pytest.mark.parametrize(
    "text",
    ["x", "1 000", "1_000", "1,5", "0x10", "1e", "e5", ".", "-", "+", "--1", "1.2.3", "٣", "1e5.0", "infi", "in"],
)
def test_no_numbers(text: str) -> None:
    assert kind_of(text) == csv_cells.OTHER


@pytest.mark.parametrize("text", ["01234", "007", "-007", "00", "00.5", "01e5"])
def test_leading_zeros(text: str) -> None:
    assert kind_of(text) == csv_cells.LEADING_ZERO


@pytest.mark.parametrize("text", ["9007199254740993", "-9007199254740993", "9" * 19, "9" * 30, "1" + "0" * 25])
def test_integers_that_a_double_would_lose(text: str) -> None:
    assert kind_of(text) == csv_cells.INEXACT


@pytest.mark.parametrize("text", DEFAULT_MISSING)
def test_missing(text: str) -> None:
    assert kind_of(text) == csv_cells.MISSING
    assert kind_of(text, ["-"]) == (csv_cells.MISSING if text == "" else csv_cells.OTHER)


@pytest.mark.parametrize("token", ["-99", "999", "é", "?", "x y"])
def test_missing_tokens_given(token: str) -> None:
    assert kind_of(token, [token]) == csv_cells.MISSING
    assert kind_of(token + "0", [token]) != csv_cells.MISSING


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1", "-5"], [1, -5]),
        (["1", "01"], ["1", "01"]),
        (["-0", "1"], ["-0", "1"]),
        (["9223372036854775807"], [9223372036854775807]),
        (["9223372036854775808"], ["9223372036854775808"]),
        (["²"], ["²"]),
        (["-"], ["-"]),
        ([], []),
    ],
)
def test_labels(texts: list[str], expected: list[object]) -> None:
    assert labels(texts) == expected


def test_running_text_needs_length_variety_and_spaces() -> None:
    sentences = [f"{place} and so on and so forth, for a long time" for place in range(4)]
    once = np.ones(4, np.int64)
    assert is_running_text(sentences, once)
    assert not is_running_text(sentences, 2 * once)
    assert not is_running_text([sentence.replace(" ", "_") for sentence in sentences], once)
    assert not is_running_text(["a b", "c d"], once[:2])
    assert not is_running_text([], once[:0])


@given(st.lists(st.sampled_from(["", " ", "a", "A", "a_2", "a_3", "column_1", "column_2", "b"]), max_size=12))
def test_names_become_unique_and_keep_the_first(names: list[str]) -> None:
    unique, notes = unique_names(names)
    assert len(set(unique)) == len(unique) == len(names)
    assert all(name.strip() for name in unique)
    for place, name in enumerate(names):
        if name.strip() and name not in names[:place] and not name.startswith("column_"):
            assert unique[place] == name
    assert bool(notes) == (unique != names or len({name.casefold() for name in unique}) < len(unique))


def test_many_equal_names_take_little_time_and_few_notes() -> None:
    unique, notes = unique_names(["a"] * 20_000)
    assert unique[-1] == "a_20000"
    assert len(notes) == 6
    assert notes[-1] == "and 19994 more columns renamed"
