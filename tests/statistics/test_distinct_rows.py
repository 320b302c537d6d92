"""Distinct rows against a plain count of rows; scans with too many of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from tests.laws.tables import Row, rows, table, tame

from crake.errors import CrakeError, DataError
from crake.statistics import DistinctRows, gather
from crake.statistics import distinct_rows as module
from crake.statistics.forgetting import forgotten
from crake.table.table import Table


@given(some=rows(tame, lowest_class=-1))
def test_each_distinct_row_once(some: list[Row]) -> None:
    found = gather(table(some), [DistinctRows])[DistinctRows]
    expected = Counter((*row[:2], *map(cell, row[2:4]), row[4]) for row in some if row[4] >= 0)
    mine = {
        (*codes.tolist(), *map(cell, values.tolist()), int(label)): float(count)
        for codes, values, label, count in zip(found.codes, found.values, found.class_, found.count, strict=True)
    }
    assert mine == dict(expected)
    assert len(mine) == len(found.count)


def cell(value: float) -> float | None:
    """NaN is not equal to itself, and 0 is −0."""
    return None if value != value else value + 0.0


def test_a_table_of_names_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    some: list[Row] = [(0, 1, 1.5, 2.0, 0, 1.0), (1, 1, 2.5, 2.0, 1, 1.0)]
    names = table(some).select(["colour", "wind", "label"])
    found = gather(names, [DistinctRows])[DistinctRows]
    assert found.columns == ()
    assert len(found.count) == 0
    assert found.count_keys() == ()
    whole = gather(table(some), [DistinctRows])[DistinctRows]
    assert whole.count_keys() is None
    monkeypatch.setattr(module, "MOST_ROWS", 1)
    with pytest.raises(DataError, match=r"too many distinct rows \(2 by class and fold so far\)"):
        whole.check_size()
    monkeypatch.setattr(module, "MOST_ROWS", 10)
    whole.check_size()
    monkeypatch.setattr(module, "machine_memory", lambda: 1.0 * 2 * 5 * (2 * 4 + 2 * 8 + 16))  # one row, five times
    with pytest.raises(DataError, match=r"expected at most 1 with the memory of this machine: learn from a sample"):
        whole.check_size()


def test_rows_that_were_never_there_are_not_forgotten() -> None:
    learned: Table = table([(0, 1, 1.5, np.nan, 0, 1.0)])
    other: Table = table([(0, 1, 1.5, 0.0, 0, 1.0)])
    with pytest.raises(CrakeError, match="have values of size that were not learned"):
        forgotten(*(gather(each, [DistinctRows]) for each in (learned, other)), keep_levels=True)
