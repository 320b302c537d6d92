"""Minimal cost-complexity pruning: the tree of least R(T) + α·leaves, for any α (Breiman et al. 1984, chapter 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats, Longs
from crake.criteria import entropy, gini
from crake.errors import CrakeError
from crake.kernels.tree.pruning.weakest_link import weakest_links
from crake.learners.tree.pruning.cut import with_leaves
from crake.learners.tree.tree import Tree
from crake.render.short_repr import short_repr

SMALLEST_SQUARES = 1e-240
"""Squared errors of a tree below this have lost their last digits, or vanished."""


@dataclass(frozen=True, eq=False)
class CostComplexityPath:
    """The trees that are best for some α: the i-th for alphas[i] ≤ α < alphas[i + 1].

    `impurities` holds the risk R of each, weighted by rows, `leaves` its number of leaves.
    """

    alphas: Floats
    impurities: Floats
    leaves: Longs

    __repr__ = short_repr

    def __len__(self) -> int:
        return len(self.alphas)

    def __str__(self) -> str:
        rows = zip(self.alphas, self.impurities, self.leaves, strict=True)
        lines = [f"{alpha:>12.6g} {risk:>12.6g} {leaves:>8}" for alpha, risk, leaves in rows]
        return "\n".join([f"{'alpha':>12} {'risk':>12} {'leaves':>8}", *lines])


def impurity_risk(tree: Tree, criterion: str) -> Floats:
    """Return R(t) = share of the rows in node t × its impurity: Gini, entropy in bits, or the mean squared error."""
    weight = tree.weight
    if criterion == "squared_error":
        if len(tree) > 1 and tree.responses[0, 1] < SMALLEST_SQUARES:
            raise CrakeError(
                f"the squared errors of this tree are below {SMALLEST_SQUARES:g} and cannot be compared; "
                "multiply the target by a constant and fit again, or prune in fit (pruning=, ccp_alpha=)"
            )
        squares: Floats = tree.responses[:, 1] / weight[0]
        return squares
    impurity = (gini if criterion == "gini" else entropy)(tree.counts)
    weighted: Floats = weight * impurity / weight[0]
    return weighted


def error_risk(tree: Tree) -> Floats:
    """Return R(t) = the share of all rows that are in node t and not of its majority class."""
    errors: Floats = (tree.counts.sum(axis=1) - tree.counts.max(axis=1)) / tree.weight[0]
    return errors


def collapse_alphas(tree: Tree, risk: Floats) -> Floats:
    """Return the α from which on each node is a leaf, or gone with one above it; ∞ for leaves."""
    return weakest_links(tree.parent, tree.branches, tree.first, risk)[0]


def pruned_at(tree: Tree, risk: Floats, alpha: float) -> Tree:
    """Return the smallest subtree that minimises R(T) + α·leaves."""
    return with_leaves(tree, collapse_alphas(tree, risk) <= alpha)


def path(tree: Tree, risk: Floats) -> CostComplexityPath:
    """Return the trees from this one (α = 0) to its root; links of the same α are cut together."""
    _, alphas, risks, leaves = weakest_links(tree.parent, tree.branches, tree.first, risk)
    is_leaf = tree.branches == 0
    alphas = np.concatenate([[0.0], alphas])
    risks = np.concatenate([[risk[is_leaf].sum()], risks])
    leaves = np.concatenate([[int(is_leaf.sum())], leaves]).astype(np.int64)
    last = np.append(alphas[1:] > alphas[:-1], True)
    return CostComplexityPath(alphas[last], risks[last], leaves[last])
