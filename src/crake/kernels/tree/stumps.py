"""The best single split on one column: a cut of its numbers, or one of its values against the others.

Cells are added one after the other, branch by branch, so that equal splits of two columns come out equal.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats, Ints
from crake.kernels import kernel
from crake.kernels.tree.arrays import Classes
from crake.kernels.tree.impurity import impurity, term

NO_LOGS = np.zeros(0)
BLOCK = 128
"""Rows of a sorted list that are looked at one by one only where one of their cuts may be the best."""
ROUNDING = 1e-9
"""The share of the weight that the corners of a block may be off by rounding, and much more."""


@kernel
def branch_impurity(counts: Floats, criterion: int) -> float:
    """Return weight × impurity of one branch."""
    weight, terms = 0.0, 0.0
    for k in range(counts.shape[0]):
        weight += counts[k]
        terms += term(counts[k], criterion, NO_LOGS)
    return impurity(weight, terms, criterion, NO_LOGS)


@kernel
def _impurity_of_two(first: float, second: float, criterion: int) -> float:
    """Return weight × impurity of one branch with two classes."""
    return impurity(
        first + second, term(first, criterion, NO_LOGS) + term(second, criterion, NO_LOGS), criterion, NO_LOGS
    )


@kernel
def _impurity_of_four(left_0: float, left_1: float, right_0: float, right_1: float, criterion: int) -> float:
    """Return weight × impurity of two branches with two classes."""
    return _impurity_of_two(left_0, left_1, criterion) + _impurity_of_two(right_0, right_1, criterion)


@kernel
def best_cut_of_two(
    order: Ints, rank: Ints, known: int, signed: Floats, whole: Floats, criterion: int
) -> tuple[float, int]:
    """Return the same as `best_cut` for two classes; `signed` are the weights of the rows, negative for class 0.

    The impurity of the two branches is concave in the class weights of the left one. Within a block of rows these lie
    between four corners: none or all of the block's weight of either class. A block whose corners are all worse than
    some cut has no better one. So a first pass adds up the blocks, and a second one looks at the rows of a few.
    """
    blocks = (known + BLOCK - 2) // BLOCK
    edges = np.empty((blocks + 1, 4))
    left_0, left_1, right_0, right_1 = 0.0, 0.0, whole[0], whole[1]
    reached = np.inf
    for block in range(blocks + 1):
        edge = edges[block]
        edge[0], edge[1], edge[2], edge[3] = left_0, left_1, right_0, right_1
        begin, end = block * BLOCK, min(block * BLOCK + BLOCK, known - 1)
        for i in range(begin, end):
            w = signed[np.uint32(order[i])]  # an index that might be negative is asked about at every use
            w_0, w_1 = max(-w, 0.0), max(w, 0.0)
            left_0 += w_0
            right_0 -= w_0
            left_1 += w_1
            right_1 -= w_1
        if begin < end and rank[end] != rank[end - 1]:
            reached = min(reached, _impurity_of_four(left_0, left_1, right_0, right_1, criterion))
    best, at, slack = np.inf, -1, ROUNDING * (whole[0] + whole[1])
    for block in range(blocks):
        least = np.inf
        for corner in range(4):
            of_0, of_1 = edges[block + corner % 2], edges[block + corner // 2]
            least = min(least, _impurity_of_four(of_0[0], of_1[1], of_0[2], of_1[3], criterion))
        if least - slack > min(best, reached):
            continue
        edge = edges[block]
        left_0, left_1, right_0, right_1 = edge[0], edge[1], edge[2], edge[3]
        for i in range(block * BLOCK, min(block * BLOCK + BLOCK, known - 1)):
            w = signed[np.uint32(order[i])]
            w_0, w_1 = max(-w, 0.0), max(w, 0.0)
            left_0 += w_0
            right_0 -= w_0
            left_1 += w_1
            right_1 -= w_1
            if rank[i + 1] == rank[i]:
                continue
            after = _impurity_of_four(left_0, left_1, right_0, right_1, criterion)
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


@kernel
def count_sides(
    values: Floats, column: int, threshold: float, target: Classes, weights: Floats, counts: Floats
) -> None:
    """Add the weight of every row to counts[node, class] of the root, 0, and its side: 1 up to the threshold, or 2."""
    for row in range(values.shape[0]):
        side = 2 if values[row, column] > threshold else 1
        counts[0, target[row]] += weights[row]
        counts[side, target[row]] += weights[row]
