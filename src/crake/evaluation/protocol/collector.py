"""The out-of-fold table while the predictions of the folds come in, of rows in memory or of a scan."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Floats
from crake.errors import DataError
from crake.evaluation.protocol.folds import answers_the_most_probable
from crake.evaluation.protocol.outcome import left_out_note
from crake.evaluation.protocol.timing import Clock
from crake.evaluation.result.data import ScanPart
from crake.evaluation.result.out_of_fold import ClassPredictions, NumericPredictions
from crake.kernels import threads
from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.metrics.predictions import Answers
from crake.plans import Assignment, CrossValidation, HashedFolds, Plan
from crake.statistics import ClassCounts, Statistics
from crake.table.batch import Batch
from crake.table.row_hash import row_hashes
from crake.table.schema import Kind, Schema
from crake.table.sources.memory import MemorySource
from crake.table.sources.scanned_table import hash_below, joined, part_of, rows_of, scan_of
from crake.table.table import Table

LARGEST_OUT_OF_FOLD = 2**27
"""Bytes of the out-of-fold table; of more rows a sample is tested, still by models that learned from all others."""

BESIDE = 500_000_000
"""Bytes that a process holds beside it, where its memory is limited: libraries, compiled code, batches."""

MEASURING = 5
"""Bytes that measures take at a time for each byte of it."""

FEWEST_TESTED = 100_000
"""Rows that are tested however little memory is allowed."""

ROWS_KEPT = 1000
"""Rows of a scan that are kept with the models that have not learned them."""

FEW_CLASSES = 3
"""Classes up to which NumPy puts probabilities in place faster column by column than row by row."""

TESTED_TOGETHER = 1 << 16
"""Rows that wait until they are tested."""


class Collector:
    """Predictions in any order within a round; `fill` puts classes into the order of the rows."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.notes: list[str] = []
        self.rounds: list[_Round] = []
        self.folds = 0
        self.kinds: set[Answers] = set()

    def noting(self, rounds: Iterable[Assignment]) -> Iterator[Assignment]:
        """Yield the rounds as they are taken, and keep their rows, folds and notes."""
        for assignment in rounds:
            self.notes += assignment.notes
            # Of many rounds the numbers are held in half the bytes.
            kind: Any = np.intp if assignment.of == 1 or len(self.table) >= 2**31 else np.int32
            rows: NDArray[Any] = np.flatnonzero(assignment.fold >= 0).astype(kind, copy=False)
            fold = assignment.fold if len(rows) == len(self.table) else assignment.fold[rows]
            self.rounds.append(_Round(rows, fold + np.int32(self.folds), assignment.training_rows, []))
            self.folds += assignment.folds
            yield assignment

    def add(
        self,
        number: int,
        rows: NDArray[np.intp],
        predictions: Floats,
        codes: NDArray[np.int32] | None = None,
        kind: Answers | None = None,
    ) -> None:
        """Add rows of a round with their predictions and, if a rule gives them, the predicted classes."""
        self.rounds[number].pieces.append((rows, predictions, codes))
        self.kinds |= {kind} if kind is not None else set()

    def class_predictions(self, clock: Clock) -> ClassPredictions:
        """Return the table of predicted classes, round by round, the rows of a round in their order."""
        rows = _joined([each.rows for each in self.rounds])
        filled = [each.filled() for each in self.rounds]
        answered = [codes for _, codes in filled if codes is not None]
        is_repeated = len(filled) > 1 and int(np.bincount(rows).max()) > 1
        part = slice(None) if len(filled) == 1 and len(rows) == len(self.table) else rows
        fold = _joined([each.fold for each in self.rounds])
        predictions = ClassPredictions(
            rows=rows,
            fold=fold,
            actual=self.table.target[part],
            probabilities=_joined([probabilities for probabilities, _ in filled]),
            # Rows that all count once share one number.
            weights=np.broadcast_to(1.0, len(rows)) if self.table.weights is None else self.table.weights[part],
            fit_seconds=clock.fit_seconds,
            predict_seconds=clock.predict_seconds,
            repeat=self._repeat(fold) if is_repeated else None,
            training_rows=self.training_rows,
            answered=_joined(answered) if answered else None,
            kind=next(iter(self.kinds), "probabilities"),
        )
        return predictions if len(self.kinds) < 2 else _labels_only(predictions)

    def numeric_predictions(self, clock: Clock, target: Floats) -> NumericPredictions:
        """Return the table of predicted numbers, fold by fold as they came in."""
        pieces = [(number, *piece[:2]) for number, each in enumerate(self.rounds) for piece in each.pieces]
        rows = np.concatenate([test for _, test, _ in pieces])
        repeat = np.concatenate([np.full(len(test), number, np.int32) for number, test, _ in pieces])
        return NumericPredictions(
            rows=rows,
            fold=np.concatenate([np.full(len(test), at, np.int32) for at, (_, test, _) in enumerate(pieces)]),
            actual=target[rows],
            predicted=np.concatenate([numbers for _, _, numbers in pieces]),
            weights=np.ones(len(rows)) if self.table.weights is None else self.table.weights[rows],
            fit_seconds=clock.fit_seconds,
            predict_seconds=clock.predict_seconds,
            repeat=repeat if len(np.unique(rows)) < len(rows) else None,
            training_rows=self.training_rows,
        )

    @property
    def training_rows(self) -> NDArray[np.int64]:
        """Return the number of rows that each fold's model learns from."""
        return _joined([each.training_rows for each in self.rounds])

    def _repeat(self, fold: NDArray[np.int32]) -> NDArray[np.int32]:
        if self.folds == len(self.rounds):  # one fold per round: the numbers are equal
            return fold
        return np.repeat(np.arange(len(self.rounds), dtype=np.int32), [len(each.rows) for each in self.rounds])


