"""Plain refitting: a clone is fitted on each training part, several at a time where that is asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from crake.evaluation.protocol.other_libraries import ForeignRows, foreign_answer
from crake.evaluation.protocol.timing import Clock
from crake.learners.base.classifier import TableClassifier
from crake.plans import Assignment
from crake.table.table import Table

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Codes = NDArray[np.int32]
Answer = tuple[int, Rows, Floats, Codes | None]
Answers = Iterator[Answer]
"""The number of the round, the rows tested, their probabilities, and the answers where they go by something else."""

Steps = Callable[[Rows, Rows], tuple[Callable[[], Any], Callable[[Any], Any]]]
"""Of training and test rows: how to fit, and how to answer with the model."""

Timed = tuple[Any, float, float]


def refit(
    learner: TableClassifier, table: Table, rounds: Iterable[Assignment], clock: Clock, n_jobs: int | None
) -> Answers:
    """Fit on the training part, answer the test part."""

    def steps(train: Rows, test: Rows) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
        return (
            lambda: clone(learner).fit(table.take(train)),
            lambda model: _with_own_answers(model, model.probabilities(table, test)),
        )

    return ((number, test, *found) for number, test, found in refit_each(steps, rounds, clock, n_jobs))


def refit_foreign(
    learner: Any, rows: ForeignRows, rounds: Iterable[Assignment], clock: Clock, n_jobs: int | None
) -> Answers:
    """The same for a classifier of another library."""

    def steps(train: Rows, test: Rows) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
        return (
            lambda: rows.fitted(clone(learner), train),
            lambda model: foreign_answer(model, rows.features(test), rows.classes),
        )

    return ((number, test, *found) for number, test, found in refit_each(steps, rounds, clock, n_jobs))


def refit_each(
    steps: Steps, rounds: Iterable[Assignment], clock: Clock, n_jobs: int | None
) -> Iterator[tuple[int, Rows, Any]]:
    """The number of the round, the rows tested and what was answered, fold by fold."""
    tasks = _Tasks(rounds)
    for found, fit_seconds, predict_seconds in _in_order(steps, tasks, n_jobs):
        number, assignment, test = tasks.begun.pop(0)
        clock.fit_seconds += fit_seconds
        clock.predict_seconds += predict_seconds
        clock.tested(assignment)
        yield number, test, found


class _Tasks:
    """The folds of all rounds, made as they are taken; `begun` lists those whose answer has not come."""

    def __init__(self, rounds: Iterable[Assignment]) -> None:
        self.rounds = rounds
        self.begun: list[tuple[int, Assignment, Rows]] = []

    def __iter__(self) -> Iterator[tuple[Rows, Rows]]:
        for number, assignment in enumerate(self.rounds):
            for train, test in assignment.splits():
                self.begun.append((number, assignment, test))
                yield train, test


def _in_order(steps: Steps, tasks: Iterable[tuple[Rows, Rows]], n_jobs: int | None) -> Iterator[Timed]:
    """Through joblib, so that its backends (processes, Dask, Ray) serve; kernels take one thread inside a worker."""
    if joblib.effective_n_jobs(n_jobs) == 1:
        return (_timed(steps, train, test) for train, test in tasks)
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator")
    found: Iterator[Timed] = parallel(joblib.delayed(_timed)(steps, train, test) for train, test in tasks)
    return found


def _timed(steps: Steps, train: Rows, test: Rows) -> Timed:
    """The answers, and the seconds of fitting and of answering."""
    fit, answer = steps(train, test)
    start = time.perf_counter()
    model = fit()
    fitted = time.perf_counter()
    found = answer(model)
    return found, fitted - start, time.perf_counter() - fitted


def _with_own_answers(model: TableClassifier, probabilities: Floats) -> tuple[Floats, Codes | None]:
    if answers_the_most_probable(model):
        return probabilities, None
    return probabilities, model.decide(probabilities).astype(np.int32)


def answers_the_most_probable(model: TableClassifier) -> bool:
    """Whether the answers follow from the probabilities, as of most learners; then nothing more has to be kept."""
    return type(model).decide is TableClassifier.decide
