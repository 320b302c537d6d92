"""Out of fold: every tested row gets its probabilities from a model that has not seen it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.evaluation.clock import Clock
from crake.evaluation.foreign import ForeignRows
from crake.evaluation.one_pass import one_pass
from crake.evaluation.refit import refit, refit_foreign
from crake.learners.base import StatisticsClassifier, TableClassifier
from crake.learners.warm import warm
from crake.plans import Assignment
from crake.table.table import Table

Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """One line per tested row: its number, fold, class code and probabilities; and the seconds it all took.

    Lines stand round by round (a plan that repeats has several), in each by row number. Folds are counted through
    all rounds; `repeat` gives the round of each line where rows are tested more than once, `training_rows` how many
    rows each fold's model learned from.
    """

    rows: NDArray[np.intp]
    fold: NDArray[np.int32]
    actual: NDArray[np.int32]
    probabilities: Floats
    weights: Floats
    fit_seconds: float
    predict_seconds: float
    repeat: NDArray[np.int32] | None = None
    training_rows: NDArray[np.int64] | None = None
    answered: NDArray[np.int32] | None = None

    @property
    def predicted(self) -> NDArray[np.intp]:
        """The answers: the most probable class, ties to the first of the schema; or by the model's own rule."""
        if self.answered is not None:
            return self.answered.astype(np.intp)
        most_probable: NDArray[np.intp] = np.argmax(self.probabilities, axis=1)
        return most_probable

    @property
    def repeats(self) -> int:
        """How many rounds the plan had."""
        return 1 if self.repeat is None or len(self.repeat) == 0 else int(self.repeat[-1]) + 1

    def by_repeat(self) -> Iterator[OutOfFold]:
        """The lines of each round."""
        if self.repeat is None:
            yield self
            return
        edges = np.searchsorted(self.repeat, np.arange(self.repeats + 1))
        for start, stop in pairwise(edges):
            yield self.lines(slice(start, stop))

    def by_fold(self) -> Iterator[OutOfFold]:
        """The lines of each fold that tested any."""
        order = np.argsort(self.fold, kind="stable")
        edges = np.flatnonzero(np.diff(self.fold[order], prepend=-1)).tolist()
        for start, stop in zip(edges, [*edges[1:], len(order)], strict=True):
            yield self.lines(order[start:stop])

    def lines(self, which: slice | NDArray[Any]) -> OutOfFold:
        """Some of the lines, as those of one round."""
        return replace(
            self,
            rows=self.rows[which],
            fold=self.fold[which],
            actual=self.actual[which],
            probabilities=self.probabilities[which],
            weights=self.weights[which],
            repeat=None,
            answered=None if self.answered is None else self.answered[which],
        )


def out_of_fold(
    learner: Any,
    table: Table,
    rounds: Iterable[Assignment],
    *,
    foreign: ForeignRows | None = None,
    progress: Progress | None = None,
    n_jobs: int | None = None,
) -> tuple[OutOfFold, tuple[str, ...]]:
    """Test the learner as the plan says; also what the plan has to note.

    A learner that is a function of statistics gathers once for all folds (equal to refitting; the tests hold it);
    any other is cloned and fitted on each training part, `n_jobs` of them at a time. Learners of other libraries get
    arrays.
    """
    warm()
    clock = Clock(progress)
    collected = _Collected(table)
    if not isinstance(learner, TableClassifier):
        given = foreign or ForeignRows.of(table, learner)
        answers = refit_foreign(learner, given, collected.noting(rounds), clock, n_jobs)
    elif isinstance(learner, StatisticsClassifier) and learner.one_pass:
        answers = one_pass(learner, table, collected.noting(rounds), clock)
    else:
        answers = refit(learner, table, collected.noting(rounds), clock, n_jobs)
    for number, test, probabilities, answered in answers:
        collected.add(number, test, probabilities, answered)
    return collected.out_of_fold(clock), tuple(dict.fromkeys(collected.notes))


class _Collected:
    """The out-of-fold table while the answers of the folds come in, in any order within a round."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.notes: list[str] = []
        self.assignments: list[tuple[NDArray[np.int32], int, NDArray[np.int64]]] = []
        self.answers: list[Floats] = []
        self.decided: list[NDArray[np.int32]] = []
        self.filled = -1

    def noting(self, rounds: Iterable[Assignment]) -> Iterator[Assignment]:
        """The rounds as they are taken, what matters of them kept."""
        for assignment in rounds:
            self.notes += assignment.notes
            self.assignments.append((assignment.fold, assignment.folds, assignment.training_rows()))
            yield assignment

    def add(
        self, number: int, test: NDArray[np.intp], probabilities: Floats, answered: NDArray[np.int32] | None
    ) -> None:
        """The answers for some rows of a round, which follow each other."""
        if number != self.filled:
            self._close()
            self.filled = number
            self.open = np.full((len(self.table), probabilities.shape[1]), np.nan)
            self.said = None if answered is None else np.zeros(len(self.table), np.int32)
        if len(test) == len(self.table):
            self.open = probabilities
        else:
            self.open[test] = probabilities
        if self.said is not None and answered is not None:
            self.said[test] = answered

    def _close(self) -> None:
        if self.filled >= 0:
            fold = self.assignments[self.filled][0]
            self.answers.append(self.open if (fold >= 0).all() else self.open[fold >= 0])
            self.decided += [] if self.said is None else [self.said[fold >= 0]]

    def out_of_fold(self, clock: Clock) -> OutOfFold:
        """The whole table."""
        self._close()
        folds = np.cumsum([0] + [count for _, count, _ in self.assignments])
        rows = [np.flatnonzero(fold >= 0) for fold, _, _ in self.assignments]
        tested = rows[0] if len(rows) == 1 else np.concatenate(rows)
        is_whole = len(rows) == 1 and len(tested) == len(self.table)
        taken = slice(None) if is_whole else tested
        # Rows that all count once share one number.
        weights = np.broadcast_to(1.0, len(tested)) if self.table.weights is None else self.table.weights[taken]
        is_repeated = len(rows) > 1 and len(np.unique(tested)) < len(tested)
        repeat = np.repeat(np.arange(len(rows), dtype=np.int32), [len(each) for each in rows])
        return OutOfFold(
            tested,
            np.concatenate(
                [f[r] + np.int32(at) for (f, _, _), r, at in zip(self.assignments, rows, folds, strict=False)]
            ),
            self.table.target[taken],
            self.answers[0] if len(rows) == 1 else np.concatenate(self.answers),
            weights,
            clock.fit_seconds,
            clock.predict_seconds,
            repeat if is_repeated else None,
            np.concatenate([training for _, _, training in self.assignments]),
            np.concatenate(self.decided) if self.decided else None,
        )
