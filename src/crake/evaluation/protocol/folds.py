"""The models of the folds: refitted on each training part, or made of statistics that one pass has gathered."""

from __future__ import annotations

import copy
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Literal

import numpy as np

from crake.arrays import Codes, Floats, Rows
from crake.errors import LearnerError
from crake.evaluation.protocol.arguments import numbers_of
from crake.evaluation.protocol.other_libraries import (
    complete_array,
    fit_rows,
    fit_weighted,
    foreign_answer,
    foreign_numbers,
    refuse_weights,
    some_rows,
)
from crake.evaluation.protocol.timing import Clock
from crake.evaluation.result.data import ArrayRows, InMemory
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.scikit_learn import clone
from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.metrics.predictions import Answers as Kind
from crake.plans import Assignment
from crake.slow_modules import joblib
from crake.statistics import Statistics
from crake.statistics.samples import SampleCopies, samples_at_once
from crake.table.table import Table

Answer = tuple[int, Rows, Floats, Codes | None] | tuple[int, Rows, Floats, Codes | None, Kind | None]
Answers = Iterator[Answer]
"""The number of the round, the tested rows, their probabilities or numbers, and their classes if a rule gives them.

Models of other libraries add the kind of the columns."""

Steps = Callable[[Rows, Rows], tuple[Callable[[], Any], Callable[[Any], Any]]]
"""From training and test rows to two functions: one fits, one predicts with the model."""

Timed = tuple[Any, float, float]
Numbered = tuple[int, Assignment]

CHUNK = 256
"""Rows left out one by one per gathering, when a learner has no closed form for it."""


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
            lambda model: foreign_answer(model, some_rows(data.X, test), data.classes),
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
        lambda: fit_weighted(clone(learner), some_rows(X, train), y[train], weights, train),
        lambda model: foreign_numbers(model, some_rows(X, test)),
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
    if _works_alone(n_jobs):
        return (_timed(steps, train, test) for train, test in tasks)
    return results_of((joblib.delayed(_timed_apart)(steps, train, test) for train, test in tasks), n_jobs)


def _works_alone(n_jobs: int | None) -> bool:
    """Return True if there is one worker. Nobody can have chosen another number for joblib before it is imported."""
    if n_jobs is None and "joblib" not in sys.modules:
        return True
    return bool(joblib.effective_n_jobs(n_jobs) == 1)


def results_of(calls: Iterable[Any], n_jobs: int | None, *, order: Literal["given", "any"] = "given") -> Iterator[Any]:
    """Yield the results of joblib's delayed calls as they come, in the order of the calls or in any.

    A backend that cannot hand over results while others are worked on (Ray's) gives all of them at the end.
    """
    backend, _ = joblib.parallel.get_active_backend()
    if not getattr(backend, "supports_return_generator", False):
        yield from joblib.Parallel(n_jobs=n_jobs)(calls)
        return
    results = joblib.Parallel(n_jobs=n_jobs, return_as="generator" if order == "given" else "generator_unordered")(
        calls
    )
    try:
        yield from results
    finally:
        results.close()


def _timed(steps: Steps, train: Rows, test: Rows) -> Timed:
    """Return the predictions, and the seconds of fitting and of predicting."""
    fit, answer = steps(train, test)
    start = time.perf_counter()
    model = fit()
    fitted = time.perf_counter()
    predicted = answer(model)
    return predicted, fitted - start, time.perf_counter() - fitted


def _timed_apart(steps: Steps, train: Rows, test: Rows) -> Timed:
    """Do the same in a worker. An error that cannot be sent to the parent would end all workers."""
    try:
        return _timed(steps, train, test)
    except Exception as error:
        if (sent := sendable(error)) is not error:
            raise sent from None
        raise


def sendable(error: Exception) -> Exception:
    """Return the error, or its words if it cannot be sent to another process: those can be sent that can be copied.

    >>> class Own(Exception):
    ...     def __init__(self, rows, columns):
    ...         super().__init__(f"{rows} rows, {columns} columns")
    >>> sendable(Own(3, 4)), sendable(ValueError("no rows"))
    (LearnerError('Own: 3 rows, 4 columns'), ValueError('no rows'))
    """
    try:
        copy.deepcopy(error)
    except Exception:  # noqa: BLE001 (its class may do anything when it is made anew)
        kind = type(error).__name__
        words = LearnerError(f"{kind}: {error}", kind=kind)
        words.add_note("".join(traceback.format_exception(error)))
        return words
    return error


def _with_own_answers(model: TableClassifier, probabilities: Floats) -> tuple[Floats, Codes | None]:
    if answers_the_most_probable(model):
        return probabilities, None
    return probabilities, model.decide(probabilities).astype(np.int32)


def answers_the_most_probable(model: TableClassifier) -> bool:
    """Return True if the predicted classes follow from the probabilities, as with most learners."""
    return type(model).decide is TableClassifier.decide


