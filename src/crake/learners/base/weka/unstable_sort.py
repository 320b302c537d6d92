"""WEKA's sort of numbers, in which equal numbers may change places: their order decides which fold a row falls into."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crake.arrays import Floats, Rows


def unstable_order(keys: Floats) -> Rows:
    """Return the places in ascending order of their keys; missing ones come last.

    >>> unstable_order(np.array([1.0, 1, 1, 1, 1, 1, 1])).tolist()
    [0, 4, 5, 3, 1, 2, 6]
    """
    order = list(range(len(keys)))
    sort_unstably(order, np.where(np.isnan(keys), np.inf, keys).tolist())
    return np.array(order, np.intp)


def sort_unstably(order: list[int], keys: Sequence[float]) -> None:
    """Sort places by their keys: part by part, with the median of the first, middle and last as the pivot."""
    parts = [(0, len(order) - 1)]
    while parts:
        left, right = parts.pop()
        size = right - left + 1
        if size < 2:
            continue
        middle = (left + right) // 2
        for low, high in ((left, right),) if size == 2 else ((left, middle), (left, right), (middle, right)):
            if keys[order[low]] > keys[order[high]]:
                order[low], order[high] = order[high], order[low]
        if size <= 3:
            continue
        order[middle], order[right - 1] = order[right - 1], order[middle]
        pivot, up, down = keys[order[right - 1]], left + 1, right - 2
        while True:
            while keys[order[up]] < pivot:
                up += 1
            while keys[order[down]] > pivot:
                down -= 1
            if up >= down:
                break
            order[up], order[down] = order[down], order[up]
            up, down = up + 1, down - 1
        order[up], order[right - 1] = order[right - 1], order[up]
        parts += [(left, up - 1), (up + 1, right)]
