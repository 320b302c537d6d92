"""Trees and forests of scikit-learn as crake's: nodes level by level, thresholds for rows that are not rounded."""

from __future__ import annotations

from typing import Any

import numpy as np

from crake.arrays import Floats, Longs
from crake.errors import CrakeError
from crake.kernels.tree.arrays import LEAF, THRESHOLD
from crake.learners.ensemble.bagging.learner import BaggingClassifier
from crake.learners.ensemble.bagging.regressor import BaggingRegressor
from crake.learners.ensemble.forest.learner import ForestClassifier
from crake.learners.ensemble.forest.regressor import ForestRegressor
from crake.learners.from_scikit_learn.columns import schema_of, with_columns
from crake.learners.tree.algorithms.cart import CARTClassifier
from crake.learners.tree.algorithms.cart_regressor import CARTRegressor
from crake.learners.tree.tree import NO_CHILD, Tree
from crake.table.schema import Schema


def single_tree(model: Any) -> Any:
    """Return the CART tree with the same splits."""
    return _member(model.tree_, schema_of(model), model)


def forest(model: Any) -> Any:
    """Return the forest of the same trees; a vote is a tree's probabilities, as in scikit-learn."""
    schema = schema_of(model)
    members = [_member(each.tree_, schema, model) for each in model.estimators_]
    kind = ForestClassifier if schema.classes else ForestRegressor
    learner = with_columns(kind(n_estimators=len(members), oob_score=False), schema, model)
    return _with_members(learner, members)


def bagging(model: Any) -> Any:
    """Return the bagged trees; members that see all columns and all classes have the same form."""
    schema = schema_of(model)
    own = [type(each).__name__ for each in model.estimators_]
    odd = [kind for kind in own if kind not in ("DecisionTreeClassifier", "DecisionTreeRegressor")]
    if odd:
        raise CrakeError(f"expected bagging of decision trees, got a member {odd[0]}")
    whole = np.arange(model.n_features_in_)
    if any(not np.array_equal(columns, whole) for columns in model.estimators_features_):
        raise CrakeError("expected members that see all columns in their order, got max_features or bootstrap_features")
    if schema.classes and any(each.n_classes_ != len(schema.classes) for each in model.estimators_):
        raise CrakeError("expected rows of every class in every sample, got a member that has not met one")
    members = [_member(each.tree_, schema, model) for each in model.estimators_]
    kind, tree = (BaggingClassifier, CARTClassifier) if schema.classes else (BaggingRegressor, CARTRegressor)
    learner = with_columns(kind(tree(), n_estimators=len(members), oob_score=False), schema, model)
    return _with_members(learner, members)


def _with_members(learner: Any, members: list[Any]) -> Any:
    """Return an ensemble of these members, of which no row is out of bag."""
    learner.estimators_ = members
    if learner.schema_.classes:
        learner._oob_counts, learner.oob_errors_ = (0.0, 0.0), np.zeros(0)  # noqa: SLF001
    else:
        learner._oob = np.zeros(0)  # noqa: SLF001
    return learner


def _member(tree: Any, schema: Schema, model: Any) -> Any:
    learner = CARTClassifier() if schema.classes else CARTRegressor()
    with_columns(learner, schema, model).tree_ = tree_of(tree, is_classifier=bool(schema.classes))
    return learner


def tree_of(own: Any, *, is_classifier: bool) -> Tree:
    """Return a tree of scikit-learn, its nodes level by level."""
    order = level_order(own.children_left, own.children_right)
    is_leaf = own.children_left[order] < 0
    branches = np.where(is_leaf, 0, 2).astype(np.int64)
    weight = np.asarray(own.weighted_n_node_samples, np.float64)[order]
    value = np.asarray(own.value, np.float64)[order, 0]
    goes_left = np.asarray(own.missing_go_to_left, bool)[order]
    numbers = np.column_stack([value[:, 0], np.maximum(own.impurity[order], 0.0) * weight])
    return Tree(
        kind=np.where(is_leaf, LEAF, THRESHOLD).astype(np.int32),
        feature=np.where(is_leaf, -1, own.feature[order]).astype(np.int32),
        threshold=np.where(is_leaf, np.nan, unrounded(own.threshold[order])),
        value=np.full(len(order), -1, np.int64),
        first=np.where(is_leaf, NO_CHILD, 1 + np.cumsum(branches) - branches),
        branches=branches,
        counts=_summed_up(value * weight[:, None] if is_classifier else weight[:, None], branches),
        missing=np.where(is_leaf, -1, np.where(goes_left, 0, 1)).astype(np.int32),
        groups=np.zeros(0, np.int32),
        cuts=np.zeros(0),
        responses=np.zeros((0, 2)) if is_classifier else numbers,
    )


def level_order(left: Longs, right: Longs) -> Longs:
    """Return the nodes level by level, the children of a node side by side."""
    order = [0]
    for node in order:  # it grows as it is read
        if left[node] >= 0:
            order += [int(left[node]), int(right[node])]
    return np.array(order)


def unrounded(threshold: Floats) -> Floats:
    """Return the largest double whose rounding to single precision is not above a threshold.

    >>> unrounded(np.array([0.5, 0.1])).tolist()
    [0.5000000298023224, 0.09999999776482582]
    >>> (np.float32(0.5000000298023224) <= 0.5, np.float32(0.5000000298023225) <= 0.5)
    (np.True_, np.False_)
    """
    threshold = np.asarray(threshold, np.float64)
    below = threshold.astype(np.float32)
    with np.errstate(over="ignore"):
        below = np.where(below.astype(np.float64) > threshold, np.nextafter(below, np.float32(-np.inf)), below)
        above = np.nextafter(below, np.float32(np.inf)).astype(np.float64)
    middle = (below.astype(np.float64) + above) / 2
    is_even = below.view(np.int32) % 2 == 0  # the middle is rounded to the even one
    ends: Floats = np.where(is_even, middle, np.nextafter(middle, -np.inf))
    return np.where(np.isfinite(above), ends, np.finfo(np.float64).max)


def _summed_up(counts: Floats, branches: Longs) -> Floats:
    """Return counts in which a node's are the sums of its children's, which rounding had changed."""
    counts, first = counts.copy(), 1 + np.cumsum(branches) - branches
    for node in range(len(counts) - 1, -1, -1):
        if branches[node]:
            counts[node] = counts[first[node]] + counts[first[node] + 1]
    return counts
