"""The out-of-fold table while the predictions of the folds come in, with the time and the progress of the work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.evaluation.result.out_of_fold import ClassPredictions, NumericPredictions
from crake.metrics.predictions import Answers
from crake.plans import Assignment
from crake.table.table import Table

Progress = Callable[[str, int, int], None]
"""Hears what is worked on (a learner, a file), how much is done, and of how much."""
Model = TypeVar("Model")


def begin_learner(progress: Progress | None, name: str, number: int, of: int, folds: int) -> None:
    """Report that learner `number` of `of` begins, before its first fold is done.

    A progress that has a method `learner(number, of)`, as that of the command line, hears which one of all it is.
    """
    if progress is not None:
        _count_learners(progress, number, of)
        progress(name, 0, folds)


def of_learners(progress: Progress | None) -> Progress | None:
    """Return the progress if it can tell learners from rows; one that hears numbers only hears the rows of a scan."""
    return progress if hasattr(progress, "learner") else None


def begin_rows(progress: Progress) -> None:
    """Report that rows are counted from here on, of all learners together."""
    _count_learners(progress, 1, 1)


def _count_learners(progress: Progress, number: int, of: int) -> None:
    begin = getattr(progress, "learner", None)
    if begin is not None:
        begin(number, of)


def reported(models: Iterable[Model], progress: Progress | None, name: str, folds: int) -> Iterator[Model]:
    """Yield the models of a learner's folds, and report each as done."""
    for done, model in enumerate(models, 1):
        if progress is not None:
            progress(name, done, folds)
        yield model


class Clock:
    """Seconds spent learning and predicting; `progress` hears of the folds done, of all folds of all rounds."""

    def __init__(self, progress: Progress | None = None, name: str = "") -> None:
        self.fit_seconds = self.predict_seconds = 0.0
        self.progress = progress
        self.name = name
        self.done = 0

    @contextmanager
    def fitting(self) -> Iterator[None]:
        """Count the time inside as learning."""
        start = time.perf_counter()
        yield
        self.fit_seconds += time.perf_counter() - start

    @contextmanager
    def predicting(self) -> Iterator[None]:
        """Count the time inside as predicting."""
        start = time.perf_counter()
        yield
        self.predict_seconds += time.perf_counter() - start

    def tested(self, assignment: Assignment, folds: int = 1) -> None:
        """Report that `folds` more folds are done."""
        self.done += folds
        if self.progress is not None:
            self.progress(self.name, self.done, assignment.folds * assignment.of)


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
            self.rounds.append(_Round(rows, fold + np.int32(self.folds), assignment.training_rows(), []))
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
