"""Boosted trees whose bins an engine's tasks make are those of memory, however the rows are cut up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from tests.learners.ensemble.boosting.scanned.test_boosting import bytes_of
from tests.learners.tree.scanned_rows import ROWS, count_rows_alone, write_rows
from tests.statistics.partitions.test_task import Parted

import crake
from crake.errors import DataError
from crake.learners.ensemble.boosting.scanned import layout
from crake.table.column_options import ColumnOptions
from crake.table.sources.scanned_table import scanned
from crake.table.table import Table


@pytest.fixture(autouse=True)
def _memory_of_rows_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    count_rows_alone(monkeypatch)
    monkeypatch.setattr(layout, "MOST", 50)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> pa.Table:
    return pq.read_table(write_rows(tmp_path_factory.mktemp("rows") / "rows.parquet", 3, gaps=True))


def of(data: pa.Table, cuts: Sequence[int], target: str, **options: Any) -> Table:
    return scanned(Parted(data, cuts, **options), ColumnOptions(target)).with_memory(10**9)


@pytest.mark.parametrize("cuts", [[5, 5, 400], [699]])
@pytest.mark.parametrize(
    "learner",
    [
        crake.BoostedTreesClassifier(5, max_bins=20),
        crake.BoostedTreesClassifier(5, max_bins=60, class_weight={"c0": 3.5}),
        crake.BoostedTreesRegressor(9, max_bins=30),
    ],
    ids=repr,
)
def test_partitions_do_not_matter(learner: Any, cuts: Sequence[int], rows: pa.Table, tmp_path: Path) -> None:
    """No row comes to the driver but as bins."""
    target, other = ("score", "label") if isinstance(learner, crake.BoostedTreesRegressor) else ("label", "score")
    data = rows.drop([other])
    expected = clone(learner).fit(crake.read(data, target))
    shuffled = data.take(pa.array(np.random.default_rng(1).permutation(ROWS)))
    for each in (data, shuffled):
        found = clone(learner).fit(of(each, cuts, target))
        assert found.left_out_ == expected.left_out_ > 0
        assert bytes_of(found, tmp_path) == bytes_of(expected, tmp_path)


def test_rows_without_numbers_cannot_be_held_out(rows: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Parted, "has_row_numbers", False, raising=False)
    with pytest.raises(
        DataError, match=r"rows of parted have no numbers, by which n_iter_no_change holds rows out; exp"
    ):
        crake.BoostedTreesClassifier(5, n_iter_no_change=2).fit(of(rows.drop(["score"]), [300], "label"))


@pytest.mark.parametrize(
    "learner", [crake.BoostedTreesClassifier(), crake.CARTClassifier(), crake.BoostedTreesRegressor()]
)
def test_rows_without_numbers_have_no_weights_by_them(
    learner: Any, rows: pa.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Parted, "has_row_numbers", False, raising=False)
    target, other = ("score", "label") if isinstance(learner, crake.BoostedTreesRegressor) else ("label", "score")
    with pytest.raises(DataError, match=r"rows of parted have no numbers, by which sample_weight weighs them; exp"):
        learner.fit(of(rows.drop([other]), [300], target), sample_weight=np.ones(ROWS))


def test_rows_that_are_held_out_are_those_of_memory(rows: pa.Table, tmp_path: Path) -> None:
    """Where rows have numbers they come to the driver, so that their order can be looked at."""
    data, learner = rows.drop(["score"]), crake.BoostedTreesClassifier(9, max_bins=30, n_iter_no_change=2)
    expected = clone(learner).fit(crake.read(data, "label"))
    assert bytes_of(clone(learner).fit(of(data, [300], "label", reads=True)), tmp_path) == bytes_of(expected, tmp_path)
