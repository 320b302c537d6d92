"""The branch that a row takes at a node. All compiled code asks here; `learners.tree.conditions` says it in Python.

1. The node's own column decides, if the row has a value: `branch_of`.
2. Otherwise the first surrogate whose column the row has a value of: `surrogate_branch`.
3. Otherwise the branch of missing values, `missing`. If that is −1, the row goes down all branches by their shares.

These run once per row and node and are kernels of their own. Made part of its caller (`inlined`), a helper counts the
references of the arrays that it is handed, at every call: rows that go by surrogates would take a quarter longer.
"""

from __future__ import annotations

from crake.arrays import Floats, Ints
from crake.kernels import kernel
from crake.kernels.tree.arrays import INTERVALS, MULTIWAY, ONE_VALUE, THRESHOLD, RowArrays, SurrogateArrays


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


@kernel
def surrogate_branch(
    begin: int, end: int, surrogates: SurrogateArrays, groups: Ints, cells: RowArrays, row: int
) -> int:
    """Return the branch by the first of the surrogates begin … end whose value the row has; −1 if it has none."""
    for k in range(begin, end):
        j = cells.place[surrogates.feature[k]]
        if cells.is_numeric[surrogates.feature[k]]:
            x = cells.values[row, j]
            if x == x:
                return int((x <= surrogates.threshold[k]) == surrogates.turned[k])
        else:
            code = cells.codes[row * cells.down + j * cells.across]
            if code >= 0:
                return int(groups[surrogates.value[k] + code])
    return -1
