"""Resubstitution: the rows that were learned from are tested. Optimistic, and shown beside the honest estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from crake.plans import dealing as rows
from crake.plans.assignment import NEVER, Assignment, OneRound
from crake.table.schema import Label


@dataclass(frozen=True)
class Resubstitution(OneRound):
    """Learn from all rows, test all rows.

    >>> ((training, test),) = Resubstitution().assign([0, -1, 1, 1], ["no", "yes"]).splits()
    >>> training.tolist(), test.tolist()
    ([0, 2, 3], [0, 2, 3])
    """

    def assign(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Assignment:
        """Return one fold of all rows of known class, which are the training rows too."""
        known = rows.target(target_codes, classes) >= 0
        return Assignment(np.where(known, 0, NEVER).astype(np.int32), 1, known, copies=known.astype(np.int32))

    def describe(self) -> str:
        """Return the plan in words."""
        return "resubstitution: tested on the rows learned from, which flatters"
