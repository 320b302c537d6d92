"""CART for regression: splits by squared error, leaves that predict the mean."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Longs
from crake.learners.base.card import Card
from crake.learners.tree.algorithms.cart_common import CONSTRAINTS, CARTGrowth, without_heavier_side
from crake.learners.tree.editing.change import Branch
from crake.learners.tree.editing.piece import Piece
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.many_values import warn_of_many_values
from crake.learners.tree.predicting.routing import Cases, leaves_of_training, mixed_predictions, reached_leaves
from crake.learners.tree.pruning.by_rows import grown_on_part, holds_out
from crake.learners.tree.pruning.cost_complexity import impurity_risk
from crake.learners.tree.pruning.cross_validated import Method
from crake.learners.tree.regressor import TreeRegressor
from crake.learners.tree.scanned.layout import bytes_beside
from crake.learners.tree.scanned.numbers import ScannedNumbers
from crake.learners.tree.tree import Tree, scaled_response
from crake.table.table import Table


class CARTRegressor(CARTGrowth, TreeRegressor):
    """Regression trees of Breiman, Friedman, Olshen and Stone: a leaf predicts the mean of its rows.

    The impurity of a node is its mean squared error Σ w·(y − mean)² / W. A nominal column is split into the two sets of
    values that remove most of it, found exactly among the prefixes of the values ordered by their mean.

    Parameters
    ----------
    max_depth : the most splits on a path.
    min_samples_split : a node of less weight is a leaf.
    min_samples_leaf : the least weight on either side of a split.
    min_weight_fraction_leaf : the least weight there as a share of all rows' weight.
    max_leaf_nodes : the most leaves; the splits that remove most squared error are kept.
    min_impurity_decrease : a split must remove as much squared error, weighted by the node's share of the rows.
    max_features : columns looked at in each node, drawn at random: a number, a share, "sqrt" or "log2"; None: all. More
        are drawn while none of them splits the node.
    missing : "surrogate", "fractional" or "branch", as in CARTClassifier.
    max_surrogates : surrogates kept for a split; None: 5 where the training rows have gaps, otherwise 0.
    ccp_alpha : prune to the tree of least squared error + alpha × leaves.
    pruning : None; "cost-complexity": the same with alpha chosen by cross-validation; or by the squared error of rows
        held out from growing: "reduced-error", "error-complexity" (alpha by these rows) or "critical-value".
    critical_value : with pruning="critical-value" a subtree stays if one of its splits takes away this share of the
        squared error of its node; None: the rows held out choose it.
    folds : of that cross-validation.
    standard_errors : 0 takes the tree of the least error of these tests, 1 the smallest within one standard error.
    validation_fraction : the share of the rows held out for pruning.
    random_state : how the cross-validation deals the rows, which rows are held out, which columns are drawn.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> X, y = [["red"], ["blue"], ["red"], ["green"], ["blue"]], [1.0, 3.0, 2.0, 8.0, 5.0]
    >>> print(CARTRegressor(max_depth=1).fit(X, y))
    x0 in {blue, red}: 2.75 (4)
    x0 = green: 8 (1)
    <BLANKLINE>
    2 leaves, 3 nodes

    Breiman, Friedman, Olshen, Stone (1984), Classification and regression trees.
    """

    card = Card(
        title="CART regression tree",
        about="tree with two branches at each node and a mean in each leaf",
        model="a tree",
        missing="other columns decide (surrogates)",
        has_interactions=True,
        time="a sort per number, a pass per level",
    )
    scans_rows = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = CONSTRAINTS
    criterion = "squared_error"

    def __init__(
        self,
        *,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        max_features: Any = None,
        missing: str = "surrogate",
        max_surrogates: int | None = None,
        ccp_alpha: float = 0.0,
        pruning: str | None = None,
        critical_value: float | None = None,
        folds: int = 10,
        standard_errors: float = 0,
        validation_fraction: float = 1 / 3,
        random_state: int = 1,
        nominal: Any = "auto",
    ) -> None:
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.ccp_alpha = ccp_alpha
        self.pruning = pruning
        self.critical_value = critical_value
        self.folds = folds
        self.standard_errors = standard_errors
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.nominal = nominal

    def answers(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the mean of the leaf each row reaches; a weighted mean of several under missing="fractional"."""
        return _answers(self.tree_, Cases.of(table), rows)

    def take_tree(self, table: Table, tree: Tree, *, warns: bool) -> Self:
        """Become the model of a tree that was grown from rows of a table together with others."""
        if warns:
            warn_of_many_values(table)
        self.n_features_in_ = len(table.schema.features)
        self.feature_names_in_ = np.array([column.name for column in table.schema.features], dtype=object)
        self.missing_, self.left_out_, self.schema_, self.tree_ = table.missing, 0, table.schema, tree
        return self

    def _learn(self, table: Table, y: Floats) -> None:
        warn_of_many_values(table)
        self._learn_rows(Training.of_numbers(table, y))

    def _learn_scan(self, table: Table) -> None:
        rows = ScannedNumbers.of(table)
        self.schema_, self.left_out_ = rows.schema, rows.left_out
        warn_of_many_values(rows.table)
        with rows.laid_out(bytes_beside(self.pruning)) as training:
            self._learn_rows(training)

    def _learn_rows(self, training: Training) -> None:
        y, power = scaled_response(training.response)
        training = replace(training, response=y)
        self.edits_, self.tree_ = (), self._tree_of(training, power).with_response_times(power)

    def _tree_of(self, training: Training, power: int) -> Tree:
        """Return the tree of these rows, whose numbers were divided by 2 to this power."""
        grown = self._for_numbers_over(power)._grown  # noqa: SLF001 (the same class)
        if not holds_out(self.pruning, self.critical_value):
            return grown(training)
        pruned = self._pruned_by_rows
        return grown_on_part(training, grown, pruned, self.validation_fraction, self.random_state)

    def _regrown(self, branch: Branch) -> Piece:
        return Piece(self._below(branch)._tree_of(branch.training, branch.power))  # noqa: SLF001 (the same class)

    def _for_numbers_over(self, power: int) -> Self:
        """Return the learner for numbers divided by 2 to this power; two of its parameters are squares of those."""
        if not power:
            return self
        learner = copy(self)
        with np.errstate(over="ignore"):  # beyond all squared errors
            learner.ccp_alpha = float(np.ldexp(self.ccp_alpha, -2 * power))
            learner.min_impurity_decrease = float(np.ldexp(self.min_impurity_decrease, -2 * power))
        return learner

    def _method(self) -> Method:
        return Method(
            self._unpruned,
            lambda tree: impurity_risk(tree, "squared_error"),
            lambda tree, rows: (rows.response - _answers(tree, Cases.of_training(rows))) ** 2,
            lambda tree, rows, nodes: (rows.response - tree.responses[nodes, 0]) ** 2,
            leaves_of_training if self.missing != "fractional" else None,
        )

    @property
    def _shown_tree(self) -> Tree:
        return without_heavier_side(self.tree_)


def _answers(tree: Tree, cases: Cases, rows: Longs | None = None) -> Floats:
    means = np.ascontiguousarray(tree.responses[:, :1])
    if (tree.missing[tree.branches > 0] >= 0).all():
        reached: Floats = means[reached_leaves(tree, cases, rows), 0]
        return reached
    return mixed_predictions(tree, cases, means, rows)[:, 0]
