"""A tree in a model file: its arrays, and the checks that make any arrays a sound tree or an error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.tree.arrays import INTERVALS, LEAF, MULTIWAY, ONE_VALUE, SUBSET, THRESHOLD
from crake.learners.base.state import State, StateReader
from crake.learners.base.state.statistics import MOST
from crake.learners.tree.growing.training_rows import Layout
from crake.learners.tree.tree import LARGEST_RESPONSE, NO_CHILD, Surrogates, Tree
from crake.table.schema import Schema

MOST_NODES = 2**31 - 2
TOLERANCE = 1e-9
"""Tolerance, as a share of a node's weight: fractional weights of its children add up to it but for rounding."""

SHARE_TOLERANCE = 1e-5
"""Tolerance of a node's shares: branches of nearly no weight have none."""


def tree_state(tree: Tree) -> State:
    """Children follow their parents level by level, so where they begin need not be stored."""
    is_open = np.isposinf(tree.cuts)
    surrogates: State = {"surrogates": _surrogates_state(tree.surrogates)} if len(tree.surrogates) else {}
    numbers: State = {"responses": tree.responses} if len(tree.responses) else {}
    shares: State = {"share": tree.share} if len(tree.share) else {}
    return {
        "kind": tree.kind,
        "feature": tree.feature,
        "threshold": np.where(tree.kind == THRESHOLD, tree.threshold, 0.0),
        "value": tree.value,
        "branches": tree.branches,
        "counts": tree.counts,
        "missing": tree.missing,
        "groups": tree.groups,
        "cuts": np.where(is_open, 0.0, tree.cuts),
        "open_cuts": is_open.astype(np.uint8),
        **surrogates,
        **numbers,
        **shares,
    }


def tree_of(reader: StateReader, schema: Schema) -> Tree:
    """The tree of a stored state; anything that is not one is refused."""
    layout = Layout.of(schema)
    kind = reader.integers("kind", np.int32, (None,), LEAF, INTERVALS)
    nodes = (len(kind),)
    branches = reader.integers("branches", np.int64, nodes, 0, MOST_NODES)
    _check_shape(reader, kind, branches)
    feature = reader.integers("feature", np.int32, nodes, -1, len(layout) - 1)
    cuts = reader.floats("cuts", (None,))
    is_open = reader.integers("open_cuts", np.uint8, (len(cuts),), 0, 1)
    tree = Tree(
        kind=kind,
        feature=feature,
        threshold=np.where(kind == THRESHOLD, reader.floats("threshold", nodes), np.nan),
        value=reader.integers("value", np.int64, nodes, -1, MOST_NODES),
        first=np.where(branches > 0, 1 + np.cumsum(branches) - branches, NO_CHILD),
        branches=branches,
        counts=reader.floats("counts", (len(kind), len(schema.classes) or 1), 0, MOST),
        missing=reader.integers("missing", np.int32, nodes, -1, MOST_NODES),
        groups=reader.integers("groups", np.int32, (None,), -1, MOST_NODES),
        cuts=np.where(is_open == 1, np.inf, cuts),
        responses=np.zeros((0, 2)) if schema.classes else _responses(reader, len(kind)),
    )
    _check_questions(reader, tree, layout)
    _check_counts(reader, tree)
    if "share" in reader:
        tree = replace(tree, share=_shares_of(reader, tree))
    if "surrogates" in reader:
        return replace(tree, surrogates=_surrogates_of(reader.part("surrogates"), tree, layout))
    return tree


def _responses(reader: StateReader, nodes: int) -> Floats:
    """The mean and the squared error of each node of a regression tree."""
    responses = reader.floats("responses", (nodes, 2))
    if np.any(np.abs(responses[:, 0]) > LARGEST_RESPONSE) or np.any(responses[:, 1] < 0):
        raise reader.refusal("responses", "holds a negative squared error, or a mean beyond all numbers", "neither")
    return responses


def _shares_of(reader: StateReader, tree: Tree) -> Floats:
    """Return the stored shares of rows with a missing value; those of the children of a node add up to 1."""
    share = reader.floats("share", (len(tree),), 0, 1)
    sums = np.zeros(len(tree))
    np.add.at(sums, tree.parent[1:], share[1:])
    if np.any(np.abs(sums - 1)[tree.kind != LEAF] > SHARE_TOLERANCE):
        raise reader.refusal("share", "does not add up", "shares of the children of each node that add up to 1")
    return share


def _check_shape(reader: StateReader, kind: NDArray[np.int32], branches: NDArray[np.int64]) -> None:
    """Every node but the root is the child of an earlier one: no cycle, no node on its own."""
    if len(kind) == 0 or branches.sum() != len(kind) - 1:
        raise reader.refusal("branches", f"lead to {branches.sum()} nodes", f"{len(kind) - 1}, all but the root")
    if np.any(1 + np.cumsum(branches)[:-1] <= np.arange(1, len(kind))):
        raise reader.refusal("branches", "lead to nodes above", "children that come after their parents")
    if np.any((kind == LEAF) != (branches == 0)):
        raise reader.refusal("kind", "has a leaf with children", "children below every question and no leaf")


def _check_counts(reader: StateReader, tree: Tree) -> None:
    """Raise unless every row of a node went to its children: their shares divide rows with missing values."""
    sums = np.zeros_like(tree.counts)
    np.add.at(sums, tree.parent[1:], tree.counts[1:])
    inner = tree.kind != LEAF
    allowed = TOLERANCE * tree.counts.sum(axis=1, keepdims=True)
    if np.any((np.abs(sums - tree.counts) > allowed)[inner]):
        raise reader.refusal(
            "counts", "does not add up", "children that hold the rows of their parents, class by class"
        )


