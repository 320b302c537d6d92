"""MDL pruning: the subtree of the shortest code, for the tree and for the classes of its rows (Rissanen 1978).

Sender and receiver both know the columns; the classes are sent. The code is that of Rastogi and Shim (1998), after
Mehta, Rissanen and Agrawal (1995). All logarithms are to base 2, so lengths are in bits. k is the number of classes.

| part | bits |
|---|---|
| structure | 1 for each node: leaf or not |
| classes of a leaf of n rows, n_i of class i | Σ n_i·log(n/n_i) + max(0, (k − 1)/2·log(n/2) + log(π^(k/2)/Γ(k/2))) |
| attribute of a split, one of a | log a |
| threshold, the node's rows having v different values | log(v − 1) |
| one value against the others | log v |
| a set of values against the others | log(2^v − 2) |
| a branch for every value | 0 |

The second term of a leaf would fall below 0 where classes are many and rows are few; a code has no such length. A leaf
without rows sends no class. Surrogates and branches of missing values are not counted.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels.tree.arrays import INTERVALS, LEAF, ONE_VALUE, SUBSET, THRESHOLD
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.reached_nodes import visited_nodes
from crake.learners.tree.predicting.routing import Cases
from crake.learners.tree.pruning.cut import with_leaves
from crake.learners.tree.tree import Tree
from crake.slow_modules import special


def class_bits(counts: Floats) -> Floats:
    """Return the length of the classes of each node's rows; counts of shape (nodes, classes).

    >>> class_bits(np.array([[4.0, 4.0], [8.0, 0.0], [0.0, 0.0]])).round(3)
    array([10.651,  2.651,  0.   ])
    """
    n = counts.sum(axis=1)
    logs = np.log2(np.where(counts > 0, counts, 1.0))
    own = np.log2(np.where(n > 0, n, 1.0))
    bits: Floats = n * own - (counts * logs).sum(axis=1) + parameter_bits(n, counts.shape[1])
    return np.where(n > 0, np.maximum(bits, 0.0), 0.0)


def parameter_bits(n: Floats, classes: int) -> Floats:
    """Return max(0, (k − 1)/2·log(n/2) + log(π^(k/2)/Γ(k/2))), the part that does not depend on the classes' shares.

    >>> parameter_bits(np.array([1.0, 2.0, 1e-9]), 2).round(3)
    array([1.151, 1.651, 0.   ])
    """
    constant = (classes / 2 * np.log(np.pi) - float(special.gammaln(classes / 2))) / np.log(2)
    half = np.log2(np.where(n > 0, n / 2, 1.0))
    bits: Floats = np.where(n > 0, np.maximum((classes - 1) / 2 * half + constant, 0.0), 0.0)
    return bits


def split_bits(kind: Ints, values: Longs, attributes: int) -> Floats:
    """Return the length of each node's split, by the number of values of its attribute in the node.

    >>> split_bits(np.array([THRESHOLD, ONE_VALUE, SUBSET, LEAF], np.int32), np.array([5, 4, 2, 0]), 8)
    array([5., 5., 4., 0.])
    """
    v = np.maximum(values, 2).astype(np.float64)
    point = np.where((kind == THRESHOLD) | (kind == INTERVALS), np.log2(v - 1), 0.0)
    name = np.where(kind == ONE_VALUE, np.log2(v), 0.0)
    subset = np.where(kind == SUBSET, v + np.log2(1 - np.exp2(1 - v)), 0.0)
    return np.where(kind == LEAF, 0.0, np.log2(attributes) + point + name + subset)


def values_in_level(level: Level, training: Training, nodes: Tree) -> Longs:
    """Return the number of different values that the rows of each node have of its attribute; 0 where none is needed.

    `nodes` are those of the level, whose lists have not been cut yet.
    """
    found = np.zeros(len(nodes), np.int64)
    place = np.where(nodes.feature >= 0, training.layout.place[nodes.feature], 0)
    for j in np.unique(place[nodes.kind == THRESHOLD]).tolist():
        mine = np.flatnonzero((nodes.kind == THRESHOLD) & (place == j))
        rank = level.rank[j]
        steps = np.concatenate([[0], np.cumsum(rank[1:] != rank[:-1])])
        begin = level.start[mine]
        found[mine] = steps[begin + level.known[j, mine] - 1] - steps[begin] + 1
    for node in np.flatnonzero((nodes.kind == ONE_VALUE) | (nodes.kind == SUBSET)).tolist():
        listed = level.rows[level.start[node] : level.start[node] + level.size[node]]
        codes = training.codes[place[node], level.row_of[listed]]
        found[node] = np.count_nonzero(np.bincount(codes[codes >= 0]))
    return found


def values_in_nodes(tree: Tree, training: Training) -> Longs:
    """Return the same for a whole tree, by the rows that reach each node."""
    rows_of = visited_nodes(tree, Cases.of_training(training)).tocsc()
    found = np.zeros(len(tree), np.int64)
    for node in np.flatnonzero(tree.kind != LEAF).tolist():
        rows = rows_of.indices[rows_of.indptr[node] : rows_of.indptr[node + 1]]
        rows = rows[training.row_weights[rows] > 0]
        feature, place = tree.feature[node], training.layout.place[tree.feature[node]]
        if training.layout.is_numeric[feature]:
            values = training.values[rows, place]
            found[node] = len(np.unique(values[~np.isnan(values)]))
        else:
            codes = training.codes[place, rows]
            found[node] = np.count_nonzero(np.bincount(codes[codes >= 0]))
    return found


def least_lengths(tree: Tree, split: Floats) -> tuple[Floats, Flags]:
    """Return the shortest code of what is at and below each node, and which inner nodes are leaves in it.

    `split` holds the bits of each node's split. Of equals the leaf is taken.
    """
    as_leaf = 1 + class_bits(tree.counts)
    least, is_cut = as_leaf.copy(), np.zeros(len(tree), bool)
    for begin, end in reversed(tree.levels()):
        inner = begin + np.flatnonzero(tree.kind[begin:end] != LEAF)
        if not len(inner):
            continue
        last = int(tree.first[inner[-1]] + tree.branches[inner[-1]])
        below = 1 + split[inner] + np.add.reduceat(least[end:last], tree.first[inner] - end)
        is_cut[inner] = as_leaf[inner] <= below
        least[inner] = np.minimum(as_leaf[inner], below)
    return least, is_cut


def pruned_to_shortest(tree: Tree, split: Floats) -> Tree:
    """Return the subtree of the shortest code."""
    is_cut = least_lengths(tree, split)[1]
    return with_leaves(tree, is_cut) if is_cut.any() else tree


def pruned_by_code_length(tree: Tree, training: Training) -> Tree:
    """Return the subtree of the shortest code for the classes of the rows that the tree was grown from."""
    values = values_in_nodes(tree, training)
    return pruned_to_shortest(tree, split_bits(tree.kind, values, len(training.layout)))
