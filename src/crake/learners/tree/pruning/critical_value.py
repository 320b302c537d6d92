"""Critical-value pruning: a subtree stays if the split of one of its nodes is worth enough (Mingers 1987).

The worth is the measure that splits are chosen by. With v(t) the worth of the split of node t, and

V(t) = the largest v over t and the nodes below it,

node t becomes a leaf if V(t) is below the critical value: a weak split stays where a good one follows. The larger the
critical value, the smaller the tree; rows held out from growing choose among all of them.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.criteria import entropy, gini
from crake.learners.tree.pruning.series import Series
from crake.learners.tree.tree import Tree


def split_worths(tree: Tree, criterion: str) -> Floats:
    """Return v(t) of every node from the rows counted in it and in its children; −∞ for leaves.

    "entropy": the gain in bits; "gain_ratio": the gain over the split information; "gini": the decrease;
    "squared_error": the share of the node's squared error that the split takes away.

    >>> from crake.learners.tree.algorithms.c45 import C45Classifier
    >>> from crake.table.examples import load
    >>> golf = C45Classifier(pruning=None).fit(load("golf")).tree_
    >>> split_worths(golf, "gain_ratio").round(4).tolist()
    [0.1564, -inf, 1.0, 1.0, -inf, -inf, -inf, -inf]
    """
    weight, parent = tree.weight, tree.parent
    if criterion == "squared_error":
        impurity = tree.responses[:, 1]
    else:
        impurity = weight * (gini(tree.counts) if criterion == "gini" else entropy(tree.counts))
    below = np.zeros(len(tree))
    np.add.at(below, parent[1:], impurity[1:])
    scale = impurity if criterion == "squared_error" else weight
    worth = (impurity - below) / np.where(scale > 0, scale, 1.0)
    if criterion == "gain_ratio":
        information = _split_information(tree)
        worth = np.where(information > 0, worth / np.where(information > 0, information, 1.0), 0.0)
    return np.where(tree.branches > 0, worth, -np.inf)


def _split_information(tree: Tree) -> Floats:
    """Return −Σ_b (n_b/n)·log2(n_b/n) over the branches of every node."""
    weight, parent = tree.weight, tree.parent
    above = weight[np.maximum(parent, 0)]
    share = np.where(above > 0, weight / np.where(above > 0, above, 1.0), 0.0)[1:]
    information = np.zeros(len(tree))
    np.add.at(information, parent[1:], -share * np.log2(np.where(share > 0, share, 1.0)))
    return information


def best_worths(tree: Tree, criterion: str) -> Floats:
    """Return V(t): the largest worth of a split among a node and those below it; −∞ for leaves."""
    best = split_worths(tree, criterion)
    for begin, end in reversed(tree.levels()[1:]):
        np.maximum.at(best, tree.parent[begin:end], best[begin:end])
    return best


def pruned_at_critical_value(tree: Tree, criterion: str, critical_value: float) -> Tree:
    """Return the tree in which nodes with V(t) below the critical value are leaves."""
    return critical_value_series(tree, criterion).at(float(np.nextafter(critical_value, -np.inf)))


def critical_value_series(tree: Tree, criterion: str) -> Series:
    """Return the trees of all critical values, from the whole one to the root."""
    best = best_worths(tree, criterion)
    return Series(tree, best, np.concatenate([[-np.inf], np.unique(best[np.isfinite(best)])]))
