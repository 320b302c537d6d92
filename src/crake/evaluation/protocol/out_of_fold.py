"""Out of fold: every tested row gets its probabilities from a model that has not seen it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.evaluation.protocol.one_pass import one_pass
from crake.evaluation.protocol.other_libraries import ForeignRows
from crake.evaluation.protocol.refit import refit, refit_foreign
from crake.evaluation.protocol.rehearsal import rehearse
from crake.evaluation.protocol.timing import Clock
from crake.learners.base.classifier import reads_tables
from crake.learners.base.statistics_classifier import StatisticsClassifier
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

    @cached_property
    def predicted(self) -> NDArray[np.intp]:
        """The answers: the most probable class, ties to the first of the schema; or by the model's own rule."""
        if self.answered is not None:
            return self.answered.astype(np.intp)
        most_probable: NDArray[np.intp] = np.argmax(self.probabilities, axis=1)
        return most_probable

    @property
    def is_unweighted(self) -> bool:
        """Whether every row counts once, by one number that all rows share: what reads them is faster then."""
        return self.weights.strides == (0,) and bool(len(self.weights)) and bool(self.weights[0] == 1)

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
    collected = Collected(table)
    if not reads_tables(learner):
        given = foreign or ForeignRows.of(table, learner)
        answers = refit_foreign(learner, given, collected.noting(rounds), clock, n_jobs)
    elif isinstance(learner, StatisticsClassifier) and learner.one_pass:
        rehearse(learner, table, lambda few, folds: one_pass(learner, few, folds, Clock()))
        answers = one_pass(learner, table, collected.noting(rounds), clock)
    else:
        rehearse(learner, table, lambda few, folds: refit(learner, few, folds, Clock(), None))
        answers = refit(learner, table, collected.noting(rounds), clock, n_jobs)
    for number, test, probabilities, answered in answers:
        collected.add(number, test, probabilities, answered)
    return collected.out_of_fold(clock), tuple(dict.fromkeys(collected.notes))


class Collected:
    """The out-of-fold table while the answers of the folds come in, in any order within a round."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.notes: list[str] = []
        self.rounds: list[_Round] = []
        self.folds = 0

    def noting(self, rounds: Iterable[Assignment]) -> Iterator[Assignment]:
        """The rounds as they are taken, what matters of them kept."""
        for assignment in rounds:
            self.notes += assignment.notes
            # Of many rounds the numbers are held in half the bytes.
            kind: Any = np.intp if assignment.of == 1 or len(self.table) >= 2**31 else np.int32
            rows: NDArray[Any] = np.flatnonzero(assignment.fold >= 0).astype(kind, copy=False)
            fold = assignment.fold if len(rows) == len(self.table) else assignment.fold[rows]
            self.rounds.append(_Round(rows, fold + np.int32(self.folds), assignment.training_rows(), []))
            self.folds += assignment.folds
            yield assignment

    def add(self, number: int, *piece: Any) -> None:
        """Rows, their probabilities and, where they go by something else, the answers."""
        self.rounds[number].pieces.append(piece)

    def out_of_fold(self, clock: Clock) -> OutOfFold:
        """The whole table."""
        rows = _joined([each.rows for each in self.rounds])
        found = [each.filled() for each in self.rounds]
        answered = [codes for _, codes in found if codes is not None]
        is_repeated = len(found) > 1 and int(np.bincount(rows).max()) > 1
        taken = slice(None) if len(found) == 1 and len(rows) == len(self.table) else rows
        fold = _joined([each.fold for each in self.rounds])
        return OutOfFold(
            rows,
            fold,
            self.table.target[taken],
            _joined([probabilities for probabilities, _ in found]),
            # Rows that all count once share one number.
            np.broadcast_to(1.0, len(rows)) if self.table.weights is None else self.table.weights[taken],
            clock.fit_seconds,
            clock.predict_seconds,
            self._repeat(fold) if is_repeated else None,
            _joined([each.training_rows for each in self.rounds]),
            _joined(answered) if answered else None,
        )

    def _repeat(self, fold: NDArray[np.int32]) -> NDArray[np.int32]:
        if self.folds == len(self.rounds):  # one fold a round: the same numbers
            return fold
        return np.repeat(np.arange(len(self.rounds), dtype=np.int32), [len(each.rows) for each in self.rounds])


@dataclass(frozen=True, eq=False)
class _Round:
    """The rows that a round tests, ascending, and the pieces of its answers."""

    rows: NDArray[np.intp]
    fold: NDArray[np.int32]
    training_rows: NDArray[np.int64]
    pieces: list[tuple[NDArray[np.intp], Floats, NDArray[np.int32] | None]]

    def filled(self) -> tuple[Floats, NDArray[np.int32] | None]:
        """Probabilities and answers in the order of the rows."""
        if len(self.pieces) == 1:
            return self.pieces[0][1:]
        probabilities = np.full((len(self.rows), self.pieces[0][1].shape[1]), np.nan)
        answered = None if self.pieces[0][2] is None else np.zeros(len(self.rows), np.int32)
        is_whole = len(self.rows) == self.rows[-1] + 1
        for test, found, codes in self.pieces:
            places = test if is_whole else np.searchsorted(self.rows, test)
            probabilities[places] = found
            if answered is not None and codes is not None:
                answered[places] = codes
        return probabilities, answered


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
