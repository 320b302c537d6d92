"""k-fold cross-validation: every row is tested once, by a model that did not see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.plans import dealing as rows
from crake.plans.assignment import NEVER, Assignment
from crake.table.schema import Label


@dataclass(frozen=True)
class CrossValidation:
    """Shuffle the rows within each class, then deal them to the folds like cards, class after class.

    So the sizes of the folds differ by at most 1, and so do the rows of each class in them. With
    `stratified=False` all rows are shuffled together and only the sizes are even. `repeats` deals them out anew,
    repeat r (from 1) with the seed + r − 1.

    >>> plan = CrossValidation(3, random_state=7)
    >>> plan.describe()
    'stratified 3-fold cross-validation, seed 7'
    >>> assignment = plan.assign([0, 0, 0, 1, 1, 1, 1], ["no", "yes"])
    >>> [len(test) for _, test in assignment.splits()]
    [3, 2, 2]
    """

    folds: int = 10
    _: KW_ONLY
    repeats: int = 1
    stratified: bool = True
    random_state: int = 1

    def __post_init__(self) -> None:
        rows.whole_number(self.folds, "folds", 2)
        rows.whole_number(self.repeats, "repeats", 1)
        rows.whole_number(self.random_state, "random_state", 0)

    def rounds(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Iterator[Assignment]:
        """Yield one assignment per repeat."""
        for repeat in range(self.repeats):
            once = replace(self, repeats=1, random_state=self.random_state + repeat)
            yield replace(once.assign(target_codes, classes), of=self.repeats)

    def assign(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Assignment:
        """Give every row of known class the fold in which it is tested: the first repeat."""
        codes = rows.target(target_codes, classes)
        order = rows.shuffled(codes, self.random_state, by_class=self.stratified)
        folds = min(self.folds, len(order))
        fold = np.full(len(codes), NEVER, dtype=np.int32)
        fold[order] = np.arange(len(order)) % folds
        return rows.assignment(fold, folds, codes, classes, self._notes(codes, len(order), classes))

    def describe(self) -> str:
        """Return the plan in words."""
        kind = "stratified " if self.stratified else ""
        times = "" if self.repeats == 1 else f", repeated {self.repeats} times"
        return f"{kind}{self.folds}-fold cross-validation{times}, seed {self.random_state}"

    def _notes(self, codes: NDArray[np.intp], known: int, classes: Sequence[Label]) -> list[str]:
        if known < self.folds:
            return [f"{self.folds} folds asked for, {known} rows with a known class: {known} folds, one row each"]
        counts = np.bincount(codes[codes >= 0], minlength=len(classes))
        few = np.flatnonzero((counts > 1) & (counts < self.folds))
        if len(few) == 0:
            return []
        who = "class" if len(few) == 1 else "classes"
        verb = "has" if len(few) == 1 else "have"
        return [f"{who} {rows.named(few, classes)} {verb} fewer rows than the {self.folds} folds: some test none"]
