"""The first scan where an engine has its rows: tasks gather for one learner after the other, and draw the sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.learners.majority.learner import MajorityClassifier
from crake.plans import HashedFolds, KeyedFolds
from crake.render.short_repr import short_repr
from crake.statistics import ClassCounts, Statistics
from crake.statistics.partitions.drawn_rows import sample_by_source
from crake.statistics.partitions.rows import PartitionedRows
from crake.table.table import Table


@dataclass(frozen=True, eq=False)
class Gathered:
    """The classes of every fold, the statistics of each learner or why it has none, and the sample with its folds."""

    counted: Statistics
    by_learner: Mapping[int, Statistics | CrakeError]
    sample: Table | None
    fold: NDArray[np.int32]

    __repr__ = short_repr


def gathered_in_tasks(
    table: Table, folds: HashedFolds, reading: Mapping[int, StatisticsClassifier], sample_rows: int
) -> Gathered | None:
    """Return what the first scan gives; None if the rows must come to the driver."""
    rows = PartitionedRows.of(table) if isinstance(folds, KeyedFolds) else None
    if rows is None or rows.scan.known_only or not isinstance(folds, KeyedFolds):
        return None
    by_learner = {k: _gathered(learner, table, folds) for k, learner in reading.items()}
    counted = next((each for each in by_learner.values() if _has_classes(each, table)), None)
    if not isinstance(counted, Statistics):
        counted = MajorityClassifier().gather(table, folds, folds.folds)
    if not sample_rows:
        return Gathered(counted, by_learner, None, np.empty(0, np.int32))
    # Another seed than that of the folds and of the rows tested: the sample must not depend on them.
    drawn = sample_by_source(rows.dealt_by(folds.hash), counted.schema, sample_rows, folds.random_state + 2)
    return None if drawn is None else Gathered(counted, by_learner, *drawn)


def _gathered(learner: StatisticsClassifier, table: Table, folds: HashedFolds) -> Statistics | CrakeError:
    try:
        return learner.gather(table, folds, folds.folds)
    except CrakeError as error:
        return error


def _has_classes(found: Statistics | CrakeError, table: Table) -> bool:
    is_whole = isinstance(found, Statistics) and found.schema.names == table.schema.names
    return is_whole and isinstance(found, Statistics) and found.get(ClassCounts) is not None
