"""Weight, mean and centred sum of squares of each numeric column by class. Merged, never subtracted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crake.kernels.statistics.moments import SCALE, add_moments, merge_moments
from crake.statistics.levels import Levels, positions, union
from crake.table.schema import Column

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """`moments` has shape (4, groups, classes, columns): weight n, mean, centred sum of squares, rest of the mean.

    The rest is what rounding took from the mean: mean + rest is the mean to twice the digits.
    Each cell is held divided by 2^exponent (groups, classes, columns): 0 but for values whose squares would overflow
    or vanish.
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
            np.zeros((4, groups, len(classes), len(columns))),
            np.zeros((groups, len(classes), len(columns)), np.int32),
        )

    def add(self, values: Floats, target: NDArray[np.int32], group: NDArray[np.int32], weights: Floats) -> ClassMoments:
        """Merge these rows in, in place; the first of them must be the first of a block of rows."""
        if self.columns:
            flat, exponent = _flat(self.moments, self.exponent)
            add_moments(values, target, group, weights, len(self.classes), flat, exponent)
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
        one = slice(group, group + 1)
        return replace(self, moments=self.moments[:, one].copy(), exponent=self.exponent[one].copy())

    def in_one_unit(self) -> tuple[Floats, NDArray[np.int32]]:
        """The moments with one exponent a column for all groups and classes, and those exponents."""
        exponent = np.where(self._nonzero, self.exponent, np.iinfo(np.int32).min).max(axis=(0, 1), initial=-SCALE)
        exponent = np.where(self._nonzero.any(axis=(0, 1)), exponent, 0).astype(np.int32)
        moved = np.where(self._nonzero, self.exponent - exponent, 0)
        n, mean, squares, rest = self.moments
        return np.stack([n, np.ldexp(mean, moved), np.ldexp(squares, 2 * moved), np.ldexp(rest, moved)]), exponent

    @property
    def _nonzero(self) -> NDArray[np.bool_]:
        nonzero: NDArray[np.bool_] = (self.moments[1] != 0) | (self.moments[2] != 0)
        return nonzero

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
        places = positions(self.classes, classes)
        wide.moments[:, :, places] = self.moments
        wide.exponent[:, places] = self.exponent
        return wide


def _merged(one: ClassMoments, other: ClassMoments) -> ClassMoments:
    """Merge the other into copies of the first's arrays."""
    moments, exponent = one.moments.copy(), one.exponent.copy()
    if one.columns:
        merge_moments(*_flat(moments, exponent), *_flat(other.moments, other.exponent))
    return replace(one, moments=moments, exponent=exponent)


def _flat(moments: Floats, exponent: NDArray[np.int32]) -> tuple[Floats, NDArray[np.int32]]:
    """Groups and classes as one axis, the views kernels work on."""
    columns = moments.shape[-1]
    return np.ascontiguousarray(moments).reshape(4, -1, columns), np.ascontiguousarray(exponent).reshape(-1, columns)
