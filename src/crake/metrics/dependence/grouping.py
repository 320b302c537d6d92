"""Groups of a column's rows: its values, or intervals of equally many rows for numbers; missing is a group."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Floats

MOST_INTERVALS = 10
Groups = NDArray[np.intp]


def number_groups(x: Floats, weights: Floats | None = None) -> Groups:
    """Return the interval of each number, missing ones in a group after the last; equal numbers stay together.

    n known numbers are cut into √(n/2) intervals, 2 to 10. Few distinct numbers are a group each. A row of weight k
    counts as k rows.

    >>> number_groups(np.array([5.0, 1.0, np.nan, 2.0, 9.0])).tolist()
    [1, 0, 2, 0, 1]
    """
    missing = np.isnan(x)
    value, place, count = np.unique(x[~missing], return_inverse=True, return_counts=True)
    groups = np.empty(len(x), np.intp)
    if weights is not None:
        count = np.bincount(place, weights[~missing], minlength=len(value))
    total = float(count.sum())
    intervals = interval_count(int(total))
    if len(value) <= intervals:
        groups[~missing], groups[missing] = place, len(value)
        return groups
    # The middle row of each value says in which of the equal parts of all rows the value lies.
    middle = np.cumsum(count) - count / 2
    of_value = np.minimum((middle * intervals / total).astype(np.intp), intervals - 1)
    groups[~missing], groups[missing] = of_value[place], intervals
    return groups


def interval_count(rows: int) -> int:
    """Return the number of intervals for this many known numbers.

    >>> [interval_count(rows) for rows in (14, 50, 120, 200, 1000)]
    [2, 5, 7, 10, 10]
    """
    return min(MOST_INTERVALS, max(2, math.isqrt(rows // 2)))


def name_groups(codes: Codes, levels: int) -> Groups:
    """Return the level of each row, missing ones in a group after the last.

    >>> name_groups(np.array([0, -1, 1], np.int32), 2).tolist()
    [0, 2, 1]
    """
    return np.where(codes >= 0, codes, levels).astype(np.intp)


def cross_table(groups: Groups, classes: Groups, number_of_classes: int, weights: Floats | None = None) -> Floats:
    """Return the rows of each group and class, or their weights.

    >>> cross_table(np.array([0, 1, 1]), np.array([0, 0, 1]), 2)
    array([[1., 0.],
           [1., 1.]])
    """
    number_of_groups = int(groups.max(initial=-1)) + 1
    cells = groups * number_of_classes + classes
    counts = np.bincount(cells, weights, minlength=number_of_groups * number_of_classes)
    return counts.reshape(number_of_groups, number_of_classes).astype(np.float64)