def one_pass(learner: StatisticsClassifier, table: Table, rounds: Iterable[Assignment], clock: Clock) -> Answers:
    """Gather each round once, with the fold as the group; samples are gathered several at a time."""
    fresh = clone(learner).checked()
    numbered = enumerate(rounds)
    for number, assignment in numbered:
        if assignment.copies is not None:
            yield from _samples(fresh, table, [(number, assignment), *_more(numbered, table, assignment.of)], clock)
        elif assignment.folds == np.count_nonzero(assignment.fold >= 0):
            yield from _leave_one_out(fresh, table, number, assignment, clock)
        else:
            yield from _folds(fresh, table, number, assignment, clock)


def _more(rounds: Iterator[Numbered], table: Table, samples: int) -> list[Numbered]:
    """The next samples, as many as are gathered together with the one before them."""
    cells = len(table.schema.classes) * sum(len(column.levels) + 1 for column in table.schema.nominal)
    return list(islice(rounds, samples_at_once(cells, samples) - 1))


def _folds(learner: StatisticsClassifier, table: Table, number: int, assignment: Assignment, clock: Clock) -> Answers:
    # Rows that are learned from but never tested (a holdout's training part) are a group of their own.
    first = int(np.any(assignment.known & (assignment.fold < 0)))
    group = assignment.fold + np.int32(first)
    with clock.fitting():
        statistics = learner.gather(table, group, assignment.folds + first)
    if learner.folds_together(table, statistics):
        yield from _folds_together(learner, table, statistics, (number, assignment), clock)
        return
    parts = (statistics.without(fold + first) for fold in range(assignment.folds))
    for fold, part in enumerate(parts):
        with clock.fitting():
            model = learner.estimate(part)
        yield _asked(model, table, (number, assignment), fold, clock)


def _folds_together(
    learner: StatisticsClassifier, table: Table, statistics: Statistics, numbered: Numbered, clock: Clock
) -> Answers:
    number, assignment = numbered
    groups = next(iter(statistics.parts.values())).groups
    with clock.fitting():
        models = learner.estimate_folds(statistics, range(groups - assignment.folds, groups))
    with clock.predicting():
        answers = learner.answer_by_fold(models, table, assignment.fold)
    tested = np.flatnonzero(assignment.fold >= 0)
    clock.tested(assignment, assignment.folds)
    yield number, tested, answers if len(tested) == len(table) else answers[tested], None


def _samples(learner: StatisticsClassifier, table: Table, samples: Sequence[Numbered], clock: Clock) -> Answers:
    copies = [assignment.copies for _, assignment in samples if assignment.copies is not None]
    with clock.fitting():
        in_samples = SampleCopies.of(copies)
        statistics = learner.gather(table, samples=in_samples)
    parts = (statistics.select(sample) for sample in range(in_samples.samples))
    if learner.answers_together(table):
        yield from _samples_together(learner, table, parts, samples, clock)
        return
    for part, numbered in zip(parts, samples, strict=True):
        with clock.fitting():
            model = learner.estimate(part)
        yield _asked(model, table, numbered, 0, clock)


def _samples_together(
    learner: StatisticsClassifier, table: Table, parts: Iterator[Statistics], samples: Sequence[Numbered], clock: Clock
) -> Answers:
    with clock.fitting():
        models = learner.estimate_together(parts)
    with clock.predicting():
        left_out = np.stack([assignment.fold == 0 for _, assignment in samples], axis=1)
        answers = learner.answer_together(models, table, left_out)
    for at, (number, assignment) in enumerate(samples):
        clock.tested(assignment)
        yield number, np.flatnonzero(left_out[:, at]), answers[at], None


def _asked(model: StatisticsClassifier, table: Table, numbered: Numbered, fold: int, clock: Clock) -> Answer:
    number, assignment = numbered
    with clock.predicting():
        test = np.flatnonzero(assignment.fold == fold)
        answers = _with_own_answers(model, model.probabilities(table, test))
    clock.tested(assignment)
    return number, test, *answers


def _leave_one_out(
    learner: StatisticsClassifier, table: Table, number: int, assignment: Assignment, clock: Clock
) -> Answers:
    """Each row against the statistics of all others: in closed form, or a chunk of rows at a time."""
    tested = np.flatnonzero(assignment.fold >= 0)
    if learner.has_closed_leave_one_out(table):
        with clock.fitting():
            model = learner.estimate(learner.gather(table))
        with clock.predicting():
            answers = model.leave_one_out(table)
        clock.tested(assignment, len(tested))
        yield number, tested, answers[tested] if len(tested) < len(table) else answers, None
        return
    for start in range(0, len(tested), CHUNK):
        chunk = tested[start : start + CHUNK]
        group = np.zeros(len(table), np.int32)
        group[chunk] = np.arange(1, len(chunk) + 1)
        with clock.fitting():
            statistics = learner.gather(table, group, len(chunk) + 1)
        for at, row in enumerate(chunk):
            with clock.fitting():
                model = learner.estimate(statistics.without(at + 1))
            with clock.predicting():
                predicted = _with_own_answers(model, model.probabilities(table, np.array([row])))
            clock.tested(assignment)
            yield number, np.array([row]), *predicted
