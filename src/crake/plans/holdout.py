"""Holdout: one part of the rows is learned from, the rest is tested."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Rows
from crake.errors import CrakeError
from crake.plans import dealing as rows
from crake.plans.assignment import NEVER, Assignment, OneRound
from crake.table.schema import Label


@dataclass(frozen=True)
class Holdout(OneRound):
    """Learn from the share `train` of the rows, of each class the same share within one row.

    >>> plan = Holdout()
    >>> plan.describe()
    'stratified holdout, 66.7 % to learn from, seed 1'
    >>> ((training, test),) = plan.assign([0] * 6 + [1] * 9, ["no", "yes"]).splits()
    >>> len(training), len(test), int((test < 6).sum())
    (10, 5, 2)
    """

    train: float = 2 / 3
    _: KW_ONLY
    stratified: bool = True
    random_state: int = 1

    def __post_init__(self) -> None:
        rows.whole_number(self.random_state, "random_state", 0)
        share: object = self.train
        if not (isinstance(share, int | float) and 0 < share < 1):
            raise CrakeError(f"train = {share!r}; expected the share to learn from, between 0 and 1")

    def assign(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Assignment:
        """Give the tested rows fold 0; the training rows are never tested."""
        codes = rows.target(target_codes, classes)
        order = rows.shuffled(codes, self.random_state, by_class=self.stratified)
        if self.stratified:
            order = _larger_classes_first(order, codes)
        fold = np.full(len(codes), NEVER, dtype=np.int32)
        fold[order[~self._is_training(len(order))]] = 0
        return rows.assignment(fold, 1, codes, classes)

    def describe(self) -> str:
        """Return the plan in words."""
        kind = "stratified holdout" if self.stratified else "holdout"
        return f"{kind}, {100 * self.train:.3g} % to learn from, seed {self.random_state}"

    def _is_training(self, n: int) -> NDArray[np.bool_]:
        """Spread T training rows evenly over the n places: place j is one if ⌊(j+1)T/n⌋ > ⌊jT/n⌋.

        Any m places in a row, so any class, hold ⌊mT/n⌋ or ⌈mT/n⌉ of them.
        """
        T = min(max(math.floor(n * self.train + 0.5), 1), n - 1)
        return np.diff(np.arange(n + 1) * T // n) > 0


def _larger_classes_first(order: Rows, codes: NDArray[np.intp]) -> Rows:
    """Order rows by the size of their class, so that a class of one row, the last place, is learned from."""
    counts = np.bincount(codes[order])
    return order[np.argsort(-counts[codes[order]], kind="stable")]
