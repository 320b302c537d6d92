"""One scan for several readers: each sees all rows, faults end all of them, nothing hangs."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake
from crake.errors import CrakeError, DataError, ReadError
from crake.kernels.threads import limited
from crake.table.column_options import ColumnOptions
from crake.table.formats.parquet.scan import ParquetFiles
from crake.table.sources.scanned_table import scanned
from crake.table.sources.shared_scan import read_together
from crake.table.table import Table

ROWS = 1000


@pytest.fixture
def table(tmp_path: Path) -> Table:
    rows = pa.table({"x": range(ROWS), "c": [f"v{i % 7}" for i in range(ROWS)], "y": [None, "a", "b", "b"] * 250})
    pq.write_table(rows, tmp_path / "t.parquet", row_group_size=90)
    return scanned(
        ParquetFiles([tmp_path / "t.parquet"], "t.parquet", rows_per_portion=50), ColumnOptions.of(target="y")
    )


def numbers(table: Table) -> list[float]:
    return np.concatenate([batch.values[:, 0] for batch in table.batches()]).tolist()


def test_every_reader_sees_all_rows_in_their_order(table: Table) -> None:
    scans = []
    told = table.with_progress(lambda rows, total, *_: scans.append(rows / total))
    first, known, second = read_together(told, [numbers, lambda rows: numbers(rows.known()), numbers])
    assert first == second == list(range(ROWS))
    assert known == [i for i in range(ROWS) if i % 4]
    assert scans[-1] == 1
    assert scans.count(1) == 1


def test_the_model_of_a_shared_scan_is_that_of_a_scan_of_its_own(table: Table) -> None:
    readers = [crake.NaiveBayesClassifier().fit, crake.OneRuleClassifier().fit, crake.NaiveBayesClassifier().fit]
    naive, rule, again = read_together(table, readers)
    expected = crake.NaiveBayesClassifier().fit(table)
    for model in (naive, again):
        moments = model.statistics_.class_moments.moments
        assert moments.tobytes() == expected.statistics_.class_moments.moments.tobytes()
        assert model.left_out_ == expected.left_out_ == 250
    assert str(rule) == str(crake.OneRuleClassifier().fit(table))


def test_what_stops_one_reader_stands_in_its_place(table: Table) -> None:
    def refuses(rows: Table) -> None:
        next(rows.batches())
        raise DataError("not these rows")

    found, error = read_together(table, [numbers, refuses])
    assert len(found) == ROWS
    assert isinstance(error, DataError)


def test_rows_come_once(table: Table) -> None:
    (error,) = read_together(table, [lambda rows: (numbers(rows), numbers(rows))])
    assert isinstance(error, CrakeError)
    assert "second time" in str(error)


def test_a_fault_of_crake_ends_everything(table: Table) -> None:
    def fails(rows: Table) -> None:
        next(rows.batches())
        raise ZeroDivisionError

    before = threading.enumerate()
    with pytest.raises(ZeroDivisionError):
        read_together(table, [numbers, fails])
    assert [thread for thread in threading.enumerate() if thread not in before] == []


def test_a_fault_of_the_file_is_raised_and_ends_all_readers(table: Table, tmp_path: Path) -> None:
    damaged = bytearray((tmp_path / "t.parquet").read_bytes())
    damaged[len(damaged) // 3 : len(damaged) // 2] = bytes(len(damaged) // 2 - len(damaged) // 3)
    (tmp_path / "t.parquet").write_bytes(damaged)
    with pytest.raises(ReadError):
        read_together(table, [numbers, numbers])


def test_one_thread_is_enough(table: Table) -> None:
    with limited(1):
        assert read_together(table, [numbers, numbers])[1] == list(range(ROWS))