@dataclass(frozen=True, eq=False)
class _Round:
    """The rows that a round tests, ascending, and the pieces of its predictions."""

    rows: NDArray[np.intp]
    fold: NDArray[np.int32]
    training_rows: NDArray[np.int64]
    pieces: list[tuple[NDArray[np.intp], Floats, NDArray[np.int32] | None]]

    def filled(self) -> tuple[Floats, NDArray[np.int32] | None]:
        """Return probabilities and predicted classes in the order of the rows."""
        if len(self.pieces) == 1:
            return self.pieces[0][1:]
        columns = ClassColumns(len(self.rows), self.pieces[0][1].shape[1])
        is_whole = len(self.rows) == self.rows[-1] + 1
        for test, probabilities, codes in self.pieces:
            columns.put(test if is_whole else np.searchsorted(self.rows, test), probabilities, codes)
        return columns.probabilities, columns.answered


class ClassColumns:
    """Probabilities and predicted classes of a known number of rows, put in place as they come."""

    def __init__(self, rows: int, classes: int) -> None:
        self.probabilities = np.zeros((rows, classes))
        self.answered: NDArray[np.int32] | None = None  # made where models decide by a rule of their own

    def put(self, places: Any, probabilities: Floats, answered: NDArray[Any] | None) -> None:
        """Put predictions at these places."""
        if probabilities.shape[1] <= FEW_CLASSES:
            for k in range(probabilities.shape[1]):
                self.probabilities[places, k] = probabilities[:, k]
        else:
            self.probabilities[places] = probabilities
        if answered is not None and self.answered is None:
            self.answered = np.argmax(self.probabilities, axis=1).astype(np.int32)
        if self.answered is not None:
            self.answered[places] = np.argmax(probabilities, axis=1) if answered is None else answered


def _labels_only(predictions: ClassPredictions) -> ClassPredictions:
    """Return the predicted classes alone: folds whose models gave columns of different kinds have only these."""
    columns = np.zeros_like(predictions.probabilities)
    columns[np.arange(len(columns)), predictions.predicted] = 1.0
    return replace(predictions, probabilities=columns, kind="labels")


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


@dataclass(frozen=True)
class _Sampled:
    """The rows of a portion that are tested: their places in it, their numbers, their folds.

    `counts` has the classes of all its rows by fold, shape (folds, classes).
    """

    places: NDArray[np.intp]
    rows: NDArray[np.intp]
    fold: NDArray[np.int32]
    counts: NDArray[np.intp]


