"""A folder of small awkward files: each becomes what it must, loaded and scanned."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.table.awkward.binaries import BINARIES
from tests.table.awkward.case import Case
from tests.table.awkward.texts import TEXTS

import crake
from crake.errors import ReadError
from crake.table.schema import Kind
from crake.table.table import Table

CASES: dict[str, Case] = {**TEXTS, **BINARIES}


def cells(table: Table, name: str) -> list[Any]:
    column, values = table.schema[name], table.column(name)
    if column.kind is Kind.NOMINAL:
        return [column.levels[code] if code >= 0 else None for code in values]
    return [None if isinstance(value, float) and math.isnan(value) else value for value in values.tolist()]


@pytest.mark.parametrize("name", CASES)
def test_an_awkward_file_becomes_what_it_must(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    path = tmp_path / f"file{case.ending}"
    path.write_bytes(case.data)
    table = crake.read(path, **case.options)
    assert {column.name: str(column.kind) for column in table.schema.columns} == case.kinds
    assert len(table) == case.rows
    assert len(table.notes) == len(case.notes), table.notes
    assert all(part in note for part, note in zip(case.notes, table.notes, strict=True)), table.notes
    for column, expected in case.cells.items():
        assert cells(table, column) == expected


SCANNED = [
    *(name for name, case in TEXTS.items() if isinstance(case.content, str)),
    *("JSON lines", "Feather", "SQLite, a table", "SQLite, a query"),
]
LOADED = [
    "Excel with two sheets",
    "ODS with two sheets, repeated and empty cells",
    "JSON records",
    "JSON columns",
    "bzip2",
]


@pytest.mark.parametrize("name", LOADED)
def test_what_cannot_be_scanned_is_refused_with_a_way_out(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    path = tmp_path / f"file{case.ending}"
    path.write_bytes(case.data)
    with pytest.raises(ReadError, match=r"save the table as CSV|write one record per line|unpack it"):
        crake.read(path, in_memory=False, **case.options)


@pytest.mark.parametrize("name", SCANNED)
def test_a_scan_reads_it_in_the_same_way(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    path = tmp_path / f"file{case.ending}"
    path.write_bytes(case.data)
    loaded, scanned = crake.read(path, **case.options), crake.read(path, in_memory=False, **case.options)
    assert [(c.name, c.kind) for c in scanned.schema.columns] == [(c.name, c.kind) for c in loaded.schema.columns]
    assert scanned.notes == loaded.notes
    sample = scanned.with_target(None).sample(case.rows)
    for column in sample.schema.features:
        assert cells(sample, column.name) == cells(loaded.with_target(None), column.name)


def test_there_are_forty_of_them() -> None:
    assert len(CASES) >= 40


def test_the_first_row_of_a_scan_and_of_memory_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "rows.data"
    path.write_text("\n".join(f"{i},{i % 7},{'ab'[i % 2]}" for i in range(3000)))
    table = crake.read(path, "column_3")
    assert len(table) == 3000
    assert np.array_equal(table.column("column_1"), np.arange(3000.0))
