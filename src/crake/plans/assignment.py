"""The outcome of a plan: the fold in which each row is tested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.table.schema import Label

NEVER = -1
"""The fold of a row that is never tested."""

Rows = NDArray[np.intp]


class Plan(Protocol):
    """Anything that says, from the class codes alone, which row is tested when."""

    def assign(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Assignment:
        """Give every row its fold."""

    def describe(self) -> str:
        """The plan in words, for reports."""


@dataclass(frozen=True, eq=False)
class Assignment:
    """`fold[i]` is the fold in which row i is tested, NEVER for none; `known[i]` whether its class is known.

    Rows of unknown class are neither learned from nor tested. `notes` says where the plan had to give way.
    """

    fold: NDArray[np.int32]
    folds: int
    known: NDArray[np.bool_]
    notes: tuple[str, ...] = ()

    def split(self, fold: int) -> tuple[Rows, Rows]:
        """The rows to learn from and the rows to test in one fold, both ascending."""
        tested = self.fold == fold
        return np.flatnonzero(self.known & ~tested), np.flatnonzero(tested)

    def splits(self) -> Iterator[tuple[Rows, Rows]]:
        """(training rows, test rows) of each fold, made one at a time."""
        return (self.split(fold) for fold in range(self.folds))
