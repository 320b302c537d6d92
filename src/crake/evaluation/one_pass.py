"""One pass: the folds of a learner that reads statistics, without refitting."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from crake.evaluation.clock import Clock
from crake.evaluation.refit import Answers
from crake.learners.base import StatisticsClassifier
from crake.plans import Assignment
from crake.table.table import Table

CHUNK = 256
"""Rows left out one by one per gathering, when a learner has no closed form for it."""


def one_pass(learner: StatisticsClassifier, table: Table, rounds: Iterable[Assignment], clock: Clock) -> Answers:
    """Gather each round once, with the fold as the group; a sample is gathered with its copies as weights."""
    fresh = clone(learner).checked()
    for number, assignment in enumerate(rounds):
        if assignment.copies is not None:
            yield from _sample(fresh, table, number, assignment, assignment.copies, clock)
        elif assignment.folds == np.count_nonzero(assignment.fold >= 0):
            yield from _leave_one_out(fresh, table, number, assignment, clock)
        else:
            yield from _folds(fresh, table, number, assignment, clock)


def _folds(learner: StatisticsClassifier, table: Table, number: int, assignment: Assignment, clock: Clock) -> Answers:
    # Rows that are learned from but never tested (a holdout's training part) are a group of their own.
    first = int(np.any(assignment.known & (assignment.fold < 0)))
    group = assignment.fold + np.int32(first)
    with clock.fitting():
        statistics = learner.gather(table, group, assignment.folds + first)
    for fold in range(assignment.folds):
        with clock.fitting():
            model = learner.estimate(statistics.without(fold + first))
        with clock.predicting():
            test = np.flatnonzero(assignment.fold == fold)
            answers = model.probabilities(table, test)
        clock.tested(assignment)
        yield number, test, answers, None


def _sample(
    learner: StatisticsClassifier,
    table: Table,
    number: int,
    assignment: Assignment,
    copies: NDArray[np.int32],
    clock: Clock,
) -> Answers:
    weights = copies.astype(np.float64) if table.weights is None else copies * table.weights
    with clock.fitting():
        model = learner.estimate(learner.gather(table.with_weights(weights)))
    with clock.predicting():
        test = np.flatnonzero(assignment.fold == 0)
        answers = model.probabilities(table, test)
    clock.tested(assignment)
    yield number, test, answers, None


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
                answers = model.probabilities(table, np.array([row]))
            clock.tested(assignment)
            yield number, np.array([row]), answers, None
