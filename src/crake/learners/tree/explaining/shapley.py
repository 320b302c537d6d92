"""Shapley values of a tree's prediction: what each column adds to it, over all orders in which values become known.

A prediction from the values of some columns S alone goes down the tree: where the split is on a column of S the row
takes its branch, elsewhere it goes down all branches in the shares of the training rows. The leaf l then has the part

    Π_{j in S} o_j · Π_{j not in S} z_j

of the row, over the columns j of its path: o_j is the part of the row that goes this way at the splits on j (1 or 0, or
a fraction where its value is missing), z_j the share of the training rows that does. The mean, over all orders, of what
column i adds is an integral of a polynomial, because ∫ t^s (1 − t)^(d−1−s) dt = s!·(d − 1 − s)!/d!:

    φ_i = Σ_l value_l · (o_i − z_i) · ∫₀¹ Π_{j ≠ i} (o_j·t + z_j·(1 − t)) dt

Gauss and Legendre's rule with ⌈d/2⌉ points t is exact for the d columns of a path. At each point the products of all
leaves below a node are added up once, so the time grows with nodes × d. The definition asks for 2^d predictions.

Lundberg, Erion, Lee (2018), Consistent individualized feature attribution for tree ensembles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crake.arrays import Floats, Longs
from crake.kernels.tree.arrays import LEAF
from crake.kernels.tree.surrogate_routing import row_branches
from crake.learners.tree.predicting.leaves import shares
from crake.learners.tree.predicting.routing import Cases
from crake.learners.tree.tree import Tree


class Contributions(NamedTuple):
    """The mean prediction of the training rows, shape (answers,), and what each column adds, (columns, answers)."""

    base: Floats
    columns: Floats


def tree_contributions(tree: Tree, row: Cases, values: Floats, columns: int) -> Contributions:
    """Return the Shapley values of the prediction of one row; values[node] is the answer of a leaf, (nodes, answers).

    The base and the columns add up to the prediction. A surrogate decides for the column in whose place it stands.
    """
    levels, goes, learned = _levels(tree), *_parts(tree, row)
    above = _split_before(tree)
    for nodes in levels[1:]:
        again = nodes[above[nodes] >= 0]
        goes[again] *= goes[above[again]]
        learned[again] *= learned[above[again]]
    base, added = np.zeros(values.shape[1]), np.zeros((columns, values.shape[1]))
    base += _reached(tree, levels) @ values
    if len(levels) == 1:
        return Contributions(base, added)
    points, weights = np.polynomial.legendre.leggauss(_points(above, levels, tree.parent))
    feature = tree.feature[tree.parent[1:]]
    for point, weight in zip((points + 1) / 2, weights / 2, strict=True):
        factor = goes * point + learned * (1 - point)
        below = _below(tree, levels, _products(factor, above, levels, tree.parent)[:, None] * values)
        own = below.copy()
        again = np.flatnonzero(above >= 0)
        np.subtract.at(own, above[again], below[again])
        # Where neither this row nor any training row goes, nothing is added.
        part = np.divide(goes - learned, factor, out=np.zeros_like(factor), where=factor > 0)
        np.add.at(added, feature, weight * part[1:, None] * own[1:])
    return Contributions(base, added)


def reaches_one_leaf(tree: Tree, row: Cases) -> bool:
    """Return True if a row goes one way at every node on its path, so that one leaf answers it."""
    branch, node = _branches(tree, row), 0
    while tree.kind[node] != LEAF:
        if branch[node] < 0:
            return False
        node = int(tree.first[node] + branch[node])
    return True


def _branches(tree: Tree, row: Cases) -> Longs:
    branch = np.empty(len(tree), np.int64)
    row_branches(tree.arrays, tree.surrogates.arrays(len(tree)), row.cells, 0, branch)
    return branch


def _levels(tree: Tree) -> list[Longs]:
    """Return the nodes of each depth."""
    levels = [np.zeros(1, np.int64)]
    while len(inner := levels[-1][tree.branches[levels[-1]] > 0]):
        sizes = tree.branches[inner]
        offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        levels.append(np.repeat(tree.first[inner], sizes) + offsets)
    return levels


def _parts(tree: Tree, row: Cases) -> tuple[Floats, Floats]:
    """Return, for each node, the part of its parent's rows that goes there: of this row, and of the training rows."""
    branch, learned = _branches(tree, row), _shares_within(tree)
    parent = np.maximum(tree.parent, 0)
    place = np.arange(len(tree)) - tree.first[parent]
    # A row that goes down all branches is divided by the shares with which the tree predicts.
    goes = np.where(branch[parent] >= 0, (place == branch[parent]).astype(np.float64), shares(tree))
    goes[0] = 1.0
    return goes, learned


def _shares_within(tree: Tree) -> Floats:
    """Return the share of each node in the training rows of all branches of its parent; of equals where it has none."""
    share, parent = shares(tree).copy(), np.maximum(tree.parent, 0)
    whole = np.zeros(len(tree))
    np.add.at(whole, parent[1:], share[1:])
    within = np.where(whole[parent] > 0, share / np.where(whole[parent] > 0, whole[parent], 1.0), 0.0)
    within = np.where(whole[parent] > 0, within, 1.0 / np.maximum(tree.branches[parent], 1))
    within[0] = 1.0
    return within


def _split_before(tree: Tree) -> Longs:
    """Return, for each node, the next node above it that a split on the same column led to; −1 if there is none."""
    parent = tree.parent
    led = np.where(parent >= 0, tree.feature[np.maximum(parent, 0)], -1)
    found, at = np.full(len(tree), -1, np.int64), parent.copy()
    while np.any(is_open := (at > 0) & (found < 0)):
        same = is_open & (led[np.maximum(at, 0)] == led)
        found[same] = at[same]
        at = np.where(is_open & ~same, parent[np.maximum(at, 0)], 0)
    return found


def _reached(tree: Tree, levels: list[Longs]) -> Floats:
    """Return the share of the training rows in each leaf; 0 for other nodes."""
    within, part = _shares_within(tree), np.ones(len(tree))
    for nodes in levels[1:]:
        part[nodes] = part[tree.parent[nodes]] * within[nodes]
    reached: Floats = np.where(tree.kind == LEAF, part, 0.0)
    return reached


def _points(above: Longs, levels: list[Longs], parent: Longs) -> int:
    """Return the points that integrate exactly: half of the most different columns on a path, rounded up."""
    columns = np.zeros(len(parent), np.int64)
    for nodes in levels[1:]:
        columns[nodes] = columns[parent[nodes]] + (above[nodes] < 0)
    return max(1, (int(columns.max()) + 1) // 2)


def _products(factor: Floats, above: Longs, levels: list[Longs], parent: Longs) -> Floats:
    """Return the product of the factors of all columns on the path to each node."""
    before = np.where(above >= 0, factor[np.maximum(above, 0)], 1.0)
    step = np.divide(factor, before, out=np.zeros_like(factor), where=before > 0)
    product = np.ones(len(factor))
    for nodes in levels[1:]:
        product[nodes] = product[parent[nodes]] * step[nodes]
    return product


def _below(tree: Tree, levels: list[Longs], values: Floats) -> Floats:
    """Return the sums of the values of the leaves below each node, that of a leaf for itself."""
    sums: Floats = np.where((tree.kind == LEAF)[:, None], values, 0.0)
    for nodes in reversed(levels[1:]):
        np.add.at(sums, tree.parent[nodes], sums[nodes])
    return sums
