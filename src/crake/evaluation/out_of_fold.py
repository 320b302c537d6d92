"""Out of fold: every tested row gets its probabilities from a model that has not seen it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from crake.evaluation.foreign import ForeignRows, foreign_probabilities
from crake.learners.base import StatisticsClassifier, TableClassifier
from crake.learners.warm import warm
from crake.plans import Assignment
from crake.table.table import Table

Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]

CHUNK = 256
"""Rows left out one by one per gathering, when a learner has no closed form for it."""


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """One line per tested row, ascending: its number, fold, class code and probabilities; and the seconds it took."""

    rows: NDArray[np.intp]
    fold: NDArray[np.int32]
    actual: NDArray[np.int32]
    probabilities: Floats
    weights: Floats
    fit_seconds: float
    predict_seconds: float

    @property
    def predicted(self) -> NDArray[np.intp]:
        """The most probable class; ties go to the first of the schema."""
        most_probable: NDArray[np.intp] = np.argmax(self.probabilities, axis=1)
        return most_probable


class _Filling:
    """Probabilities by row number, filled fold by fold, with a stopwatch for fitting and one for predicting."""

    def __init__(self, table: Table, progress: Progress | None, folds: int) -> None:
        self.probabilities = np.full((len(table), len(table.schema.classes)), np.nan)
        self.fit_seconds = self.predict_seconds = 0.0
        self.progress = progress
        self.folds = folds

    @contextmanager
    def fitting(self) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.fit_seconds += time.perf_counter() - start

    @contextmanager
    def predicting(self, fold: int) -> Iterator[Floats]:
        start = time.perf_counter()
        yield self.probabilities
        self.predict_seconds += time.perf_counter() - start
        if self.progress is not None:
            self.progress(fold + 1, self.folds)


def out_of_fold(
    learner: Any,
    table: Table,
    assignment: Assignment,
    *,
    foreign: ForeignRows | None = None,
    progress: Progress | None = None,
) -> OutOfFold:
    """Test the learner as the plan says.

    A learner that is a function of statistics gathers once for all folds (equal to refitting; the tests hold it);
    any other is cloned and fitted on each training part. Learners of other libraries get arrays.
    """
    warm()
    filling = _Filling(table, progress, assignment.folds)
    tested = np.flatnonzero(assignment.fold >= 0)
    if not isinstance(learner, TableClassifier):
        _refit_foreign(learner, foreign or ForeignRows.of(table, learner), assignment, filling)
    elif isinstance(learner, StatisticsClassifier) and learner.one_pass:
        fresh = clone(learner).checked()
        if assignment.folds == len(tested):
            _leave_one_out(fresh, table, tested, filling)
        else:
            _one_pass(fresh, table, assignment, filling)
    else:
        _refit(learner, table, assignment, filling)
    weights = np.ones(len(table)) if table.weights is None else table.weights
    which = slice(None) if len(tested) == len(table) else tested
    return OutOfFold(
        tested,
        assignment.fold[which],
        table.target[which],
        filling.probabilities[which],
        weights[which],
        filling.fit_seconds,
        filling.predict_seconds,
    )


def _refit(learner: TableClassifier, table: Table, assignment: Assignment, filling: _Filling) -> None:
    for fold, (train, test) in enumerate(assignment.splits()):
        with filling.fitting():
            model = clone(learner).fit(table.take(train))
        with filling.predicting(fold) as probabilities:
            probabilities[test] = model.probabilities(table, test)


def _one_pass(learner: StatisticsClassifier, table: Table, assignment: Assignment, filling: _Filling) -> None:
    # Rows that are learned from but never tested (a holdout's training part) are a group of their own.
    first = int(np.any(assignment.known & (assignment.fold < 0)))
    group = assignment.fold + np.int32(first)
    with filling.fitting():
        statistics = learner.gather(table, group, assignment.folds + first)
    for fold in range(assignment.folds):
        with filling.fitting():
            model = learner.estimate(statistics.without(fold + first))
        with filling.predicting(fold) as probabilities:
            test = np.flatnonzero(assignment.fold == fold)
            probabilities[test] = model.probabilities(table, test)


def _leave_one_out(learner: StatisticsClassifier, table: Table, tested: NDArray[np.intp], filling: _Filling) -> None:
    """Each row against the statistics of all others: in closed form, or a chunk of rows at a time."""
    if learner.has_closed_leave_one_out(table):
        with filling.fitting():
            model = learner.estimate(learner.gather(table))
        with filling.predicting(len(tested) - 1) as probabilities:
            probabilities[:] = model.leave_one_out(table)
        return
    for start in range(0, len(tested), CHUNK):
        chunk = tested[start : start + CHUNK]
        group = np.zeros(len(table), np.int32)
        group[chunk] = np.arange(1, len(chunk) + 1)
        with filling.fitting():
            statistics = learner.gather(table, group, len(chunk) + 1)
        for at, row in enumerate(chunk):
            with filling.fitting():
                model = learner.estimate(statistics.without(at + 1))
            with filling.predicting(start + at) as probabilities:
                probabilities[row] = model.probabilities(table, np.array([row]))[0]


def _refit_foreign(learner: Any, rows: ForeignRows, assignment: Assignment, filling: _Filling) -> None:
    for fold, (train, test) in enumerate(assignment.splits()):
        with filling.fitting():
            model = rows.fitted(clone(learner), train)
        with filling.predicting(fold) as probabilities:
            probabilities[test] = foreign_probabilities(model, rows.features(test), rows.classes)
