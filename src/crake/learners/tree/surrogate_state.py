"""Surrogate splits in a model file."""

from __future__ import annotations

import numpy as np

from crake.kernels.tree.arrays import LEAF
from crake.learners.base.state import Given, State
from crake.learners.tree.growing.training_rows import Layout
from crake.learners.tree.tree import Surrogates, Tree


def surrogates_state(surrogates: Surrogates) -> State:
    """Their arrays; names have no threshold, numbers no place among the groups."""
    return {
        "node": surrogates.node,
        "feature": surrogates.feature,
        "threshold": np.where(surrogates.value < 0, surrogates.threshold, 0.0),
        "value": surrogates.value,
        "turned": surrogates.turned.astype(np.uint8),
        "association": surrogates.association,
    }


def surrogates_of(given: Given, tree: Tree, layout: Layout) -> Surrogates:
    """The surrogates of a stored state; anything that does not fit the tree is refused."""
    node = given.integers("node", np.int64, (None,), 0, len(tree) - 1)
    each = (len(node),)
    feature = given.integers("feature", np.int32, each, 0, len(layout) - 1)
    value = given.integers("value", np.int64, each, -1, len(tree.groups))
    numeric = layout.is_numeric[feature]
    surrogates = Surrogates(
        node=node,
        feature=feature,
        threshold=np.where(numeric, given.floats("threshold", each), np.nan),
        value=value,
        turned=given.integers("turned", np.uint8, each, 0, 1).astype(bool),
        association=given.floats("association", each, 0, 1),
    )
    if np.any(node[1:] < node[:-1]) or np.any(tree.kind[node] == LEAF):
        raise given.refusal("node", "does not ascend over nodes that split", "nodes that split, in order")
    if np.any((tree.missing < 0) & (tree.kind != LEAF)):
        raise given.refusal("node", "stand in where no side is named", "a side for missing values at every node")
    _check_groups(given, surrogates, tree, layout)
    return surrogates


def _check_groups(given: Given, surrogates: Surrogates, tree: Tree, layout: Layout) -> None:
    numeric, levels = layout.is_numeric[surrogates.feature], layout.levels[surrogates.feature]
    value = surrogates.value
    if np.any((value < 0) != numeric) or np.any(~numeric & (value + levels > len(tree.groups))):
        raise given.refusal("value", "lies beyond the groups", "a place among the groups for each name, −1 for numbers")
    for start, width in zip(value[~numeric], levels[~numeric], strict=True):
        sides = tree.groups[start : start + width]
        if np.any((sides < 0) | (sides > 1)):
            raise given.refusal("value", "leads to a branch that is not there", "the first or the second branch")
