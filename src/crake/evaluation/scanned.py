"""Cross-validation in two scans: the first gathers every fold apart, the second tests each row by its fold's model."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from crake.errors import CrakeError, DataError
from crake.evaluation.evaluation import Evaluation
from crake.evaluation.out_of_fold import Floats, OutOfFold
from crake.kernels import threads
from crake.learners.base import StatisticsClassifier
from crake.learners.registry import is_baseline, title_of
from crake.learners.warm import warm
from crake.plans import CrossValidation, HashedFolds, Plan
from crake.plans import rows as plan_rows
from crake.statistics.gather import Statistics
from crake.table.batch import Batch
from crake.table.row_hash import row_hashes
from crake.table.scanning import encode_scan, hash_below, part_of, rows_of
from crake.table.schema import Label
from crake.table.table import Table
from crake.table.target import check_target

LARGEST_OUT_OF_FOLD = 2**27
"""Bytes of the out-of-fold table; of more rows a sample is tested, still by models that learned from all others."""

Progress = Callable[[int, int], None]


def evaluate_scan(
    learner: Any, table: Table, plan: Plan | None, positive: Label | None, progress: Progress | None
) -> Evaluation:
    """As `evaluate`, for a table that is scanned."""
    check_target(table)
    learner, folds = _one_pass(learner, table), _hashed(plan)
    warm()
    start = time.perf_counter()
    statistics = learner.gather(_telling(table, progress, 0), folds, folds.folds)
    _check_classes(statistics, folds, positive)
    models = [copy.copy(learner).estimate(statistics.without(fold)) for fold in range(folds.folds)]
    fitted = time.perf_counter()
    testing = _Testing(table, statistics, folds)
    for batch in encode_scan(_telling(table, progress, 1), statistics.schema).batches():
        testing.add(batch, models)
    testing.refuse_other_rows()
    found = testing.out_of_fold(fitted - start, time.perf_counter() - fitted)
    return Evaluation(
        name=title_of(learner),
        table=table.name,
        target=table.schema.target or "",
        classes=statistics.classes,
        plan=folds.describe(),
        out_of_fold=found,
        notes=(*testing.notes(plan), *plan_rows.unlearned(statistics.class_counts.counts, statistics.classes)),
        positive=positive,
        is_baseline=is_baseline(learner),
    )


def _one_pass(learner: Any, table: Table) -> StatisticsClassifier:
    if isinstance(learner, StatisticsClassifier) and learner.one_pass:
        fresh: StatisticsClassifier = clone(learner).checked()
        return fresh
    raise CrakeError(
        f"{title_of(learner)} needs its rows in memory, and {table.name} is scanned; evaluate it on a sample: "
        "table.sample(100_000)"
    )


def _hashed(plan: Plan | None) -> HashedFolds:
    if plan is None or isinstance(plan, HashedFolds):
        return plan or HashedFolds()
    if isinstance(plan, CrossValidation):
        return HashedFolds(plan.folds, random_state=plan.random_state)
    raise CrakeError(
        f"the plan is {plan.describe()}; a table that is scanned is cross-validated: CrossValidation(10) or "
        "HashedFolds(10). For other plans take a sample: table.sample(100_000)"
    )


def _telling(table: Table, progress: Progress | None, scan: int) -> Table:
    """Rows read in both scans together, of twice the rows."""
    if progress is None:
        return table
    return table.with_progress(lambda rows, total, *_: progress(scan * total + rows, 2 * total))


def _check_classes(statistics: Statistics, folds: HashedFolds, positive: Label | None) -> None:
    counts, classes = statistics.class_counts.counts, statistics.classes
    plan_rows.refuse_too_little(counts.sum(axis=0).astype(np.intp), classes)
    folds.refuse_empty(counts)
    if positive is not None and positive not in classes:
        raise CrakeError(f"there is no class {positive!r} to call positive; classes: {list(classes)}")


class _Testing:
    """The out-of-fold table while it is filled, of at most so many rows as memory allows."""

    def __init__(self, table: Table, statistics: Statistics, folds: HashedFolds) -> None:
        K = len(statistics.classes)
        self.table, self.statistics, self.folds = table, statistics, folds
        most = LARGEST_OUT_OF_FOLD // (24 + 8 * K)
        # Another seed than that of the folds: which rows are tested must not hang together with their fold.
        self.seed = folds.random_state + 1
        self.below = None if len(table) <= most else hash_below(len(table), most, self.seed)
        room = min(len(table), most)
        self.rows = np.empty(room, np.intp)
        self.fold, self.actual = np.empty(room, np.int32), np.empty(room, np.int32)
        self.probabilities = np.empty((room, K))
        self.counts = np.zeros((folds.folds, K))
        self.filled = self.known = 0

    def add(self, batch: Batch, models: list[StatisticsClassifier]) -> None:
        """Test the rows of a batch."""
        fold = self.folds[batch.start : batch.start + batch.rows]
        known = batch.target >= 0
        K = self.counts.shape[1]
        places = fold[known].astype(np.intp) * K + batch.target[known]
        self.counts += np.bincount(places, minlength=self.counts.size).reshape(self.counts.shape)
        tested = np.flatnonzero(known & self._chosen(batch))
        if self.filled + len(tested) > len(self.rows):
            raise self._other_rows()
        into = slice(self.filled, self.filled + len(tested))
        self.rows[into], self.fold[into], self.actual[into] = tested + batch.start, fold[tested], batch.target[tested]
        self.probabilities[into] = self._tested(batch, tested, fold[tested], models)
        self.filled += len(tested)
        self.known += int(known.sum())

    def _chosen(self, batch: Batch) -> NDArray[np.bool_]:
        if self.below is None:
            return np.ones(batch.rows, bool)
        return row_hashes(batch.start, batch.rows, self.seed) < self.below

    def _tested(
        self, batch: Batch, tested: NDArray[np.intp], fold: NDArray[np.int32], models: list[StatisticsClassifier]
    ) -> Floats:
        # Rows of one fold side by side: read one after the other they are there twice as fast.
        order = np.argsort(fold.astype(np.int16) if len(models) < 2**15 else fold, kind="stable")
        part = part_of(rows_of(batch, tested[order]), self.statistics.schema, self.table.name)
        edges = np.searchsorted(fold[order], np.arange(len(models) + 1))
        found = np.empty((len(tested), self.counts.shape[1]))

        def test(f: int) -> None:
            mine = np.arange(edges[f], edges[f + 1])
            found[order[mine]] = models[f].probabilities(part, mine)

        threads.each(test, np.flatnonzero(np.diff(edges)).tolist())
        return found

    def refuse_other_rows(self) -> None:
        """A query may give its rows in another order each time: folds would then test what they have learned."""
        if not np.array_equal(self.counts, self.statistics.class_counts.counts):
            raise self._other_rows()

    def _other_rows(self) -> DataError:
        return DataError(
            f"the two scans of {self.table.name} gave the rows in different orders, or the rows changed; "
            "add an ORDER BY to the query that no two rows tie in"
        )

    def out_of_fold(self, fit_seconds: float, predict_seconds: float) -> OutOfFold:
        """The rows that were tested."""
        n = self.filled
        return OutOfFold(
            self.rows[:n],
            self.fold[:n],
            self.actual[:n],
            self.probabilities[:n],
            np.ones(n),
            fit_seconds,
            predict_seconds,
        )

    def notes(self, plan: Plan | None) -> list[str]:
        """What the reader should know of the protocol."""
        notes = []
        unknown = len(self.table) - self.known
        if unknown:
            notes.append(f"{unknown} rows without a known {self.table.schema.target} are left out")
        if isinstance(plan, CrossValidation) and plan.stratified:
            notes.append("a table that is scanned has folds by a hash of the row number, not stratified ones")
        if self.below is not None:
            notes.append(
                f"{self.filled:,} of {self.known:,} rows are tested, drawn by a hash of their numbers; each model "
                "has learned from all rows of the other folds"
            )
        return notes
