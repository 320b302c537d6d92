"""Columns are counted, and a sample is drawn, where an engine has its rows, and partitions do not matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.statistics.partitions.test_task import CUTS, Parted, rows, table

from crake.render.description import Description
from crake.table.column_options import ColumnOptions
from crake.table.describe import column_counts, scan
from crake.table.sources.scan import Scan
from crake.table.sources.scanned_table import scanned
from crake.table.table import Table


def columns(described: Description) -> list[Any]:
    """The columns, whose means a scan on the driver rounds batch by batch."""
    return [replace(each, mean=each.mean and pytest.approx(each.mean, rel=1e-13)) for each in described.columns]


def same(one: Description, other: Description) -> bool:
    return one.to_dict() == other.to_dict()


@pytest.mark.parametrize("cuts", CUTS, ids=len)
def test_the_same_as_a_scan(cuts: Sequence[int], monkeypatch: pytest.MonkeyPatch) -> None:
    found, first = table(cuts).describe(), table([]).describe()
    assert same(found, first)
    monkeypatch.setattr(Scan, "engine", None)
    whole = table([], reads=True).describe()
    assert columns(found) == whole.columns or columns(found) == list(whole.columns)
    assert (found.rows, found.classes, found.warnings) == (whole.rows, whole.classes, whole.warnings)


def test_a_sample_is_drawn_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "SAMPLE_ROWS", 200)
    found = [table(cuts).describe() for cuts in CUTS]
    assert "a random sample of 200 of them" in found[0].notes[-1]
    assert same(found[0], found[1])
    assert same(found[0], found[2])
    assert found[0].columns[2].mean == pytest.approx(np.nanmean(rows()["size"].to_numpy()), rel=1e-13)


def test_equal_rows_are_drawn_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash of their cells alone would draw all copies of a row, or none."""
    monkeypatch.setattr(scan, "SAMPLE_ROWS", 400)
    few = pa.table({"a": ["u"] * 1500 + ["v"] * 500, "y": ["p", "q"] * 1000})
    described, sample = described_of(scanned(Parted(few, [300, 301, 900, 1700]), ColumnOptions(target="y")))
    assert described.rows == 2000
    assert len(sample) == 400
    assert np.count_nonzero(sample.column("a") == 0) == pytest.approx(300, abs=40)
    assert np.count_nonzero(sample.column("y") == 0) == pytest.approx(200, abs=40)


def described_of(given: Table) -> tuple[Description, Table]:
    from crake.statistics.partitions.description import counted_by_source  # noqa: PLC0415

    return scan.describe_scan(given, counted_by_source(given))


def test_of_many_values_it_is_said_that_there_are_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_counts, "MOST_DISTINCT", 30)
    found = [table(cuts).describe() for cuts in CUTS]
    assert [(each.distinct, each.is_more_distinct) for each in found[0].columns] == [
        (3, False), (30, True), (30, True), (3, False), (2, False)
    ]  # fmt: skip
    assert same(found[0], found[1])
    assert same(found[0], found[2])


@pytest.mark.parametrize(
    ("numbers", "kind"), [([0, 1, 2], "nominal"), (list(range(70)), "numeric"), ([0.5, 1], "numeric")]
)
def test_all_rows_decide_what_a_numeric_target_is(numbers: list[float], kind: str) -> None:
    given = pa.table({"a": ["u", "v"] * 105, "y": pa.array((numbers * 210)[:210], pa.float64())})
    found = [scanned(Parted(given, cuts), ColumnOptions(target="y")).describe() for cuts in ([], [50, 100], [1, 2, 3])]
    assert [each.columns[1].kind for each in found] == [kind] * 3
    assert same(found[0], found[1])
    assert same(found[0], found[2])
