"""A condition of a rule: a name is a level, or a number lies on one side of a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.kernels.rules.arrays import ABOVE, AT_LEAST, AT_MOST, EQUAL
from crake.learners.tree.number_text import threshold_text
from crake.render.plain_text import visible
from crake.table.notation import value_text
from crake.table.schema import Column

SIGNS = {EQUAL: "=", AT_MOST: "<=", ABOVE: ">", AT_LEAST: ">="}


class Question(NamedTuple):
    """A condition by the number of its feature: `level` for a name, `threshold` for a number.

    `share` is the part of a row that satisfies it where the value is missing or new.
    """

    feature: int
    kind: int
    threshold: float = nan
    level: int = -1
    share: float = 0.0


@dataclass(frozen=True)
class Condition:
    """A condition that can be shown: one column, =, <=, > or >=, and a level or a threshold."""

    column: Column
    kind: int
    threshold: float
    level: int
    share: float

    @property
    def sign(self) -> str:
        """Return =, <=, > or >=."""
        return SIGNS[self.kind]

    @property
    def value(self) -> str:
        """Return the level or the threshold as text."""
        if self.kind == EQUAL:
            return visible(self.column.levels[self.level])
        return value_text(self.column, self.threshold, threshold_text(self.threshold))

    def __str__(self) -> str:
        return f"{visible(self.column.name)} {self.sign} {self.value}"

    def holds(self, cells: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which cells satisfy it; a missing or new one does not."""
        if self.kind == EQUAL:
            is_level: NDArray[np.bool_] = cells == self.level
            return is_level
        compare = {AT_MOST: np.less_equal, ABOVE: np.greater, AT_LEAST: np.greater_equal}[self.kind]
        is_met: NDArray[np.bool_] = compare(cells, self.threshold)
        return is_met
