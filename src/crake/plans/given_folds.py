"""Folds that the user supplies: another program's, or ones that keep groups of rows together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import DataError
from crake.plans import dealing as rows
from crake.plans.assignment import NEVER, Assignment, OneRound
from crake.table.schema import Label


@dataclass(frozen=True, eq=False)
class GivenFolds(OneRound):
    """`fold_of_row` holds a number for each row; rows of one number are tested together, -1 is never tested.

    The numbers need not be consecutive: the folds are counted from 0 in their order.

    >>> GivenFolds([5, 7, 5, 7]).assign([0, 0, 1, 1], ["no", "yes"]).fold.tolist()
    [0, 1, 0, 1]
    """

    fold_of_row: NDArray[np.int64]

    def __init__(self, fold_of_row: ArrayLike) -> None:
        folds = np.array(fold_of_row)
        if folds.ndim != 1 or folds.dtype.kind not in "iu" or (folds < NEVER).any():
            raise DataError(
                f"fold_of_row has shape {folds.shape} and type {folds.dtype}; "
                "expected one whole number for each row, -1 where it is never tested"
            )
        folds.flags.writeable = False
        object.__setattr__(self, "fold_of_row", folds)

    def assign(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Assignment:
        """Return the folds without rows of unknown class; a fold left without rows is dropped and noted."""
        codes = rows.target(target_codes, classes)
        if len(codes) != len(self.fold_of_row):
            raise DataError(f"folds are given for {len(self.fold_of_row)} rows, the table has {len(codes)}")
        tested = (codes >= 0) & (self.fold_of_row != NEVER)
        numbers, position = np.unique(self.fold_of_row[tested], return_inverse=True)
        if len(numbers) == 0 or (len(numbers) == 1 and tested.sum() == (codes >= 0).sum()):
            which = "no row with a known class is tested" if len(numbers) == 0 else "one fold tests all rows"
            raise DataError(f"{which}; expected rows to test and other rows to learn from in every fold")
        fold = np.full(len(codes), NEVER, dtype=np.int32)
        fold[tested] = position
        return rows.assignment(fold, len(numbers), codes, classes, self._notes(numbers))

    def describe(self) -> str:
        """Return the plan in words."""
        return f"{len(self._numbers())} given folds"

    def _numbers(self) -> NDArray[np.int64]:
        return np.unique(self.fold_of_row[self.fold_of_row != NEVER])

    def _notes(self, used: NDArray[np.int64]) -> list[str]:
        dropped = np.setdiff1d(self._numbers(), used)
        if len(dropped) == 0:
            return []
        names = ", ".join(str(number) for number in dropped)
        return [f"given folds without a row of known class are left out: {names}"]
