"""The branch that a row takes at a node. All compiled code asks here; `learners.tree.conditions` says it in Python.

1. The node's own column decides, if the row has a value: `number_branch`, `code_branch`.
2. Otherwise the first surrogate whose column the row has a value of: `surrogate_branch`.
3. Otherwise the branch of missing values, `missing`. If that is −1, the row goes down all branches by their shares.

These run once per row and node, so they are part of their callers: handing over bundles would cost more than the work.
"""

from __future__ import annotations

from crake.arrays import Floats, Ints
from crake.kernels.inlined import inlined
from crake.kernels.tree.arrays import MULTIWAY, ONE_VALUE, THRESHOLD, RowArrays, SurrogateArrays, TreeArrays


@inlined
def number_branch(kind: int, threshold: float, value: int, branches: int, cuts: Floats, x: float) -> int:
    """Return the branch of a number; −1 if it is missing."""
    if x != x:
        return -1
    if kind == THRESHOLD:
        return 0 if x <= threshold else 1
    low, high = 0, branches - 1
    while low < high:
        middle = (low + high) // 2
        if x <= cuts[value + middle]:
            high = middle
        else:
            low = middle + 1
    return low


@inlined
def code_branch(kind: int, value: int, groups: Ints, code: int) -> int:
    """Return the branch of a level; −1 if it is missing or in no group, which counts as missing."""
    if code < 0:
        return -1
    if kind == MULTIWAY:
        return code
    if kind == ONE_VALUE:
        return 0 if code == value else 1
    return int(groups[value + code])


@inlined
def known_branch(tree: TreeArrays, rows: RowArrays, node: int, row: int) -> int:
    """Return the branch by the node's own column; −1 if the row has no value there that the node knows."""
    feature = tree.feature[node]
    place = rows.place[feature]
    kind, value = tree.kind[node], tree.value[node]
    if rows.is_numeric[feature]:
        x = rows.values[row, place]
        return number_branch(kind, tree.threshold[node], value, tree.branches[node], tree.cuts, x)
    return code_branch(kind, value, tree.groups, rows.codes[row * rows.down + place * rows.across])


@inlined
def surrogate_branch(tree: TreeArrays, surrogates: SurrogateArrays, rows: RowArrays, node: int, row: int) -> int:
    """Return the branch by the first surrogate whose value the row has; −1 if it has none."""
    for k in range(surrogates.edges[node], surrogates.edges[node + 1]):
        feature = surrogates.feature[k]
        if rows.is_numeric[feature]:
            x = rows.values[row, rows.place[feature]]
            if x == x:
                return int((x <= surrogates.threshold[k]) == surrogates.turned[k])
        else:
            code = rows.codes[row * rows.down + rows.place[feature] * rows.across]
            if code >= 0:
                return int(tree.groups[surrogates.value[k] + code])
    return -1
