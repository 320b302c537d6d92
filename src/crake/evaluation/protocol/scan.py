"""The second scan of a cross-validation: each row is tested by the model of the folds that it is not in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes
from crake.errors import CrakeError, DataError
from crake.evaluation.protocol.arguments import refuse_no_plan, refuse_unknown_class
from crake.evaluation.protocol.collector import ClassColumns, Progress, begin_rows
from crake.evaluation.protocol.outcome import left_out_note
from crake.evaluation.protocol.refit import answers_the_most_probable
from crake.evaluation.result.out_of_fold import ClassPredictions
from crake.kernels import threads
from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.plans import CrossValidation, HashedFolds, Plan
from crake.plans import dealing as plan_rows
from crake.statistics import ClassCounts, Statistics
from crake.table.batch import Batch
from crake.table.row_hash import row_hashes
from crake.table.schema import Label
from crake.table.sources.scanned_table import hash_below, joined, part_of, rows_of
from crake.table.table import Table

LARGEST_OUT_OF_FOLD = 2**27
"""Bytes of the out-of-fold table; of more rows a sample is tested, still by models that learned from all others."""

TESTED_TOGETHER = 1 << 16
"""Rows that wait until they are tested."""


def hashed(plan: Plan | None) -> HashedFolds:
    """Return the folds of a scan: by a hash of the row number."""
    if plan is None or isinstance(plan, HashedFolds):
        return plan or HashedFolds()
    refuse_no_plan(plan)
    if isinstance(plan, CrossValidation):
        return HashedFolds(plan.folds, random_state=plan.random_state)
    raise CrakeError(
        f"the plan is {plan.describe()}; a table that is scanned is cross-validated: CrossValidation(10) or "
        "HashedFolds(10). For other plans take a sample: table.sample(100_000)"
    )


def with_row_progress(table: Table, progress: Progress | None, scan: int) -> Table:
    """Return the table with a report of the rows read in both scans together, of twice the rows."""
    if progress is None:
        return table
    begin_rows(progress)
    name = f"rows of {table.name}, in two scans"
    return table.with_progress(lambda rows, total, *_: progress(name, scan * total + rows, 2 * total))


def check_classes(statistics: Statistics, folds: HashedFolds, positive: Label | None) -> None:
    """Raise if there are too few classes or rows, or if the positive class is not among them."""
    counts, classes = statistics[ClassCounts].counts, statistics.classes
    plan_rows.refuse_too_little(counts.sum(axis=0).astype(np.intp), classes)
    folds.refuse_empty(counts)
    refuse_unknown_class(positive, classes)


@dataclass(frozen=True)
class _Sampled:
    """The rows of a portion that are tested: their places in it, their numbers, their folds.

    `counts` has the classes of all its rows by fold, shape (folds, classes).
    """

    places: NDArray[np.intp]
    rows: NDArray[np.intp]
    fold: NDArray[np.int32]
    counts: NDArray[np.intp]


class ScanTester:
    """The out-of-fold table while it is filled, of as many rows as memory allows."""

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
        self.columns = ClassColumns(room, K)
        self.counts = np.zeros((folds.folds, K), np.intp)
        self.waiting: list[tuple[_Sampled, Batch]] = []
        self.filled = 0

    @property
    def known(self) -> int:
        """Return the number of rows that have a class."""
        return int(self.counts.sum())

    def draw(self, start: int, target: Codes) -> _Sampled:
        """Choose the rows of a portion to test: those of a known class, of many rows those of the lowest hashes."""
        fold = self.folds[start : start + len(target)]
        known = target >= 0
        cells = fold * self.counts.shape[1] + target
        counts = np.bincount(cells if known.all() else cells[known], minlength=self.counts.size)
        if self.below is not None:
            known &= row_hashes(start, len(target), self.seed) < self.below
        places = np.flatnonzero(known)
        return _Sampled(places, places + start, fold[places], counts.reshape(self.counts.shape))

    def add(self, sample: _Sampled, batch: Batch, models: list[StatisticsClassifier]) -> None:
        """Test the rows that were drawn, a good many at a time: each call of a model has its price."""
        self.counts += sample.counts
        self.waiting.append((sample, batch))
        if sum(len(each.rows) for each, _ in self.waiting) >= TESTED_TOGETHER:
            self._test(models)

    def finish(self, models: list[StatisticsClassifier]) -> None:
        """Test what is left.

        A query may give its rows in another order each time: folds would then test what they have learned. So both
        scans must have met the same classes in the same folds.
        """
        self._test(models)
        if not np.array_equal(self.counts, self.statistics[ClassCounts].counts):
            raise self._other_rows()

    def _test(self, models: list[StatisticsClassifier]) -> None:
        if not self.waiting:
            return
        batch = joined([each for _, each in self.waiting])
        into = slice(self.filled, self.filled + batch.rows)
        if into.stop > len(self.rows):
            raise self._other_rows()
        self.rows[into] = np.concatenate([sample.rows for sample, _ in self.waiting])
        self.fold[into] = np.concatenate([sample.fold for sample, _ in self.waiting])
        self.actual[into] = batch.target
        self.waiting.clear()
        if self.columns.answered is None and not all(answers_the_most_probable(model) for model in models):
            self.columns.answered = np.empty(len(self.rows), np.int32)
        self._predict(batch, self.fold[into], models, into)
        self.filled = into.stop

    def _predict(self, batch: Batch, fold: NDArray[np.int32], models: list[StatisticsClassifier], into: slice) -> None:
        """Each row's probabilities, and its answer where that goes by something else, by the model of its fold."""
        answered = None if self.columns.answered is None else self.columns.answered[into]
        out = self.columns.probabilities[into]
        # Rows of one fold side by side: read one after the other they are there twice as fast.
        order = np.argsort(fold.astype(np.int16) if len(models) < 2**15 else fold, kind="stable")
        part = part_of(rows_of(batch, order), self.statistics.schema, self.table.name)
        edges = np.searchsorted(fold[order], np.arange(len(models) + 1))

        def test(f: int) -> None:
            mine = np.arange(edges[f], edges[f + 1])
            probabilities = models[f].probabilities(part, mine)
            out[order[mine]] = probabilities
            if answered is not None:
                answered[order[mine]] = models[f].decide(probabilities)

        threads.each(test, np.flatnonzero(np.diff(edges)).tolist())

    def _other_rows(self) -> DataError:
        return DataError(
            f"the two scans of {self.table.name} gave the rows in different orders, or the rows changed; "
            "add an ORDER BY to the query that no two rows tie in"
        )

    def out_of_fold(self, fit_seconds: float, predict_seconds: float) -> ClassPredictions:
        """The rows that were tested."""
        n, answered = self.filled, self.columns.answered
        return ClassPredictions(
            rows=self.rows[:n],
            fold=self.fold[:n],
            actual=self.actual[:n],
            probabilities=self.columns.probabilities[:n],
            weights=np.broadcast_to(1.0, n),  # all count once: they share one number
            fit_seconds=fit_seconds,
            predict_seconds=predict_seconds,
            training_rows=(self.known - self.counts.sum(axis=1)).astype(np.int64),
            answered=None if answered is None else answered[:n],
        )

    def notes(self, plan: Plan | None) -> list[str]:
        """Return the notes on the protocol."""
        notes = list(left_out_note(len(self.table) - self.known, self.table.schema.target or ""))
        if isinstance(plan, CrossValidation) and plan.stratified:
            notes.append("a table that is scanned has folds by a hash of the row number, not stratified ones")
        if self.below is not None:
            notes.append(
                f"{self.filled:,} of {self.known:,} rows are tested, drawn by a hash of their numbers; each model "
                "has learned from all rows of the other folds"
            )
        return notes
