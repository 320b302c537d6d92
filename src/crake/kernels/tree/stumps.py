"""The best single split on one column: a cut of its numbers, or one of its values against the others.

Cells are added one after the other, branch by branch, so that equal splits of two columns come out equal.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats, Ints
from crake.kernels import kernel
from crake.kernels.tree.impurity import impurity, term

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
def best_cut(
    order: Ints, rank: Ints, known: int, target: Ints, weights: Floats, whole: Floats, criterion: int
) -> tuple[float, int]:
    """Return weight × impurity after the best cut, and the place in the list of the last row below it (−1: no cut).

    `whole` holds the class weights of the known rows. Ties go to the lowest cut.
    """
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
