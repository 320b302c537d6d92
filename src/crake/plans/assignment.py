"""The outcome of a plan: the fold in which each row is tested, and the rows that are learned from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Rows
from crake.table.schema import Label

NEVER = -1
"""The fold of a row that is never tested."""


class Plan(Protocol):
    """A rule that deals rows to folds from the class codes alone.

    A numeric target has no classes: `classes` is then empty, and a code is 0 where the number is known, or −1.
    """

    def rounds(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Iterator[Assignment]:
        """Deal out the rows, once per round. Repeated plans have several rounds, each made on demand."""

    def describe(self) -> str:
        """Return the plan in words, for reports."""


@dataclass(frozen=True, eq=False)
class Assignment:
    """`fold[i]` is the fold in which row i is tested, NEVER for none; `known[i]` whether its class is known.

    Rows of unknown class are neither learned from nor tested. A fold learns from all rows that it does not test;
    unless `copies` says how often each row is learned from (a bootstrap sample, the past): then there is one fold.
    `notes` says where the plan had to give way; `of` is the number of rounds that the plan has.
    """

    fold: NDArray[np.int32]
    folds: int
    known: NDArray[np.bool_]
    notes: tuple[str, ...] = ()
    copies: NDArray[np.int32] | None = None
    of: int = 1

    def split(self, fold: int) -> tuple[Rows, Rows]:
        """Return the training rows of a fold, repeated as often as they count, and its test rows, both ascending."""
        tested = self.fold == fold
        if self.copies is not None:
            return np.repeat(np.arange(len(tested)), self.copies), np.flatnonzero(tested)
        return np.flatnonzero(self.known & ~tested), np.flatnonzero(tested)

    def splits(self) -> Iterator[tuple[Rows, Rows]]:
        """Return (training rows, test rows) of each fold, made one at a time."""
        return (self.split(fold) for fold in range(self.folds))

    @cached_property
    def training_rows(self) -> NDArray[np.int64]:
        """The number of rows that each fold learns from."""
        if self.copies is not None:
            return np.array([self.copies.sum()], np.int64)
        tested = np.bincount(self.fold[self.fold >= 0], minlength=self.folds)
        return np.asarray(int(self.known.sum()) - tested, np.int64)


class OneRound(ABC):
    """A plan that deals the rows out once: `rounds` is one `assign`."""

    @abstractmethod
    def assign(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Assignment:
        """Give every row its fold."""

    def rounds(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Iterator[Assignment]:
        """Yield the one assignment."""
        yield self.assign(target_codes, classes)
