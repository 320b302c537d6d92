"""CART's growing and pruning, shared by the classifier and the regressor."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np

from crake.arrays import Floats, Ints
from crake.kernels.tree.arrays import LEAF, THRESHOLD
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.tree.editing.change import Branch
from crake.learners.tree.editing.gaps import with_surrogates
from crake.learners.tree.editing.piece import Piece
from crake.learners.tree.explaining.model import OneSplit
from crake.learners.tree.growing.grove import grow_together
from crake.learners.tree.growing.grower import grow
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.pruning.best_first import best_first
from crake.learners.tree.pruning.by_rows import HOLD_OUT, pruned_by_rows
from crake.learners.tree.pruning.code_length import pruned_by_code_length
from crake.learners.tree.pruning.cost_complexity import impurity_risk, path, pruned_at
from crake.learners.tree.pruning.critical_value import pruned_at_critical_value
from crake.learners.tree.pruning.cross_validated import Method, best_alpha
from crake.learners.tree.pruning.public import grown_to_shortest
from crake.learners.tree.tree import Tree

SURROGATES = 5
"""Surrogates kept for a split where the training rows have gaps."""
ROUNDING, TIES = 1e-12, 1e-10
"""Gains per row that are none, and differences of entropies, in bits, that are none."""
MISSING: dict[str, Literal["shared", "apart", "surrogate"]] = {
    "fractional": "shared",
    "branch": "apart",
    "surrogate": "surrogate",
}

MAX_FEATURES: list[Any] = [
    Interval(Integral, 1, None, closed="left"),
    Interval(Real, 0, 1, closed="right"),
    StrOptions({"sqrt", "log2"}),
    None,
]

CONSTRAINTS: dict[str, list[Any]] = {
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_split": [Interval(Real, 0, None, closed="neither")],
    "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
    "min_weight_fraction_leaf": [Interval(Real, 0, 0.5, closed="both")],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "min_impurity_decrease": [Interval(Real, 0, None, closed="left")],
    "max_features": MAX_FEATURES,
    "missing": [StrOptions({"surrogate", "fractional", "branch"})],
    "max_surrogates": [Interval(Integral, 0, None, closed="left"), None],
    "ccp_alpha": [Interval(Real, 0, None, closed="left")],
    "pruning": [StrOptions({"cost-complexity", *HOLD_OUT}), None],
    "critical_value": [Interval(Real, 0, None, closed="left"), None],
    "folds": [Interval(Integral, 2, None, closed="left")],
    "standard_errors": [Interval(Real, 0, None, closed="left")],
    "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
    "random_state": [Interval(Integral, 0, None, closed="left")],
    "nominal": [StrOptions({"auto", "all"}), "array-like"],
}


class CARTGrowth:
    """The settings as attributes; a learner adds `criterion`, `_method()` and what a leaf answers."""

    criterion: Any
    max_depth: int | None
    min_samples_split: float
    min_samples_leaf: float
    min_weight_fraction_leaf: float
    max_leaf_nodes: int | None
    min_impurity_decrease: float
    max_features: Any
    missing: str
    max_surrogates: int | None
    ccp_alpha: float
    pruning: str | None
    critical_value: float | None
    folds: int
    standard_errors: float
    validation_fraction: float
    random_state: int
    variant: str = "cart"
    tree_: Tree

    def _method(self) -> Method:
        """Return how a tree is weighed and tested when α is chosen."""
        raise NotImplementedError

    def _growth(self) -> Growth:
        # One row on each side is no condition, whatever the row weighs; a part of a row is less than one.
        least = 0.0 if self.min_samples_leaf <= 1 and self.missing != "fractional" else float(self.min_samples_leaf)
        is_simple = self.variant == "simple-cart"
        return Growth(
            criterion=self.criterion,
            nominal="subset",
            min_leaf=least,
            min_split=0.0 if self.min_samples_split <= 2 else float(self.min_samples_split),
            max_depth=self.max_depth,
            min_decrease=float(self.min_impurity_decrease),
            missing=MISSING[self.missing],
            surrogates=SURROGATES if self.max_surrogates is None else self.max_surrogates,
            # Sums of n·log n are rounded, sums of squares of whole numbers are not.
            tolerance=TIES if self.criterion == "entropy" else 0.0,
            is_simple_cart=is_simple,
            # What rounding leaves of no gain at all is none; a squared error has its own scale.
            min_gain=0.0 if self.criterion == "squared_error" else ROUNDING,
            features=self.max_features,
            seed=self.random_state,
            is_forced=not is_simple and self.missing != "fractional",
        )

    def _grown(self, training: Training) -> Tree:
        if self.pruning == "mdl" and self.max_leaf_nodes is None and self.ccp_alpha == 0:
            return self._completed(grown_to_shortest(training, self._growth_on(training)).tree)
        tree = self._pruned_at_alpha(self._unpruned(training))
        if self.pruning == "cost-complexity" and len(training) > 1:
            method = self._method()
            risk = method.risk(tree)
            trees = path(tree, risk)
            alpha = best_alpha(trees, training, method, self.folds, self.standard_errors, self.random_state)
            tree = pruned_at(tree, risk, alpha)
        if self.pruning == "critical-value" and self.critical_value is not None:
            tree = pruned_at_critical_value(tree, self.criterion, self.critical_value)
        if self.pruning == "mdl":
            tree = pruned_by_code_length(tree, training)
        return tree

    def _pruned_by_rows(self, tree: Tree, rows: Training) -> Tree:
        """Return a tree pruned by rows that it was not grown from."""
        losses = self._method().losses
        return pruned_by_rows(tree, rows, str(self.pruning), self.criterion, losses, self.standard_errors)

    def _pruned_at_alpha(self, tree: Tree) -> Tree:
        return pruned_at(tree, impurity_risk(tree, self.criterion), self.ccp_alpha) if self.ccp_alpha > 0 else tree

    def _unpruned(self, training: Training) -> Tree:
        return self._completed(grow(training, self._growth_on(training)))

    def grown_together(self, training: Training, weights: Floats, seeds: Sequence[int]) -> list[Tree]:
        """Return the trees of several samples, weights of shape (trees, rows), grown at once, if it `grows_alike`."""
        growth = self._growth_on(training.with_weights(weights[0]))
        return [self._completed(tree) for tree in grow_together(training, growth, weights, seeds)]

    def grows_alike(self, training: Training) -> bool:
        """Return True if only rows and seed decide about the tree of a sample of these rows, without surrogates."""
        is_plain = self.variant == "cart" and self.pruning is None and self.ccp_alpha == 0
        has_shares = self.min_impurity_decrease > 0 or self.min_weight_fraction_leaf > 0
        has_none = self.max_surrogates == 0 or (self.max_surrogates is None and training.is_complete)
        return is_plain and not has_shares and self.missing == "surrogate" and has_none

    def _growth_on(self, training: Training) -> Growth:
        """Return the settings for these rows: whether surrogates are needed, and the least weight of a side."""
        growth = self._growth()
        if self.max_surrogates is None and growth.missing == "surrogate" and training.is_complete:
            growth = replace(growth, surrogates=0)
        least = max(growth.min_leaf, _least_weight(training), self.min_weight_fraction_leaf * training.total)
        return replace(growth, min_leaf=least)

    def _completed_split(self, tree: Tree, here: Training, every: Training, found: OneSplit | None) -> Piece:
        """Return the root of a forced split with its surrogates, and a side for missing values."""
        growth = self._growth_on(every)
        if growth.missing == "surrogate":
            tree = with_surrogates(tree, here, growth.surrogates)
        learner = copy(self)
        learner.max_leaf_nodes = None
        learner.variant = self.variant if found is not None else "cart"  # a cut that is asked for stays where it is
        return Piece(learner._completed(tree))  # noqa: SLF001 (the same class)

    def _below(self, branch: Branch) -> Self:
        """Return the learner for a branch, whose share of the rows is the whole of what it sees."""
        learner: Self = super()._below(branch)  # type: ignore[misc]  # that of a tree
        learner.max_leaf_nodes, learner.ccp_alpha = None, self.ccp_alpha / branch.share
        return learner

    def _limited(self, piece: Piece, leaves: int) -> Piece:
        """Return the new subtree with no more leaves than the whole tree may have, but the forced split at least."""
        if self.max_leaf_nodes is None:
            return piece
        most = max(int(piece.tree.branches[0]), self.max_leaf_nodes - leaves)
        return Piece(best_first(piece.tree, impurity_risk(piece.tree, self.criterion), most))

    def _completed(self, tree: Tree) -> Tree:
        """Return the grown tree with a side for missing values in every node, and as small as it should be."""
        if MISSING[self.missing] != "shared":
            tree = replace(tree, missing=_heavier_where_none(tree))
        if self.variant == "simple-cart":
            below = np.nextafter(tree.threshold, -np.inf)
            tree = replace(tree, threshold=np.where(tree.kind == THRESHOLD, below, tree.threshold))
        if self.max_leaf_nodes is not None:
            tree = best_first(tree, impurity_risk(tree, self.criterion), self.max_leaf_nodes)
        return tree


def _least_weight(training: Training) -> float:
    """Sides lighter than this cannot be weighed: their squares vanish beside those of all rows, or altogether."""
    total = training.total
    return max(1e-15 * total, 1e-140)


def _heavier_where_none(tree: Tree) -> Ints:
    """The branch of missing values; the heavier side, the first of equals, where no training row had one."""
    missing, weight = tree.missing.copy(), tree.weight
    nodes = np.flatnonzero((tree.kind != LEAF) & (missing < 0))
    first, branches = tree.first[nodes], tree.branches[nodes]
    heavier = np.zeros(len(nodes), np.int32)
    for branch in range(1, int(branches.max(initial=0))):
        is_there = np.flatnonzero(branch < branches)
        is_more = weight[first[is_there] + branch] > weight[first[is_there] + heavier[is_there]]
        heavier[is_there[is_more]] = branch
    missing[nodes] = heavier
    return missing


def without_heavier_side(tree: Tree) -> Tree:
    """The tree to print: that missing values take the heavier of two sides is not said at each of them."""
    return replace(tree, missing=np.where(tree.branches == 2, -1, tree.missing).astype(np.int32))
