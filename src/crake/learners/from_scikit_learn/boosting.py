"""Gradient boosting of scikit-learn as crake's boosted trees: the score without trees, and what each tree adds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.kernels.tree.arrays import LEAF, THRESHOLD
from crake.learners.ensemble.boosting.learner import BoostedTreesClassifier
from crake.learners.ensemble.boosting.regressor import BoostedTreesRegressor
from crake.learners.ensemble.boosting.trees import BEYOND, BoostedTrees
from crake.learners.from_scikit_learn.columns import schema_of, with_columns
from crake.learners.from_scikit_learn.trees import level_order, unrounded


def gradient_boosting(model: Any) -> Any:
    """Return the boosted trees of the same rounds."""
    if model.loss not in ("log_loss", "squared_error", "absolute_error", "huber", "quantile"):
        raise CrakeError(f"expected loss='log_loss' or one of a number, got {model.loss!r}, whose scores differ")
    if model.init is not None and not isinstance(model.init, str):
        raise CrakeError("expected init=None or 'zero', got a model: its scores depend on the row")
    base = np.asarray(model._raw_predict_init(np.zeros((1, model.n_features_in_))), np.float64)[0]  # noqa: SLF001
    rate, trees = float(model.learning_rate), []
    for each in model.estimators_.ravel():
        own = each.tree_
        nodes = {
            "left": own.children_left,
            "right": own.children_right,
            "feature": own.feature,
            "threshold": unrounded(own.threshold),
            "missing": np.where(own.missing_go_to_left, 0, 1),
            "answer": own.value[:, 0, 0] * rate,
            "weight": own.weighted_n_node_samples,
        }
        trees.append(_boosted(nodes))
    return _learner(model, base, trees)


def histogram_boosting(model: Any) -> Any:
    """Return the boosted trees of the same rounds; columns of categories have no counterpart."""
    if model.loss not in ("log_loss", "squared_error", "absolute_error", "quantile"):
        raise CrakeError(f"expected a loss whose score is the prediction or its log odds, got {model.loss!r}")
    if np.any(getattr(model, "is_categorical_", None)):  # it also has its columns in another order
        raise CrakeError("expected columns of numbers, got categorical_features: fit without them, or with crake")
    trees = []
    for each in (tree for a_round in model._predictors for tree in a_round):  # noqa: SLF001
        own = each.nodes
        is_leaf = own["is_leaf"].astype(bool)
        threshold = np.asarray(own["num_threshold"], np.float64)
        nodes = {
            "left": np.where(is_leaf, -1, own["left"].astype(np.int64)),
            "right": np.where(is_leaf, -1, own["right"].astype(np.int64)),
            "feature": own["feature_idx"],
            "threshold": np.where(np.isfinite(threshold), threshold, BEYOND),
            "missing": np.where(own["missing_go_to_left"], 0, 1),
            "answer": own["value"],
            "weight": own["count"],
        }
        trees.append(_boosted(nodes))
    base = np.asarray(model._baseline_prediction, np.float64).ravel()  # noqa: SLF001
    return _learner(model, base, trees)


def _learner(model: Any, base: Floats, trees: Sequence[BoostedTrees]) -> Any:
    schema = schema_of(model)
    rounds = max(1, len(trees) // len(base))
    kind = BoostedTreesClassifier if schema.classes else BoostedTreesRegressor
    learner = with_columns(kind(n_estimators=rounds), schema, model)
    learner.trees_ = BoostedTrees.joined(list(trees))
    learner.base_, learner.held_out_losses_ = base, np.zeros(0)
    return learner


def _boosted(nodes: dict[str, Any]) -> BoostedTrees:
    """Return one tree, its nodes level by level."""
    order = level_order(nodes["left"], nodes["right"])
    is_leaf = np.asarray(nodes["left"])[order] < 0
    branches = np.where(is_leaf, 0, 2)
    n = len(order)
    return BoostedTrees(
        roots=np.array([0, n]),
        kind=np.where(is_leaf, LEAF, THRESHOLD).astype(np.int32),
        feature=np.where(is_leaf, -1, np.asarray(nodes["feature"])[order]).astype(np.int32),
        threshold=np.where(is_leaf, 0.0, np.asarray(nodes["threshold"])[order]),
        value=np.full(n, -1, np.int64),
        missing=np.where(is_leaf, -1, np.asarray(nodes["missing"])[order]).astype(np.int32),
        groups=np.zeros(0, np.int32),
        first=np.where(is_leaf, -1, 1 + np.cumsum(branches) - branches).astype(np.int64),
        answer=np.where(is_leaf, np.asarray(nodes["answer"])[order], 0.0),
        weight=np.asarray(nodes["weight"], np.float64)[order],
        gain=np.zeros(n),
    )
