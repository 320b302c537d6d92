"""Rows that are chosen before they are coded are those of the whole batches, from every engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray
from tests.table.formats.test_engines import ENGINES, Reader
from tests.table.sources.rows import arrow_table

import crake
from crake.table.column_options import ColumnOptions
from crake.table.formats.parquet.scan import ParquetFiles
from crake.table.row_hash import row_hashes
from crake.table.sources.scanned_table import encode_scan, first_rows, hash_below, joined, rows_of, scan_of, scanned
from crake.table.table import Table


@dataclass(frozen=True)
class Choice:
    places: NDArray[np.intp]
    rows: NDArray[np.intp]
    classes: NDArray[np.int32]


def every_third_from_the_end(start: int, classes: NDArray[np.int32]) -> Choice:
    numbers = np.arange(start, start + len(classes))
    places = np.flatnonzero(numbers % 3 == 1)[::-1]
    return Choice(places, numbers[places], classes)


def coded(read: Reader, *, known: bool) -> Table:
    held = read(target="plan", in_memory=True)
    scan = read(target="plan", in_memory=False)
    return encode_scan(scan.known() if known else scan, held.schema)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_cells(engine: Callable[[Path, pa.Table], Reader], known: bool, tmp_path: Path) -> None:
    table = coded(engine(tmp_path / "rows", arrow_table(3000)), known=known)
    whole = joined(list(table.batches()))
    choices, batches = zip(*scan_of(table).chosen(table.schema, every_third_from_the_end), strict=True)
    rows = np.concatenate([choice.rows for choice in choices])
    assert sorted(rows) == list(range(1, whole.rows, 3))
    found, expected = joined(batches), rows_of(whole, rows)
    for part in ("codes", "values", "target", "weights"):
        np.testing.assert_array_equal(getattr(found, part), getattr(expected, part), err_msg=part)
    np.testing.assert_array_equal(np.concatenate([choice.classes for choice in choices]), whole.target)


def test_no_row_may_be_chosen(tmp_path: Path) -> None:
    table = coded(ENGINES[0](tmp_path / "rows", arrow_table(600)), known=False)
    none = np.empty(0, np.intp)
    batches = [batch for _, batch in scan_of(table).chosen(table.schema, lambda *_: Choice(none, none, none))]
    assert sum(batch.rows for batch in batches) == 0
    assert {batch.codes.shape for batch in batches} == {(0, len(table.schema.nominal))}


@pytest.mark.parametrize(("rows", "wanted"), [(2, 0), (2, 1), (50, 49), (1000, 3), (70_000, 0), (70_000, 40_000)])
def test_so_many_hashes_lie_below(rows: int, wanted: int) -> None:
    for seed in range(8):
        hashes = row_hashes(0, rows, seed)
        below = hash_below(rows, wanted, seed)
        assert int(np.sum(hashes < below)) == wanted
        assert below in hashes


def test_what_a_scan_leaves_is_given_back_below_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrow keeps what threads have freed; scan after scan it added up beyond the limit."""
    pq.write_table(pa.table({"x": [1.0, 2.0], "y": ["a", "b"]}), tmp_path / "rows.parquet")
    table, pool, released = crake.read(tmp_path / "rows.parquet", "y", in_memory=False), pa.default_memory_pool(), []

    class Pool:
        def release_unused(self) -> None:
            released.append(pool.bytes_allocated())

    monkeypatch.setattr("crake.table.sources.scan.pa.default_memory_pool", Pool)
    assert [len(list(each.batches())) for each in (table, table.with_memory("1GB"))] == [1, 1]
    assert len(released) == 1


@pytest.mark.parametrize("target", ["y", "number"])
def test_first_rows_have_the_levels_met_so_far_while_others_are_read_ahead(target: str, tmp_path: Path) -> None:
    rows = 3000
    names = pa.array([f"k{(7 * i) % rows}" for i in range(rows)])
    table = pa.table({"name": names, "y": ["b", "a", "c"] * 1000, "number": np.arange(rows) / 8})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=500)
    file = ParquetFiles([tmp_path / "t.parquet"], "t.parquet", rows_per_portion=500)
    scan = scanned(file, ColumnOptions(target=target, numeric=("number",)))
    first = first_rows(scan)
    assert first.in_memory
    assert len(first) == 500
    codes = np.asarray(first.column("name"))
    assert [first.schema["name"].levels[code] for code in codes] == names[: len(first)].to_pylist()
