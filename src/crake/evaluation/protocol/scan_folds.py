"""Fold models of a table that is scanned: from statistics, from a sample, or by scans that leave a fold out."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.learners.registry import title_of
from crake.plans import HashedFolds
from crake.statistics import Statistics
from crake.statistics.gather import Batches
from crake.table.batch import MISSING, Batch
from crake.table.schema import Schema
from crake.table.sources.scanned_table import encode_scan
from crake.table.table import Table


@dataclass(frozen=True)
class OtherFolds:
    """The rows of a scan. Those of one fold have no class: learners pass over them."""

    table: Batches
    folds: HashedFolds
    fold: int

    @property
    def schema(self) -> Schema:
        """Return the schema of the table."""
        return self.table.schema

    def batches(self) -> Iterator[Batch]:
        """Yield the batches, numbered as the folds are."""
        for batch in self.table.batches():
            is_left_out = self.folds[batch.start : batch.start + batch.rows] == self.fold
            yield replace(batch, target=np.where(is_left_out, np.int32(MISSING), batch.target))


def reads_statistics(learner: Any) -> bool:
    """Return True if a learner never needs the rows themselves, so that one scan is enough for it."""
    return isinstance(learner, StatisticsClassifier) and learner.one_pass


def scanning(learner: Any, table: Table) -> Any:
    """Return a fresh learner that reads statistics, or scans the rows once per iteration; raise for any other."""
    scans = getattr(learner, "learns_from", "rows") == "scan"
    if scans and getattr(learner, "missing", None) == "drop":
        # Rows left out for their gaps would move the others to other folds.
        raise table.not_in_memory("missing='drop' within folds", "take missing='indicator'")
    if scans or reads_statistics(learner):
        return clone(learner).checked()
    raise table.not_in_memory(title_of(learner))


def fold_models(learner: Any, table: Table, statistics: Statistics, folds: HashedFolds) -> list[Any]:
    """Return for every fold the model of all others; `statistics` has each fold's apart."""
    parts = ((fold, statistics.without(fold)) for fold in range(folds.folds))
    if isinstance(learner, StatisticsClassifier):
        return [copy.copy(learner).estimate(part) for _, part in parts]
    coded = encode_scan(table, statistics.schema)
    return [copy.copy(learner).learn_from(OtherFolds(coded, folds, fold), part) for fold, part in parts]


def sample_models(learner: Any, sample: Table, fold: NDArray[np.int32], folds: int) -> list[Any]:
    """Return for every fold the model of the rows of a sample that are in other folds."""
    return [clone(learner).fit(sample.take(np.flatnonzero(fold != f))) for f in range(folds)]


def folds_of(rows: NDArray[np.intp], folds: HashedFolds) -> NDArray[np.int32]:
    """Return the folds of these rows, which ascend."""
    fold = np.empty(len(rows), np.int32)
    step = 1 << 20
    for start in range(0, int(rows[-1]) + 1, step):
        inside = slice(*np.searchsorted(rows, [start, start + step]).tolist())
        fold[inside] = folds[start : start + step][rows[inside] - start]
    return fold
