"""What a node of a tree asks: the branch of a value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel
from crake.kernels.tree.partition import INTERVALS, MULTIWAY, ONE_VALUE, THRESHOLD


@kernel
def branch_of(
    kind: int,
    threshold: float,
    value: int,
    branches: int,
    groups: NDArray[np.int32],
    cuts: NDArray[np.float64],
    x: float,
    code: int,
) -> int:
    """The branch of a number x (whose code is 0), or of a code (whose x is 0).

    −1: the value is missing, or a level that is in no group, which counts as missing.
    """
    if x != x or code < 0:
        return -1
    if kind == THRESHOLD:
        return 0 if x <= threshold else 1
    if kind == MULTIWAY:
        return code
    if kind == ONE_VALUE:
        return 0 if code == value else 1
    if kind == INTERVALS:
        low, high = 0, branches - 1
        while low < high:
            middle = (low + high) // 2
            if x <= cuts[value + middle]:
                high = middle
            else:
                low = middle + 1
        return low
    return int(groups[value + code])
