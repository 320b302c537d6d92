"""Boosted trees in a model file, and the checks that make any arrays sound trees or an error."""

from __future__ import annotations

import numpy as np

from crake.arrays import Flags, Ints, Longs
from crake.kernels.tree.arrays import LEAF, SUBSET, THRESHOLD
from crake.learners.base.state import State, StateReader
from crake.learners.base.state.statistics import MOST
from crake.learners.ensemble.boosting.trees import BoostedTrees
from crake.learners.tree.growing.training_rows import Layout
from crake.table.schema import Schema

MOST_NODES = 2**31 - 2
LARGEST_ANSWER = 1e300
LARGEST_GAIN = 1e300
TOLERANCE = 1e-6
"""Tolerance, as a share of a node's weight: those of its children add up to it but for rounding."""


def trees_state(trees: BoostedTrees) -> State:
    """Return the arrays. Nodes come level by level, so where children and groups begin need not be stored."""
    return {
        "nodes": np.diff(trees.roots),
        "kind": trees.kind.astype(np.uint8),
        "feature": trees.feature,
        "threshold": trees.threshold,
        "missing": np.maximum(trees.missing, 0).astype(np.uint8),
        "groups": trees.groups.astype(np.uint8),
        "answer": trees.answer,
        "weight": trees.weight,
        "gain": trees.gain,
    }


def trees_of(reader: StateReader, schema: Schema, outputs: int, rounds: int) -> BoostedTrees:
    """Return the trees of a stored state; anything else is refused."""
    layout = Layout.of(schema)
    sizes = reader.integers("nodes", np.int64, (None,), 1, MOST_NODES)
    if len(sizes) % outputs or len(sizes) > outputs * rounds:
        raise reader.refusal("nodes", f"has {len(sizes)} trees", f"{outputs} for each of at most {rounds} rounds")
    kind = reader.integers("kind", np.uint8, (None,), 0, SUBSET).astype(np.int32)
    nodes = (len(kind),)
    if sum(sizes.tolist()) != len(kind):
        raise reader.refusal("nodes", f"add up to {sum(sizes.tolist())}", f"{len(kind)}, as many as there are kinds")
    roots = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    inner = kind != LEAF
    feature = reader.integers("feature", np.int32, nodes, -1, len(layout) - 1)
    _check_questions(reader, kind, feature, layout)
    first = _first_children(reader, inner, roots)
    groups = reader.integers("groups", np.uint8, (None,), 0, 1).astype(np.int32)
    levels = np.where(kind == SUBSET, layout.levels[feature], 0).astype(np.int64)
    if int(levels.sum()) != len(groups):
        raise reader.refusal("groups", f"has {len(groups)} entries", f"{int(levels.sum())}, one for each level")
    missing = reader.integers("missing", np.uint8, nodes, 0, 1).astype(np.int32)
    if np.any(missing[~inner]):
        raise reader.refusal("missing", "names a child of a leaf", "0 for leaves")
    trees = BoostedTrees(
        roots=roots,
        kind=kind,
        feature=feature,
        threshold=reader.floats("threshold", nodes),
        value=np.where(kind == SUBSET, np.cumsum(levels) - levels, -1),
        missing=np.where(inner, missing, -1).astype(np.int32),
        groups=groups,
        first=first,
        answer=reader.floats("answer", nodes, -LARGEST_ANSWER, LARGEST_ANSWER),
        weight=reader.floats("weight", nodes, 0, MOST),
        gain=reader.floats("gain", nodes, 0, LARGEST_GAIN),
    )
    _check_numbers(reader, trees, inner)
    return trees


def _check_questions(reader: StateReader, kind: Ints, feature: Ints, layout: Layout) -> None:
    inner = kind != LEAF
    if np.any((feature >= 0) != inner):
        raise reader.refusal("feature", "is missing at a question", "a column for each question and none for leaves")
    if np.any(~np.isin(kind, (LEAF, THRESHOLD, SUBSET))) or np.any(
        layout.is_numeric[feature[inner]] != (kind[inner] == THRESHOLD)
    ):
        raise reader.refusal("kind", "asks a number for its name", "thresholds of numbers and groups of names")


def _first_children(reader: StateReader, inner: Flags, roots: Longs) -> Longs:
    """Return the first child of each node: children follow each other in the order of their parents, after them."""
    before = np.concatenate([[0], np.cumsum(inner)])
    asked = before[roots[1:]] - before[roots[:-1]]
    if np.any(np.diff(roots) != 1 + 2 * asked):
        raise reader.refusal("kind", "has too many or too few leaves", "one leaf more than questions in each tree")
    sizes = np.diff(roots)
    first = np.repeat(roots[:-1] + 1 - 2 * before[roots[:-1]], sizes) + 2 * before[:-1]
    if np.any(first[inner] <= np.flatnonzero(inner)):
        raise reader.refusal("kind", "has a node without a parent", "children that come after their parents")
    return np.where(inner, first, -1).astype(np.int64)


def _check_numbers(reader: StateReader, trees: BoostedTrees, inner: Flags) -> None:
    if np.any(trees.answer[inner] != 0) or np.any(trees.gain[~inner] != 0):
        raise reader.refusal("answer", "is not 0 at a question", "answers of leaves and gains of questions")
    first, weight = trees.first[inner], trees.weight
    if np.any(np.abs(weight[first] + weight[first + 1] - weight[inner]) > TOLERANCE * weight[inner]):
        raise reader.refusal("weight", "does not add up", "children that hold the rows of their parents")
