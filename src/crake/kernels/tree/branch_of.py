"""The branch that a row takes at a node. All compiled code asks here; `learners.tree.conditions` says it in Python.

1. The node's own column decides, if the row has a value: `branch_of`.
2. Otherwise the first surrogate whose column the row has a value of: `surrogate_branch`.
3. Otherwise the branch of missing values, `missing`. If that is −1, the row goes down all branches by their shares.

These run once per row and node, so they take plain arrays: taking an array out of a bundle counts its references, which
in an inner loop costs more than the work.
"""

from __future__ import annotations

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.inlined import inlined
from crake.kernels.tree.arrays import INTERVALS, MULTIWAY, ONE_VALUE, THRESHOLD


@kernel
def branch_of(
    kind: int, threshold: float, value: int, branches: int, groups: Ints, cuts: Floats, x: float, code: int
) -> int:
    """Return the branch of a number x (whose code is 0), or of a code (whose x is 0).

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


@inlined
def surrogate_branch(
    begin: int, end: int, feature: Ints, threshold: Floats, value: Longs, turned: Flags, groups: Ints, row: int,
    values: Floats, codes: Ints, down: int, across: int, is_numeric: Flags, place: Ints,
) -> int:  # fmt: skip
    """Return the branch by the first of the surrogates begin … end whose value the row has; −1 if it has none."""
    branch = -1
    for k in range(begin, end):
        j = place[feature[k]]
        if is_numeric[feature[k]]:
            x = values[row, j]
            if x == x:
                branch = int((x <= threshold[k]) == turned[k])
                break
        else:
            code = codes[row * down + j * across]
            if code >= 0:
                branch = int(groups[value[k] + code])
                break
    return branch
