"""Leave-one-out: every row is tested by a model of all the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from crake.plans import dealing as rows
from crake.plans.assignment import NEVER, Assignment, OneRound
from crake.table.schema import Label


@dataclass(frozen=True)
class LeaveOneOut(OneRound):
    """As many folds as rows of known class, in row order; nothing is drawn at random.

    >>> assignment = LeaveOneOut().assign([0, -1, 1, 1], ["no", "yes"])
    >>> assignment.fold.tolist()
    [0, -1, 1, 2]
    """

    def assign(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Assignment:
        """Give every row of known class a fold of its own."""
        codes = rows.target(target_codes, classes)
        known = codes >= 0
        fold = np.full(len(codes), NEVER, dtype=np.int32)
        fold[known] = np.arange(known.sum())
        return rows.assignment(fold, int(known.sum()), codes, classes)

    def describe(self) -> str:
        """Return the plan in words."""
        return "leave-one-out cross-validation"
