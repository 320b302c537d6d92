"""Columns drawn for a node by a number of its own, so that they do not depend on the order in which nodes are split.

The number of a child is mixed from its parent's and its branch. Draw d of a node swaps the columns at the places d and
d + (mixed number) mod (columns − d): the first draws of a shuffle by Fisher and Yates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel

Numbers = NDArray[np.uint64]

STEP = 0x9E3779B97F4A7C15
"""2^64 divided by the golden ratio: the numbers of successive draws are this far apart before they are mixed."""


@kernel
def mixed(number: Any) -> Any:
    """Return 64 bits each of which depends on all bits of the number (the finalizer of SplitMix64)."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


def root_numbers(seeds: Sequence[int]) -> Numbers:
    """Return the number of the root of each tree."""
    return _mixed_numbers(np.array(seeds, np.uint64))


def child_numbers(parents: Numbers, branches: NDArray[np.int64]) -> Numbers:
    """Return the numbers of all children; branches[i] is the number of children of the i-th parent.

    >>> child_numbers(root_numbers([1]), np.array([2])).tolist()
    [15690285813532428630, 17235469408947973867]
    """
    first = np.repeat(np.cumsum(branches) - branches, branches)
    branch = (np.arange(len(first)) - first).astype(np.uint64)
    return _mixed_numbers(np.repeat(parents, branches) + branch + np.uint64(1))


def shuffled_columns(numbers: Numbers, columns: int) -> NDArray[np.int32]:
    """Return the columns in the order drawn for each node, shape (columns, nodes).

    >>> shuffled_columns(root_numbers([1]), 5).ravel().tolist()
    [0, 4, 3, 2, 1]
    """
    nodes = np.arange(len(numbers))
    drawn = np.repeat(np.arange(columns, dtype=np.int32)[:, None], len(numbers), axis=1)
    for d in range(columns - 1):
        place = _mixed_numbers(numbers + np.uint64(STEP * (d + 1) % 2**64)) % np.uint64(columns - d)
        other = d + place.astype(np.intp)
        drawn[d], drawn[other, nodes] = drawn[other, nodes], drawn[d].copy()
    return drawn


def _mixed_numbers(numbers: Numbers) -> Numbers:
    result: Numbers = mixed.py_func(numbers)  # type: ignore[attr-defined]  # the same arithmetic on arrays
    return result
