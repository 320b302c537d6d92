"""Weight, mean and centred sum of squares of each numeric column by class. Merged, never subtracted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crake.kernels.moments import add_moments, merge_moments
from crake.statistics.levels import Levels, positions, union
from crake.table.schema import Column

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """`moments` has shape (3, groups, classes, columns): weight n, mean, centred sum of squares.

    Column j is held divided by 2^exponent[j]: 0 but for values whose squares would overflow or vanish.
    """

    columns: tuple[Column, ...]
    classes: Levels
    moments: Floats
    exponent: NDArray[np.int32]

    @classmethod
    def empty(cls, columns: tuple[Column, ...], classes: Levels = (), groups: int = 1) -> ClassMoments:
        """No rows."""
        return cls(
            columns,
            classes,
            np.zeros((3, groups, len(classes), len(columns))),
            np.zeros(len(columns), np.int32),
        )

    def add(self, values: Floats, target: NDArray[np.int32], group: NDArray[np.int32], weights: Floats) -> ClassMoments:
        """Merge these rows in, in place; the first of them must be the first of a block of rows."""
        if self.columns:
            add_moments(values, target, group, weights, len(self.classes), _flat(self.moments), self.exponent)
        return self

    @property
    def weight(self) -> Floats:
        """Known weight (groups, classes, columns)."""
        weight: Floats = self.moments[0]
        return weight

    def merge(self, other: ClassMoments) -> ClassMoments:
        """The moments of both sets of rows, aligned by class."""
        classes = union(self.classes, other.classes)
        return _merged(self._spread(classes), other._spread(classes))

    def total(self) -> ClassMoments:
        """All groups together."""
        return self._joined(range(self.moments.shape[1]))

    def select(self, group: int) -> ClassMoments:
        """One group alone."""
        return replace(self, moments=self.moments[:, group : group + 1].copy(), exponent=self.exponent.copy())

    def without(self, group: int) -> ClassMoments:
        """All groups but one: what comes before it merged with what comes after it."""
        return self._joined(g for g in range(self.moments.shape[1]) if g != group)

    def _joined(self, groups: Iterable[int]) -> ClassMoments:
        joined = ClassMoments.empty(self.columns, self.classes)
        for group in groups:
            joined = _merged(joined, self.select(group))
        return joined

    def _spread(self, classes: Levels) -> ClassMoments:
        wide = ClassMoments.empty(self.columns, classes, self.moments.shape[1])
        wide.moments[:, :, positions(self.classes, classes)] = self.moments
        wide.exponent[:] = self.exponent
        return wide


def _merged(one: ClassMoments, other: ClassMoments) -> ClassMoments:
    """Merge the other into copies of the first's arrays."""
    moments, exponent = one.moments.copy(), one.exponent.copy()
    if one.columns:
        merge_moments(_flat(moments), exponent, _flat(np.ascontiguousarray(other.moments)), other.exponent)
    return replace(one, moments=moments, exponent=exponent)


def _flat(moments: Floats) -> Floats:
    """Groups and classes as one axis, the view kernels work on."""
    return moments.reshape(3, -1, moments.shape[-1])
