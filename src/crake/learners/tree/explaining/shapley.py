"""Shapley values of a tree's prediction: what each column adds to it, over all orders in which values become known.

A prediction from the values of some columns S alone goes down the tree: where the split is on a column of S the row
takes its branch, elsewhere it goes down all branches in the shares of the training rows. The leaf l then has the part

    Π_{j in S} o_j · Π_{j not in S} z_j

of the row, over the columns j of its path: o_j is the part of the row that goes this way at the splits on j (1 or 0, or
a fraction where its value is missing), z_j the share of the training rows that does. The mean, over all orders, of what
column i adds is an integral of a polynomial, because ∫ t^s (1 − t)^(d−1−s) dt = s!·(d − 1 − s)!/d!:

    φ_i = Σ_l value_l · (o_i − z_i) · ∫₀¹ Π_{j ≠ i} (o_j·t + z_j·(1 − t)) dt

Gauss and Legendre's rule with ⌈d/2⌉ points t is exact for the d columns of a path. The time grows with leaves × d²; the
definition asks for 2^d predictions. A leaf whose value is 0 adds nothing and is not visited.

Lundberg, Erion, Lee (2018), Consistent individualized feature attribution for tree ensembles.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from crake.arrays import Floats, Longs
from crake.kernels.tree.arrays import LEAF
from crake.kernels.tree.contributions import Division, add_contributions, find_heights
from crake.kernels.tree.surrogate_routing import row_branches
from crake.learners.tree.predicting.leaves import shares
from crake.learners.tree.predicting.routing import Cases
from crake.learners.tree.tree import Tree


class Contributions(NamedTuple):
    """The mean prediction of the training rows, shape (answers,), and what each column adds, (columns, answers)."""

    base: Floats
    columns: Floats


def tree_contributions(
    tree: Tree, row: Cases, values: Floats, columns: int, share: Floats | None = None
) -> Contributions:
    """Return the Shapley values of the prediction of one row; values[node] is the answer of a leaf, (nodes, answers).

    The base and the columns add up to the prediction. A surrogate decides for the column in whose place it stands.
    `share` are the tree's shares, if they are at hand.
    """
    base, added = np.zeros(values.shape[1]), np.zeros((columns, values.shape[1]))
    heights, is_asked = np.empty(len(tree), np.int64), np.zeros(columns, np.bool_)
    find_heights(tree.arrays, np.asarray(values.any(axis=1)), heights, is_asked)
    if heights[0] >= 0:
        # A row that goes down all branches is divided by the shares with which the tree predicts.
        division = Division(_branches(tree, row), shares(tree) if share is None else share, values)
        points, weights = _rule((min(int(heights[0]), int(is_asked.sum())) + 1) // 2)
        add_contributions(tree.arrays, division, heights, points, weights, base, added)
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


@cache
def _rule(points: int) -> tuple[Floats, Floats]:
    """Return the points and weights of Gauss and Legendre from 0 to 1; they are exact for twice as many columns."""
    at, weights = np.polynomial.legendre.leggauss(max(1, points))
    return (at + 1) / 2, weights / 2
