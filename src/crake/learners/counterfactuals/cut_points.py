"""Where the answer may change as one number moves: at the cuts of a model, or where two classes are equal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.kernels.tree.partition import INTERVALS, THRESHOLD
from crake.learners.base.classifier import TableClassifier
from crake.learners.counterfactuals.crossings import gaussian_crossings, linear_crossings
from crake.learners.counterfactuals.queries import Asked
from crake.learners.logistic import LogisticClassifier
from crake.learners.majority.learner import MajorityClassifier
from crake.learners.naive_bayes import NaiveBayesClassifier
from crake.learners.one_rule import OneRuleClassifier
from crake.table.schema import Column

Floats = NDArray[np.float64]


def points_of(asked: Asked, column: Column, answer: int) -> Floats | None:
    """Values of the column between which the answer stays; None where no formula gives them."""
    within = learner_within(asked.model)
    cuts = cuts_of(within, column)
    if cuts is not None:
        return cuts
    if within is not innermost(asked.model):  # a map or a cutoff moves the crossings
        return None
    if isinstance(within, LogisticClassifier):
        return linear_crossings(Asked(within, asked.row, asked.memory), column, answer)
    if isinstance(within, NaiveBayesClassifier) and within.numeric_ == "gaussian" and not hasattr(within, "precision_"):
        return gaussian_crossings(Asked(within, asked.row, asked.memory), column, answer)
    return None


def cuts_of(model: Any, column: Column) -> Floats | None:
    """The cuts of a model that answers the same between them, however its answers are used then."""
    if isinstance(model, MajorityClassifier):
        return np.zeros(0)
    if isinstance(model, OneRuleClassifier):
        cuts: Floats = model.rule_.cuts
        return cuts if model.attribute_ == column.name else np.zeros(0)
    if isinstance(model, NaiveBayesClassifier):
        if model.numeric_ != "discretised":
            return None
        return np.asarray(model.intervals_[model.schema_.numeric.index(column)].cuts)
    return _tree_cuts(model, column) if hasattr(model, "tree_") else None


def _tree_cuts(model: Any, column: Column) -> Floats:
    """All thresholds, also those of splits that stand in for others."""
    tree = model.tree_
    j = model.schema_.features.index(column)
    own = tree.threshold[(tree.feature == j) & (tree.kind == THRESHOLD)]
    stand_ins = tree.surrogates.threshold[tree.surrogates.feature == j]
    several = [
        tree.cuts[int(tree.value[node]) : int(tree.value[node]) + int(tree.branches[node]) - 1]
        for node in np.flatnonzero((tree.feature == j) & (tree.kind == INTERVALS))
    ]
    found: Floats = np.unique(np.concatenate([own, stand_ins, *several]))
    finite: Floats = found[np.isfinite(found)]
    return finite


def learner_within(model: Any) -> Any:
    """The learner that gives the probabilities, within whatever is around it."""
    while isinstance(getattr(model, "learner_", None), TableClassifier):
        model = model.learner_
    return model


def innermost(model: Any) -> Any:
    """The same, as far as its probabilities are the model's own and the most probable class is the answer."""
    while isinstance(getattr(model, "learner_", None), TableClassifier):
        if type(model).__name__ != "Tuned" and not getattr(model, "not_calibrated_", ""):
            return model
        model = model.learner_
    return model
