"""One pass: the folds of a learner that reads statistics, without refitting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from sklearn.base import clone

from crake.evaluation.protocol.collector import Clock
from crake.evaluation.protocol.refit import Answer, Answers
from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.plans import Assignment
from crake.statistics import Statistics
from crake.statistics.samples import SampleCopies, samples_at_once
from crake.table.table import Table

Numbered = tuple[int, Assignment]
CHUNK = 256
"""Rows left out one by one per gathering, when a learner has no closed form for it."""


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
    parts = (statistics.without(fold + first) for fold in range(assignment.folds))
    if learner.answers_together(table):
        yield from _folds_together(learner, table, parts, (number, assignment), clock)
        return
    for fold, part in enumerate(parts):
        with clock.fitting():
            model = learner.estimate(part)
        yield _asked(model, table, (number, assignment), fold, clock)


def _folds_together(
    learner: StatisticsClassifier, table: Table, parts: Iterator[Statistics], numbered: Numbered, clock: Clock
) -> Answers:
    number, assignment = numbered
    with clock.fitting():
        models = learner.estimate_together(parts)
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
        answers = model.probabilities(table, test)
    clock.tested(assignment)
    return number, test, answers, None


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
