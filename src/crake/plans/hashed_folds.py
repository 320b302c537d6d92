"""Folds by a hash of the row number: cross-validation of rows that are never all in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import DataError
from crake.plans import dealing as rows
from crake.plans.assignment import NEVER, Assignment, OneRound
from crake.table.row_hash import row_hashes
from crake.table.schema import Label


@dataclass(frozen=True)
class HashedFolds(OneRound):
    """The fold of a row follows from its number and the seed alone: hash(row, seed) mod folds.

    So no row has to be seen before its fold is known, and two scans of a file agree. The folds are of nearly the same
    size, not exactly, and are not stratified; over many rows that makes no difference.

    >>> plan = HashedFolds(3, random_state=7)
    >>> plan[0:8].tolist(), plan[6:8].tolist()
    ([1, 1, 2, 2, 2, 0, 0, 0], [0, 0])
    """

    folds: int = 10
    _: KW_ONLY
    random_state: int = 1

    def __post_init__(self) -> None:
        rows.whole_number(self.folds, "folds", 2)
        rows.whole_number(self.random_state, "random_state", 0)

    def __getitem__(self, which: slice) -> NDArray[np.int32]:
        """Return the folds of consecutive rows."""
        start, stop = int(which.start), int(which.stop)
        return (row_hashes(start, stop - start, self.random_state) % np.uint64(self.folds)).astype(np.int32)

    def assign(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Assignment:
        """Give rows in memory the folds that a scan gives them."""
        codes = rows.target(target_codes, classes)
        fold = np.where(codes >= 0, self[0 : len(codes)], np.int32(NEVER))
        self.refuse_empty(np.bincount(fold[fold >= 0], minlength=self.folds)[:, None])
        return rows.assignment(fold, self.folds, codes, classes)

    def refuse_empty(self, counts: NDArray[np.floating] | NDArray[np.integer]) -> None:
        """Raise if a fold got no row, as may happen with few. `counts` has shape (folds, classes)."""
        empty = int(np.sum(counts.sum(axis=1) == 0))
        if empty:
            raise DataError(
                f"{empty} of {self.folds} folds got none of the {int(counts.sum())} rows; "
                "ask for fewer folds, or use CrossValidation on rows in memory"
            )

    def describe(self) -> str:
        """Return the plan in words."""
        return f"{self.folds}-fold cross-validation, folds by a hash of the row number, seed {self.random_state}"
