"""Plain refitting: a clone is fitted on each training part, `n_jobs` of them at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from crake.arrays import Codes, Floats, Rows
from crake.evaluation.protocol.arguments import numbers_of
from crake.evaluation.protocol.collector import Clock
from crake.evaluation.protocol.other_libraries import (
    complete_array,
    fit_rows,
    fit_weighted,
    foreign_answer,
    refuse_weights,
    some_rows,
)
from crake.evaluation.protocol.parallel import results_of
from crake.evaluation.result.data import ArrayRows, InMemory
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.regressor import TableRegressor
from crake.metrics.predictions import Answers as Kind
from crake.plans import Assignment
from crake.table.table import Table

Answer = tuple[int, Rows, Floats, Codes | None] | tuple[int, Rows, Floats, Codes | None, Kind | None]
Answers = Iterator[Answer]
"""The number of the round, the tested rows, their probabilities or numbers, and their classes if a rule gives them.

Models of other libraries add the kind of the columns."""

Steps = Callable[[Rows, Rows], tuple[Callable[[], Any], Callable[[Any], Any]]]
"""From training and test rows to two functions: one fits, one predicts with the model."""

Timed = tuple[Any, float, float]


def refit(
    learner: TableClassifier, table: Table, rounds: Iterable[Assignment], clock: Clock, n_jobs: int | None
) -> Answers:
    """Fit a classifier of crake on each training part, predict the test part."""

    def steps(train: Rows, test: Rows) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
        return (
            lambda: clone(learner).fit(table.take(train)),
            lambda model: _with_own_answers(model, model.probabilities(table, test)),
        )

    return ((number, test, *predicted) for number, test, predicted in refit_each(steps, rounds, clock, n_jobs))


def refit_foreign(
    learner: Any, data: ArrayRows, rounds: Iterable[Assignment], clock: Clock, n_jobs: int | None
) -> Answers:
    """Fit a classifier of another library on each training part, predict the test part."""

    def steps(train: Rows, test: Rows) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
        return (
            lambda: fit_rows(data, clone(learner), train),
            lambda model: foreign_answer(model, some_rows(data, test), data.classes),
        )

    return ((number, test, *predicted) for number, test, predicted in refit_each(steps, rounds, clock, n_jobs))


def refit_regressor(
    learner: Any, data: InMemory, rounds: Iterable[Assignment], clock: Clock, n_jobs: int | None
) -> Answers:
    """Fit a regressor on each training part, predict the numbers of the test part."""
    steps = regressor_steps(learner, data)
    return ((number, test, predicted, None) for number, test, predicted in refit_each(steps, rounds, clock, n_jobs))


def regressor_steps(learner: Any, data: InMemory) -> Steps:
    """Return how to fit a regressor on some rows and how to predict others: by the table, or by X and y if given."""
    table = data.table
    if data.arrays is None and isinstance(learner, TableRegressor):
        features = table.select([column.name for column in table.schema.features])
        return lambda train, test: (
            lambda: clone(learner).fit(table.take(train)),
            lambda model: model.answers(features, test),
        )
    refuse_weights(learner, table)
    X, y = complete_array(table, learner) if data.arrays is None else data.arrays.X, numbers_of(data)
    weights = table.weights
    return lambda train, test: (
        lambda: fit_weighted(clone(learner), _safe_indexing(X, train), y[train], weights, train),
        lambda model: np.asarray(model.predict(_safe_indexing(X, test)), np.float64),
    )


def refit_each(
    steps: Steps, rounds: Iterable[Assignment], clock: Clock, n_jobs: int | None
) -> Iterator[tuple[int, Rows, Any]]:
    """Yield the number of the round, the tested rows and their predictions, fold by fold."""
    tasks = _Tasks(rounds)
    for predicted, fit_seconds, predict_seconds in _in_order(steps, tasks, n_jobs):
        number, assignment, test = tasks.begun.pop(0)
        clock.fit_seconds += fit_seconds
        clock.predict_seconds += predict_seconds
        clock.tested(assignment)
        yield number, test, predicted


class _Tasks:
    """The folds of all rounds, made as they are taken; `begun` lists those that are not predicted yet."""

    def __init__(self, rounds: Iterable[Assignment]) -> None:
        self.rounds = rounds
        self.begun: list[tuple[int, Assignment, Rows]] = []

    def __iter__(self) -> Iterator[tuple[Rows, Rows]]:
        for number, assignment in enumerate(self.rounds):
            for train, test in assignment.splits():
                self.begun.append((number, assignment, test))
                yield train, test


def _in_order(steps: Steps, tasks: Iterable[tuple[Rows, Rows]], n_jobs: int | None) -> Iterator[Timed]:
    """Work through joblib, whose backends may be processes, Dask or Ray; kernels take one thread inside a worker."""
    if joblib.effective_n_jobs(n_jobs) == 1:
        return (_timed(steps, train, test) for train, test in tasks)
    return results_of((joblib.delayed(_timed)(steps, train, test) for train, test in tasks), n_jobs)


def _timed(steps: Steps, train: Rows, test: Rows) -> Timed:
    """Return the predictions, and the seconds of fitting and of predicting."""
    fit, answer = steps(train, test)
    start = time.perf_counter()
    model = fit()
    fitted = time.perf_counter()
    predicted = answer(model)
    return predicted, fitted - start, time.perf_counter() - fitted


def _with_own_answers(model: TableClassifier, probabilities: Floats) -> tuple[Floats, Codes | None]:
    if answers_the_most_probable(model):
        return probabilities, None
    return probabilities, model.decide(probabilities).astype(np.int32)


def answers_the_most_probable(model: TableClassifier) -> bool:
    """Return True if the predicted classes follow from the probabilities, as with most learners."""
    return type(model).decide is TableClassifier.decide
