"""The time and the progress of the work; a learner is rehearsed first, so that compiling is not part of its time."""

from __future__ import annotations

import functools
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import numpy as np

from crake.learners.base.card import card_of
from crake.learners.base.scikit_learn import clone
from crake.learners.naive_bayes import NaiveBayesClassifier
from crake.learners.one_rule import OneRuleClassifier
from crake.plans import Assignment, CrossValidation
from crake.table.convert.frames import from_xy
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


def end_learner(progress: Progress | None, outcome: Any) -> None:
    """Report that a learner was tested: a progress that has a method `finished(outcome)` hears its outcome."""
    finished = getattr(progress, "finished", None)
    if finished is not None:
        finished(outcome)


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


FEW = 24
"""Rows of a rehearsal; `many_rows` of the learner's card where large tables run other kernels."""

Run = Callable[[Table, Iterable[Assignment]], Iterator[Any]]

_REHEARSED: set[tuple[Any, ...]] = set()


@functools.cache
def warm() -> None:
    """Compile the kernels that gather statistics, or load them from the cache; once per process."""
    X = [["a", 1.0], ["b", 2.0], ["a", 3.0], ["b", None]]
    table = from_xy(X, ["no", "yes", "yes", "no"], nominal=[0])
    for learner in (NaiveBayesClassifier(), OneRuleClassifier()):
        learner.fit(table).probabilities(table)


def of_few_members(learner: Any) -> Any:
    """Return a learner for a rehearsal: an ensemble runs the same kernels with three members."""
    return clone(learner).set_params(n_estimators=3) if hasattr(learner, "n_estimators") else learner


def rehearse(learner: Any, table: Table, run: Run) -> None:
    """Run a learner of crake's own on a few rows, once per process for each kind of table.

    It raises and warns of nothing: the run that counts reports faults of the learner or the table.
    """
    card, schema = card_of(learner), table.schema
    if card is None:
        return
    rows = card.many_rows if card.many_rows is not None and len(table) >= card.many_rows else FEW
    key = (type(learner), rows, bool(schema.numeric), bool(schema.nominal), len(schema.classes) > 2)
    if key in _REHEARSED:
        return
    _REHEARSED.add(key)
    few = table.take(np.unique(np.linspace(0, len(table) - 1, rows).astype(np.intp)))
    with warnings.catch_warnings(), suppress(Exception):
        warnings.simplefilter("ignore")
        rounds = CrossValidation(2).rounds(few.target, few.schema.classes)
        deque(run(few, rounds), maxlen=0)
