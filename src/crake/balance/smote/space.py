"""The space in which SMOTE looks for neighbours: numbers as they are, names apart by the median spread of numbers."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from crake.arrays import Codes, Floats, Rows
from crake.balance.cells import Cells


@dataclass(frozen=True, eq=False)
class Points:
    """Rows in the space: `values` (rows, numbers) without gaps, and `names` (rows, names), 0 where missing."""

    values: Floats
    names: Codes

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: Rows) -> Points:
        """Return the points at these places."""
        return Points(self.values.take(rows, axis=0), self.names.take(rows, axis=0))

    def part(self, rows: slice) -> Points:
        """Return consecutive points in place."""
        return Points(self.values[rows], self.names[rows])


@dataclass(frozen=True, eq=False)
class Space:
    """Squared distances of rows: Σ (x − x′)² over the numbers + `apart` × the names that differ.

    `apart` is the square of the median, over the numbers, of the standard deviation within the class; 1 if there is no
    number that varies. A missing number lies at the mean of the class; missing is a name of its own. All numbers are
    shifted by the mean and divided by one `unit`, which changes no order of distances and keeps their digits.

    Chawla, Bowyer, Hall and Kegelmeyer (2002), SMOTE: synthetic minority over-sampling technique, section 6.1.
    """

    shift: Floats
    unit: float
    apart: float

    @classmethod
    def of(cls, cells: Cells) -> Space:
        """Return the space of the rows of a class.

        >>> Space.of(Cells(np.array([[1.0, 10], [3.0, 10], [np.nan, 16]]), np.zeros((3, 1), np.int32))).shift
        array([ 2., 12.])
        """
        largest = np.fmax.reduce(np.abs(cells.values), axis=None, initial=0.0)
        unit = float(largest) if largest > 0 else 1.0
        scaled = cells.values / unit
        known = np.isfinite(scaled)
        count = np.maximum(known.sum(axis=0), 1)
        mean = np.where(known, scaled, 0.0).sum(axis=0) / count
        spread = np.sqrt(np.square(np.where(known, scaled - mean, 0.0)).sum(axis=0) / count)
        varying = spread[spread > 0]
        usual = spread[known.any(axis=0)]
        middle = float(np.median(usual)) if len(usual) else 0.0
        if middle == 0 and len(varying):
            middle = float(np.median(varying))
        return cls(mean * unit, unit, middle**2 if middle > 0 else 1.0)

    def placed(self, cells: Cells) -> Points:
        """Return rows as points of the space."""
        values = cells.values / self.unit - self.shift / self.unit
        if np.isnan(values).any():
            np.copyto(values, 0.0, where=np.isnan(values))
        return Points(values, cells.codes + 1)

    def squared(self, one: Points, others: Points) -> Floats:
        """Return the squared distances (rows of one, rows of the others) less |x|², which all others share."""
        d: Floats = np.square(others.values).sum(axis=1) - 2 * (one.values @ others.values.T)
        if one.names.shape[1]:
            differing = np.zeros(d.shape, np.int32)
            for j in range(one.names.shape[1]):
                differing += one.names[:, j, None] != others.names[None, :, j]
            d += self.apart * differing
        return d


Found = tuple[Floats, Rows]
"""Distances and row numbers of the nearest rows, one line per query, nearest first."""


def merged(lists: Iterable[Found], keep: int) -> Found:
    """Return the `keep` nearest rows of each query from the lists of several parts of the rows; ties by part.

    >>> first = np.array([[0.0, 2.0]]), np.array([[5, 7]])
    >>> second = np.array([[1.0, 2.0]]), np.array([[12, 15]])
    >>> merged([first, second], 3)[1].tolist()
    [[5, 12, 7]]
    """

    def nearer(one: Found, two: Found) -> Found:
        return sorted_list(np.hstack([one[0], two[0]]), np.hstack([one[1], two[1]]), keep)

    return functools.reduce(nearer, lists)


def sorted_list(distance: Floats, rows: Rows, keep: int) -> Found:
    """Return the nearest rows of lists without order."""
    order = np.argsort(distance, axis=1, kind="stable")[:, :keep]
    return np.take_along_axis(distance, order, axis=1), np.take_along_axis(rows, order, axis=1)


def parts_of(length: int, size: int) -> Iterator[slice]:
    """Yield consecutive parts of 0 … length.

    >>> list(parts_of(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    for start in range(0, length, size):
        yield slice(start, min(start + size, length))
