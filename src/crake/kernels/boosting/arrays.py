"""Bundles of arrays that the kernels of boosting take, and the places of bins."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Ints, Longs

Bins = NDArray[np.uint8]
"""A bin of each value: of a number the interval, of a name the level, MISSING for a missing value."""
BINS, MISSING = 256, 255
"""The bins of a column, of which the last is that of missing values."""


class Features(NamedTuple):
    """The columns: how many bins of values each has, whether they are names, and a direction to keep (−1, 0, 1)."""

    bins: Ints
    is_nominal: Flags
    direction: Ints


class Rules(NamedTuple):
    """The splits that count: units of the packed sums, the least hessian of a side, and how far sums are drawn to 0.

    A sum of packed gradients times `gradient_unit` is the sum of the gradients. A level counts as if `smoothing` more
    rows had the gradient of the whole node, and a split of levels has that much more to divide by. The levels of a node
    must differ by more than `chance` each, see `differ_by_chance`; 0: by anything.
    """

    gradient_unit: float
    hessian_unit: float
    least_hessian: float
    l2: float
    smoothing: float
    chance: float


class TreesArrays(NamedTuple):
    """Trees one after the other: node i is a leaf, or its children are first[i] and first[i] + 1.

    kind THRESHOLD: child 0 if value ≤ threshold. SUBSET: child groups[value + level], −1 as if missing. `missing` is
    the child of missing values. `answer` is what a leaf adds.
    """

    kind: Ints
    feature: Ints
    threshold: Floats
    value: Longs
    missing: Ints
    groups: Ints
    first: Longs
    answer: Floats
