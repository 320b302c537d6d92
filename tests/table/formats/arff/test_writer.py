"""What is written is read back exactly, and a failed write costs nothing."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crake.errors import CrakeError, DataError, SchemaError
from crake.table.formats.arff.reader import read_arff
from crake.table.formats.arff.writer import write_arff
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.memory import MemorySource
from crake.table.table import Table

CHARACTERS = st.one_of(
    st.characters(exclude_categories=["Cs"]), st.sampled_from(list("?'\"\\%{},@ \t\n\r\0\u2028\u00a0nu0"))
)
TEXTS = st.text(CHARACTERS, max_size=8)
NAMES = st.lists(TEXTS.map(str.strip).filter(bool), min_size=1, max_size=5, unique=True)  # readers strip names


def missing_or(cells: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.one_of(st.none(), cells)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    rows = draw(st.integers(1, 5))
    columns, arrays = [], {}
    for name in draw(NAMES):
        kind = draw(st.sampled_from([Kind.NOMINAL, Kind.NUMERIC, Kind.TEXT]))
        levels = tuple(draw(st.lists(TEXTS, max_size=4, unique=True))) if kind is Kind.NOMINAL else ()
        if kind is Kind.NOMINAL:
            cells = np.array(draw(st.lists(st.integers(-1, len(levels) - 1), min_size=rows, max_size=rows)), np.int32)
        elif kind is Kind.NUMERIC:
            numbers = st.floats(allow_infinity=False)
            cells = np.array(draw(st.lists(numbers, min_size=rows, max_size=rows)))
        else:
            cells = np.empty(rows, object)
            cells[:] = draw(st.lists(missing_or(TEXTS), min_size=rows, max_size=rows))
        columns.append(Column(name, kind, levels, declared=kind is Kind.NOMINAL))
        arrays[name] = cells
    weights = draw(st.one_of(st.none(), st.lists(st.floats(0, 1e300), min_size=rows, max_size=rows)))
    name = draw(TEXTS)
    return Table(
        Schema(tuple(columns)), MemorySource(arrays, rows), name, None if weights is None else np.array(weights)
    )


@given(tables())
@settings(max_examples=300, deadline=None)
def test_round_trip_is_exact(tmp_path_factory: pytest.TempPathFactory, table: Table) -> None:
    path = tmp_path_factory.getbasetemp() / "table.arff"
    write_arff(table, path)
    back = read_arff(path)
    assert back.schema == table.schema
    for name in table.schema.names:
        np.testing.assert_array_equal(back.column(name), table.source.column(name))
    np.testing.assert_array_equal(back.weights, table.weights)


def small(*levels: str | int, codes: list[int] | None = None) -> Table:
    codes = list(range(len(levels))) if codes is None else codes
    schema = Schema((Column("x", Kind.NOMINAL, levels), Column("left out", Kind.IGNORED)))
    return Table(schema, MemorySource({"x": np.array(codes, np.int32)}, len(codes)), "small")


def test_the_file_is_plain(tmp_path: Path) -> None:
    write_arff(small("a", "b c", 7), tmp_path / "x.arff")
    assert (tmp_path / "x.arff").read_text() == ("@relation small\n\n@attribute x {a,'b c',7}\n\n@data\na\n'b c'\n7\n")


def test_gz_is_packed_and_read_back(tmp_path: Path) -> None:
    write_arff(small("a", "b"), tmp_path / "x.arff.gz")
    assert (tmp_path / "x.arff.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert read_arff(tmp_path / "x.arff.gz").schema["x"].levels == ("a", "b")


def test_a_failed_write_leaves_the_older_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.arff"
    write_arff(small("a"), path)
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CrakeError, match="No space left on device; nothing was changed"):
        write_arff(small("b"), path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["x.arff"]


def test_what_arff_cannot_hold_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "x.arff"
    with pytest.raises(SchemaError, match="two levels of column 'x' are the same text"):
        write_arff(small(1, "1"), path)
    with pytest.raises(DataError, match="column 'x' holds values that are not among its levels"):
        write_arff(small("a", codes=[0, -2]), path)
    with pytest.raises(DataError, match="half a character"):
        write_arff(small("\ud800"), path)
    with pytest.raises(SchemaError, match="every column of small is ignored"):
        write_arff(small("a").select(["left out"]), path)
    with pytest.raises(CrakeError, match="cannot write"):
        write_arff(small("a"), tmp_path / "none" / "x.arff")
    assert list(tmp_path.iterdir()) == []
