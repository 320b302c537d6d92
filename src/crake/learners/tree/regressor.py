"""CART for numbers: splits by squared error, leaves that answer the mean."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from crake.errors import CrakeError, DataError
from crake.kernels.traverse import mixed_leaves
from crake.learners.regressor_base import Floats
from crake.learners.tree.base import TreeClassifier
from crake.learners.tree.cart_growth import (
    CONSTRAINTS,
    CARTGrowth,
    leaves_of_training,
    reached_leaves,
    without_heavier_side,
)
from crake.learners.tree.leaves import shares
from crake.learners.tree.many_values import warn_of_many_values
from crake.learners.tree.mean_views import MeanTreeViews
from crake.learners.tree.nodes import Ints, Longs, Tree
from crake.learners.tree.prune.cost_complexity import CostComplexityPath, impurity_risk, path, pruned_at
from crake.learners.tree.prune.cross_validated import Method
from crake.learners.tree.training import Layout, Training
from crake.table.table import Table

LARGEST = 1e145
"""The squares of larger numbers, added up over rows, leave the range of a double."""


class CARTRegressor(CARTGrowth, MeanTreeViews):
    """Regression trees of Breiman, Friedman, Olshen and Stone: a leaf answers the mean of its rows.

    The impurity of a node is its mean squared error Σ w·(y − mean)² / W. A nominal column is split into the two sets of
    values that remove most of it, found exactly among the prefixes of the values ordered by their mean.

    Parameters
    ----------
    max_depth : the most questions asked of a row.
    min_samples_split : a node of less weight is a leaf.
    min_samples_leaf : the least weight on either side of a split.
    max_leaf_nodes : the splits that remove most squared error are kept, up to so many leaves.
    min_impurity_decrease : a split must remove as much squared error, weighted by the node's share of the rows.
    missing : "surrogate", "fractional" or "branch", as in CARTClassifier.
    max_surrogates : stand-ins kept for a split; None: 5 where the training rows have gaps, otherwise 0.
    ccp_alpha : prune to the tree of least squared error + alpha × leaves.
    pruning : None, or "cost-complexity": the same with alpha chosen by cross-validation.
    folds : of that cross-validation.
    standard_errors : 0 takes the tree of the least cross-validated error, 1 the smallest within one standard error.
    random_state : how that cross-validation deals the rows.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> X, y = [["red"], ["blue"], ["red"], ["green"], ["blue"]], [1.0, 3.0, 2.0, 8.0, 5.0]
    >>> print(CARTRegressor(max_depth=1).fit(X, y))
    x0 in {blue, red}: 2.75 (4)
    x0 = green: 8 (1)
    <BLANKLINE>
    2 leaves, 3 nodes

    Breiman, Friedman, Olshen, Stone (1984), Classification and regression trees.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = CONSTRAINTS
    criterion = "squared_error"

    def __init__(
        self,
        *,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        missing: str = "surrogate",
        max_surrogates: int | None = None,
        ccp_alpha: float = 0.0,
        pruning: str | None = None,
        folds: int = 10,
        standard_errors: float = 0,
        random_state: int = 1,
        nominal: Any = "auto",
    ) -> None:
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.ccp_alpha = ccp_alpha
        self.pruning = pruning
        self.folds = folds
        self.standard_errors = standard_errors
        self.random_state = random_state
        self.nominal = nominal

    n_nodes_ = TreeClassifier.n_nodes_
    n_leaves_ = TreeClassifier.n_leaves_
    depth_ = TreeClassifier.depth_

    def answers(self, table: Table) -> Floats:
        """The mean of the leaf each row reaches; a weighted mean of several under missing="fractional"."""
        codes = table.source.matrix([column.name for column in table.schema.nominal], np.int32)
        values = table.source.matrix([column.name for column in table.schema.numeric], np.float64)
        return _answers(self.tree_, Layout.of(self.schema_), values, codes)

    def cost_complexity_path(self) -> CostComplexityPath:
        """The trees that minimise squared error + α·leaves for some α, from this one to its root."""
        check_is_fitted(self)
        return path(self.tree_, impurity_risk(self.tree_, self.criterion))

    def prune(self, how: str = "cost-complexity", *, alpha: float) -> Self:
        """A new model whose tree is this one with least squared error + alpha × leaves; this model stays as it is."""
        check_is_fitted(self)
        if how != "cost-complexity":
            raise CrakeError(f"there is no pruning {how!r} of numbers; expected 'cost-complexity'")
        model = copy(self)
        model.tree_ = pruned_at(self.tree_, impurity_risk(self.tree_, self.criterion), alpha)
        return model

    def _learn(self, table: Table, y: Floats) -> None:
        if np.abs(y).max() > LARGEST:
            raise DataError(
                f"the target holds {y[np.argmax(np.abs(y))]:g}; the squares of numbers beyond {LARGEST:g} cannot be "
                "added: divide the target by a constant"
            )
        warn_of_many_values(table)
        weights = table.weights if table.weights is not None else np.zeros(0)
        training = Training(
            np.ascontiguousarray(table.source.matrix([c.name for c in table.schema.numeric], np.float64)),
            np.ascontiguousarray(table.source.matrix([c.name for c in table.schema.nominal], np.int32).T),
            np.zeros(len(y), np.uint8),
            np.zeros(0) if np.all(weights == 1.0) else weights,
            1,
            Layout.of(table.schema),
            y,
        )
        self.tree_ = self._grown(training)

    def _method(self) -> Method:
        return Method(
            self._unpruned,
            lambda tree: impurity_risk(tree, "squared_error"),
            lambda tree, rows: (rows.response - _answers_to_training(tree, rows)) ** 2,
            lambda tree, rows, nodes: (rows.response - tree.responses[nodes, 0]) ** 2,
            leaves_of_training if self.missing != "fractional" else None,
        )

    @property
    def _shown_tree(self) -> Tree:
        return without_heavier_side(self.tree_)


def _answers(tree: Tree, layout: Layout, values: Floats, codes: Ints, rows: Longs | None = None) -> Floats:
    means = tree.responses[:, 0]
    if (tree.missing[tree.branches > 0] >= 0).all():
        reached: Floats = means[reached_leaves(tree, layout, values, codes, rows)]
        return reached
    mixed: NDArray[np.float64] = mixed_leaves(
        np.arange(len(values)) if rows is None else rows, values, codes, layout.is_numeric, layout.place, tree.kind,
        tree.feature, tree.threshold, tree.value, tree.missing, tree.groups, tree.cuts, tree.first, tree.branches,
        shares(tree), np.ascontiguousarray(means.reshape(-1, 1)),
    )  # fmt: skip
    return mixed[:, 0]


def _answers_to_training(tree: Tree, rows: Training) -> Floats:
    return _answers(tree, rows.layout, np.ascontiguousarray(rows.values), np.ascontiguousarray(rows.codes.T))
