"""Rows sent through a branch beside their own: what its leaves would have if the branch took the place of its parent.

Pessimistic pruning weighs the largest branch of a node as if it had all rows of the node. One pass over all rows counts
the classes that come from its siblings, for many nodes at once.
"""

from __future__ import annotations

from typing import NamedTuple

from crake.arrays import Flags, Floats, Longs
from crake.kernels import kernel
from crake.kernels.tree.arrays import LEAF, Classes, RowArrays, TreeArrays
from crake.kernels.tree.branch_of import branch_of
from crake.kernels.tree.pruning.pessimistic_errors import leaf_errors
from crake.kernels.tree.scanned.intervals import Counts


class Branches(NamedTuple):
    """The branch of each node that is weighed: its node, or −1.

    The leaves of a subtree are numbered side by side: first_leaf … first_leaf + leaves − 1. Those of the branch of node
    v are counted from line base[v] on. `is_passed`: a branch is weighed at the node or below.
    """

    largest: Longs
    base: Longs
    first_leaf: Longs
    leaves: Longs
    is_passed: Flags


@kernel
def number_leaves(tree: TreeArrays, first_leaf: Longs, leaves: Longs) -> None:
    """Number the leaves from left to right; children have larger numbers than their parents."""
    for node in range(tree.kind.shape[0] - 1, -1, -1):
        leaves[node] = 1 if tree.kind[node] == LEAF else 0
        for child in range(tree.first[node], tree.first[node] + tree.branches[node]):
            leaves[node] += leaves[child]
    first_leaf[0] = 0
    for node in range(tree.kind.shape[0]):
        at = first_leaf[node]
        for child in range(tree.first[node], tree.first[node] + tree.branches[node]):
            first_leaf[child] = at
            at += leaves[child]


@kernel
def add_errors(tree: TreeArrays, counts: Floats, confidence: float, z: float, errors: Floats) -> None:
    """Fill the pessimistic errors of each subtree, added up in the order of the branches."""
    for node in range(tree.kind.shape[0] - 1, -1, -1):
        errors[node] = leaf_errors(counts[node], confidence, z) if tree.kind[node] == LEAF else 0.0
        for child in range(tree.first[node], tree.first[node] + tree.branches[node]):
            errors[node] += errors[child]


@kernel
def errors_of_leaves(counts: Floats, confidence: float, z: float) -> float:
    """Return the pessimistic errors of leaves with these class weights."""
    errors = 0.0
    for leaf in range(counts.shape[0]):
        errors += leaf_errors(counts[leaf], confidence, z)
    return errors


@kernel
def _child(tree: TreeArrays, cells: RowArrays, node: int, row: int) -> int:
    """Return the node below that a row goes to; none of its values is missing."""
    feature, x, code = tree.feature[node], 0.0, 0
    if cells.is_numeric[feature]:
        x = cells.values[row, cells.place[feature]]
    else:
        code = cells.codes[row * cells.down + cells.place[feature] * cells.across]
    kind, threshold, value, branches = tree.kind[node], tree.threshold[node], tree.value[node], tree.branches[node]
    return int(tree.first[node] + branch_of(kind, threshold, value, branches, tree.groups, tree.cuts, x, code))


@kernel
def count_siblings(tree: TreeArrays, cells: RowArrays, target: Classes, of: Branches, counts: Counts) -> None:
    """Count the rows of the siblings of each branch at the leaves of the branch."""
    for row in range(target.shape[0]):
        node = 0
        while of.is_passed[node] and tree.kind[node] != LEAF:
            child, branch = _child(tree, cells, node, row), of.largest[node]
            if branch >= 0 and child != branch:
                leaf = branch
                while tree.kind[leaf] != LEAF:
                    leaf = _child(tree, cells, leaf, row)
                counts[of.base[node] + of.first_leaf[leaf] - of.first_leaf[branch], target[row]] += 1
            node = child


@kernel
def largest_below(values: Floats, thresholds: Floats, first: Longs, largest: Floats) -> None:
    """Widen largest[k] to the values of column j that are at most thresholds[k], and above the threshold before.

    The thresholds of column j are thresholds[first[j]] … thresholds[first[j + 1] − 1], ascending.
    """
    for j in range(values.shape[1]):
        begin, end = first[j], first[j + 1]
        for i in range(values.shape[0] if end > begin else 0):
            low, high = begin, end
            while low < high:
                middle = (low + high) >> 1
                if thresholds[middle] < values[i, j]:
                    low = middle + 1
                else:
                    high = middle
            if low < end:
                largest[low] = max(largest[low], values[i, j])
