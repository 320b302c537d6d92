"""All thresholds of a tree on one column: the prediction of a row can change at no other value."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from crake.arrays import Floats
from crake.kernels.tree.arrays import INTERVALS, THRESHOLD
from crake.learners.tree.tree import Tree


def thresholds_of(tree: Tree, feature: int) -> Floats:
    """Return the thresholds on this column, ascending, also those of surrogate splits; they are kept with the tree."""
    kept = _kept.setdefault(tree, {})
    if feature not in kept:
        kept[feature] = _found(tree, feature)
    return kept[feature]


def _found(tree: Tree, feature: int) -> Floats:
    own = tree.threshold[(tree.feature == feature) & (tree.kind == THRESHOLD)]
    surrogates = tree.surrogates.threshold[tree.surrogates.feature == feature]
    several = [
        tree.cuts[int(tree.value[node]) : int(tree.value[node]) + int(tree.branches[node]) - 1]
        for node in np.flatnonzero((tree.feature == feature) & (tree.kind == INTERVALS))
    ]
    thresholds: Floats = np.unique(np.concatenate([own, surrogates, *several]))
    finite: Floats = thresholds[np.isfinite(thresholds)]
    finite.flags.writeable = False
    return finite


_kept: WeakKeyDictionary[Tree, dict[int, Floats]] = WeakKeyDictionary()
