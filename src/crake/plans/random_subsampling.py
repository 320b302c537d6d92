"""Random subsampling: the holdout, drawn anew several times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace

from numpy.typing import ArrayLike

from crake.plans import dealing as rows
from crake.plans.assignment import Assignment
from crake.plans.holdout import Holdout
from crake.table.schema import Label


@dataclass(frozen=True)
class RandomSubsampling:
    """`repeats` holdouts, each learning from the share `train` of the rows.

    Repeat r (from 1) is drawn with the seed + r − 1.

    >>> plan = RandomSubsampling(5, train=0.8)
    >>> plan.describe()
    'stratified random subsampling, 5 times 80 % to learn from, seed 1'
    >>> len(list(plan.rounds([0, 0, 0, 1, 1, 1], ["no", "yes"])))
    5
    """

    repeats: int = 10
    _: KW_ONLY
    train: float = 2 / 3
    stratified: bool = True
    random_state: int = 1

    def __post_init__(self) -> None:
        rows.whole_number(self.repeats, "repeats", 1)
        self._holdout(0)

    def rounds(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Iterator[Assignment]:
        """Yield the holdouts."""
        for repeat in range(self.repeats):
            yield replace(self._holdout(repeat).assign(target_codes, classes), of=self.repeats)

    def describe(self) -> str:
        """Return the plan in words."""
        kind = "stratified random subsampling" if self.stratified else "random subsampling"
        return f"{kind}, {self.repeats} times {100 * self.train:.3g} % to learn from, seed {self.random_state}"

    def _holdout(self, repeat: int) -> Holdout:
        return Holdout(self.train, stratified=self.stratified, random_state=self.random_state + repeat)
