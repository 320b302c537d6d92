"""Folds by a hash of a key column: cross-validation of rows that have no numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import CrakeError
from crake.plans.assignment import Assignment
from crake.plans.hashed_folds import HashedFolds
from crake.table.schema import Label
from crake.table.sources.keyed_rows import FoldsOfRows, KeyHash


@dataclass(frozen=True)
class KeyedFolds(HashedFolds):
    """The fold of a row follows from its value in the column `key` and the seed alone: hash(key, seed) mod folds.

    For tables that are scanned, above all those of Spark, whose rows have no numbers. Rows of equal keys (all of one
    customer) are tested together. The key may be a column that is ignored otherwise.

    >>> KeyedFolds(10, key="customer").describe()
    "10-fold cross-validation, folds by a hash of 'customer', seed 1"
    """

    _: KW_ONLY
    key: str = ""
    rows: FoldsOfRows | None = field(default=None, repr=False, compare=False)
    """The folds of the rows that were read; None before a table is scanned."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.key:
            raise CrakeError(f"key={self.key!r}; expected the name of a column, as in KeyedFolds(10, key='customer')")

    @property
    def hash(self) -> KeyHash:
        """The rule by which keys are dealt out."""
        return KeyHash(self.key, self.folds, self.random_state)

    def __getitem__(self, which: slice) -> NDArray[np.int32]:
        """Return the folds of consecutive rows, which have been read."""
        if self.rows is None:
            raise CrakeError("KeyedFolds is for crake.evaluate and crake.compare of tables that are scanned")
        return self.rows[which]

    def assign(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Assignment:
        """Raise: rows in memory have a plan of their own for this."""
        del target_codes, classes
        raise CrakeError(
            f"KeyedFolds is for tables that are scanned; in memory take GroupedCrossValidation({self.key!r}), which "
            "keeps equal keys together, too"
        )

    def describe(self) -> str:
        """Return the plan in words."""
        return f"{self.folds}-fold cross-validation, folds by a hash of {self.key!r}, seed {self.random_state}"