def _check_questions(reader: StateReader, tree: Tree, layout: Layout) -> None:
    inner = tree.kind != LEAF
    feature = tree.feature[inner]
    if np.any(feature < 0) or np.any(tree.feature[~inner] >= 0):
        raise reader.refusal("feature", "is missing at a question", "a column for each question and none for leaves")
    kind, branches, value = tree.kind[inner], tree.branches[inner], tree.value[inner]
    is_numeric, levels = layout.is_numeric[feature], layout.levels[feature]
    if np.any(is_numeric != np.isin(kind, (THRESHOLD, INTERVALS))):
        raise reader.refusal("kind", "asks a number for its name", "thresholds of numbers and levels of names")
    if np.any((tree.missing >= tree.branches) & (tree.missing >= 0)):
        raise reader.refusal("missing", "names a branch that is not there", "one of the node's branches")
    expected = np.select([kind == MULTIWAY, np.isin(kind, (THRESHOLD, ONE_VALUE))], [levels, 2], branches)
    # A branch for missing values, where there is one, comes last.
    if np.any(branches != expected + ((tree.missing[inner] == expected) & (branches > expected))):
        raise reader.refusal("branches", "does not fit the questions", "two, or one a level, or one more for missing")
    if np.any((kind == ONE_VALUE) & ((value < 0) | (value >= levels))):
        raise reader.refusal("value", "is no level of its column", "a level")
    _check_groups(reader, tree, np.flatnonzero(inner)[kind == SUBSET], layout)
    _check_cuts(reader, tree, np.flatnonzero(inner)[kind == INTERVALS])


def _check_groups(reader: StateReader, tree: Tree, nodes: NDArray[np.intp], layout: Layout) -> None:
    start, width = tree.value[nodes], layout.levels[tree.feature[nodes]].astype(np.int64)
    if np.any(start < 0) or np.any(start + width > len(tree.groups)):
        raise reader.refusal("groups", f"has {len(tree.groups)} entries", "one for each level of each such question")
    for node, first, levels in zip(nodes, start, width, strict=True):
        if np.any(tree.groups[first : first + levels] >= tree.branches[node]):
            raise reader.refusal("groups", "leads to a branch that is not there", "one of the node's branches")


def _check_cuts(reader: StateReader, tree: Tree, nodes: NDArray[np.intp]) -> None:
    start, width = tree.value[nodes], tree.branches[nodes] - 1
    if np.any(start < 0) or np.any(start + width > len(tree.cuts)):
        raise reader.refusal("cuts", f"has {len(tree.cuts)} entries", "one fewer than branches for each such question")
    for first, number in zip(start, width, strict=True):
        cuts = tree.cuts[first : first + number]
        if np.any(np.isneginf(cuts)) or np.any(cuts[1:] < cuts[:-1]):
            raise reader.refusal("cuts", "does not ascend", "ascending numbers for each question")


def _surrogates_state(surrogates: Surrogates) -> State:
    """Their arrays; names have no threshold, numbers no place among the groups."""
    return {
        "node": surrogates.node,
        "feature": surrogates.feature,
        "threshold": np.where(surrogates.value < 0, surrogates.threshold, 0.0),
        "value": surrogates.value,
        "turned": surrogates.turned.astype(np.uint8),
        "association": surrogates.association,
    }


def _surrogates_of(reader: StateReader, tree: Tree, layout: Layout) -> Surrogates:
    """The surrogates of a stored state; anything that does not fit the tree is refused."""
    node = reader.integers("node", np.int64, (None,), 0, len(tree) - 1)
    each = (len(node),)
    feature = reader.integers("feature", np.int32, each, 0, len(layout) - 1)
    value = reader.integers("value", np.int64, each, -1, len(tree.groups))
    numeric = layout.is_numeric[feature]
    surrogates = Surrogates(
        node=node,
        feature=feature,
        threshold=np.where(numeric, reader.floats("threshold", each), np.nan),
        value=value,
        turned=reader.integers("turned", np.uint8, each, 0, 1).astype(bool),
        association=reader.floats("association", each, 0, 1),
    )
    if np.any(node[1:] < node[:-1]) or np.any(tree.kind[node] == LEAF):
        raise reader.refusal("node", "does not ascend over nodes that split", "nodes that split, in order")
    if np.any((tree.missing < 0) & (tree.kind != LEAF)):
        raise reader.refusal("node", "stand in where no side is named", "a side for missing values at every node")
    _check_surrogate_groups(reader, surrogates, tree, layout)
    return surrogates


def _check_surrogate_groups(reader: StateReader, surrogates: Surrogates, tree: Tree, layout: Layout) -> None:
    numeric, levels = layout.is_numeric[surrogates.feature], layout.levels[surrogates.feature]
    value = surrogates.value
    if np.any((value < 0) != numeric) or np.any(~numeric & (value + levels > len(tree.groups))):
        raise reader.refusal(
            "value", "lies beyond the groups", "a place among the groups for each name, −1 for numbers"
        )
    for start, width in zip(value[~numeric], levels[~numeric], strict=True):
        sides = tree.groups[start : start + width]
        if np.any((sides < 0) | (sides > 1)):
            raise reader.refusal("value", "leads to a branch that is not there", "the first or the second branch")
