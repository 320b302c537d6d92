"""The best single split on one column: a cut of its numbers, or one of its values against the others.

Cells are added one after the other, branch by branch, so that equal splits of two columns come out equal.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats, Ints
from crake.kernels import kernel
from crake.kernels.tree.impurity import GINI, impurity, term

NO_LOGS = np.zeros(0)


@kernel
def branch_impurity(counts: Floats, criterion: int) -> float:
    """Return weight × impurity of one branch."""
    weight, terms = 0.0, 0.0
    for k in range(counts.shape[0]):
        weight += counts[k]
        terms += term(counts[k], criterion, NO_LOGS)
    return impurity(weight, terms, criterion, NO_LOGS)


@kernel
def _best_cut_of_two(
    order: Ints, rank: Ints, known: int, target: Ints, weights: Floats, whole: Floats
) -> tuple[float, int]:
    """Return the same as `best_cut` by Gini, with the sums of two classes kept apart from memory."""
    left_0, left_1, right_0, right_1 = 0.0, 0.0, whole[0], whole[1]
    best, at = np.inf, -1
    for i in range(known - 1):
        row = np.uint32(order[i])  # an index that might be negative is asked about at every use
        w = weights[row]
        if target[row] == 0:
            left_0 += w
            right_0 -= w
        else:
            left_1 += w
            right_1 -= w
        if rank[i + 1] == rank[i]:
            continue
        left, right = left_0 + left_1, right_0 + right_1
        after = left - (left_0 * left_0 + left_1 * left_1) / left if left > 0.0 else 0.0
        after += right - (right_0 * right_0 + right_1 * right_1) / right if right > 0.0 else 0.0
        if after < best:
            best, at = after, i
    return best, at


@kernel
def best_cut(
    order: Ints, rank: Ints, known: int, target: Ints, weights: Floats, whole: Floats, criterion: int
) -> tuple[float, int]:
    """Return weight × impurity after the best cut, and the place in the list of the last row below it (−1: no cut).

    `whole` holds the class weights of the known rows. Ties go to the lowest cut.
    """
    if len(whole) == 2 and criterion == GINI:
        return _best_cut_of_two(order, rank, known, target, weights, whole)
    left, right = np.zeros(len(whole)), whole.copy()
    best, at = np.inf, -1
    for i in range(known - 1):
        row = order[i]
        left[target[row]] += weights[row]
        right[target[row]] -= weights[row]
        if rank[i + 1] == rank[i]:
            continue
        after = branch_impurity(left, criterion) + branch_impurity(right, criterion)
        if after < best:
            best, at = after, i
    return best, at


@kernel
def best_value(table: Floats, whole: Floats, criterion: int) -> tuple[float, int]:
    """Return weight × impurity after the best split of one value against the others, and the value (−1: there is none).

    `table` has shape (values, classes). Ties go to the first value.
    """
    best, at = np.inf, -1
    for v in range(table.shape[0]):
        after = branch_impurity(table[v], criterion) + branch_impurity(whole - table[v], criterion)
        if after < best:
            best, at = after, v
    return best, at