class KeptRows:
    """Some rows of the first folds, kept while a scan passes: about ROWS_KEPT of a large table, drawn by a hash.

    Rows of a sorted file come class by class: the first rows would not do.
    """

    def __init__(self, folds: int, below: np.uint64 | None = None, seed: int = 0) -> None:
        self.folds, self.below, self.seed = folds, below, seed
        self.kept: list[tuple[NDArray[np.intp], NDArray[np.int32], Table]] = []

    @classmethod
    def of(cls, table: Table, folds: HashedFolds) -> KeptRows:
        """Return what keeps none of the rows of a table yet."""
        first, number = cls.folds_and_rows(len(table), folds.folds)
        seed = folds.random_state + 3
        return cls(first, None if len(table) <= number else hash_below(len(table), number, seed), seed)

    @staticmethod
    def folds_and_rows(rows: int, folds: int) -> tuple[int, int]:
        """Return the number of first folds of which rows are kept, and of how many rows of all folds these are.

        >>> KeptRows.folds_and_rows(150, 10), KeptRows.folds_and_rows(10**6, 10)
        ((10, 1000), (1, 10000))
        """
        first = min(folds, math.ceil(ROWS_KEPT * folds / max(1, rows)))
        return first, ROWS_KEPT * folds // first

    def add(self, rows: NDArray[np.intp], fold: NDArray[np.int32], part: Callable[[NDArray[np.intp]], Table]) -> None:
        """Keep those rows that are drawn; `part` returns the rows at some places."""
        is_kept = fold < self.folds
        if self.below is not None and len(rows):
            hashes = row_hashes(int(rows[0]), int(rows[-1] - rows[0]) + 1, self.seed)
            is_kept &= hashes[rows - rows[0]] < self.below
        places = np.flatnonzero(is_kept)
        if len(places):
            self.kept.append((rows[places], fold[places], part(places)))

    def parts(self, models: Sequence[Any]) -> tuple[ScanPart, ...]:
        """Return the rows of each fold with its model."""
        if not self.kept:
            return ()
        rows, fold, table = self._joined
        places = [np.flatnonzero(fold == f) for f in range(self.folds)]
        return tuple(ScanPart(models[f], table.take(at), rows[at]) for f, at in enumerate(places) if len(at))

    @cached_property
    def _joined(self) -> tuple[NDArray[np.intp], NDArray[np.int32], Table]:
        """All kept rows as one table, with their numbers and folds."""
        rows, fold = (np.concatenate([each[k] for each in self.kept]) for k in range(2))
        tables = [table for _, _, table in self.kept]
        names = [column.name for column in tables[0].schema.columns if column.kind is not Kind.IGNORED]
        columns = {name: np.concatenate([np.asarray(table.column(name)) for table in tables]) for name in names}
        return rows, fold, replace(tables[0], source=MemorySource(columns, len(rows)))


def most_tested(table: Table, row_bytes: int, learners: int = 1) -> int:
    """Return how many rows of a scan are tested, where each takes as many bytes for each of the learners.

    A limit of memory alone decides, not what the process holds just now: the same rows are tested each time.
    """
    most, memory = LARGEST_OUT_OF_FOLD // row_bytes, scan_of(table).memory
    if memory is None:
        return most
    return min(most, max(FEWEST_TESTED, (memory - BESIDE) // ((learners + MEASURING) * row_bytes)))


class ScanTester:
    """The out-of-fold table while it is filled, of as many rows as memory allows for one of several learners."""

    def __init__(self, table: Table, statistics: Statistics, folds: HashedFolds, learners: int = 1) -> None:
        K = len(statistics.classes)
        self.table, self.statistics, self.folds = table, statistics, folds
        most = most_tested(table, 24 + 8 * K, learners)
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
            raise other_rows(self.table.name)

    def _test(self, models: list[StatisticsClassifier]) -> None:
        if not self.waiting:
            return
        batch = joined([each for _, each in self.waiting])
        into = slice(self.filled, self.filled + batch.rows)
        if into.stop > len(self.rows):
            raise other_rows(self.table.name)
        self.rows[into] = np.concatenate([sample.rows for sample, _ in self.waiting])
        self.fold[into] = np.concatenate([sample.fold for sample, _ in self.waiting])
        self.actual[into] = batch.target
        self.waiting.clear()
        if self.columns.answered is None and not all(answers_the_most_probable(model) for model in models):
            self.columns.answered = np.empty(len(self.rows), np.int32)
        answered = None if self.columns.answered is None else self.columns.answered[into]
        out = self.columns.probabilities[into]
        predict_by_fold(models, batch, self.statistics.schema, self.fold[into], out, answered)
        self.filled = into.stop

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


def predict_by_fold(
    models: Sequence[Any], batch: Batch, schema: Schema, fold: Codes, out: Floats, answered: Codes | None
) -> None:
    """Put each row's probabilities, and its answer where that goes by something else, by the model of its fold."""
    # Rows of one fold side by side: read one after the other they are there twice as fast.
    order = np.argsort(fold.astype(np.int16) if len(models) < 2**15 else fold, kind="stable")
    part = part_of(rows_of(batch, order), schema, "rows to test")
    edges = np.searchsorted(fold[order], np.arange(len(models) + 1))

    def test(f: int) -> None:
        mine = np.arange(edges[f], edges[f + 1])
        probabilities = models[f].probabilities(part, mine)
        out[order[mine]] = probabilities
        if answered is not None:
            answered[order[mine]] = models[f].decide(probabilities)

    threads.each(test, np.flatnonzero(np.diff(edges)).tolist())


def other_rows(name: str) -> DataError:
    """Return the error of a second scan that met other classes in the folds than the first."""
    return DataError(
        f"the two scans of {name} gave the rows in different orders, or the rows changed; "
        "add an ORDER BY to the query that no two rows tie in"
    )
