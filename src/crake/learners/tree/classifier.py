"""The base of tree classifiers: growing on a table, prediction, explanation, pruning, model files."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.criteria import is_telling
from crake.export.forms import Form
from crake.kernels.tree.arrays import LEAF
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.state import State, StateReader
from crake.learners.tree.editing.change import Branch
from crake.learners.tree.editing.edit import without_places
from crake.learners.tree.editing.piece import Piece
from crake.learners.tree.editing.state import edited_tree_of, edited_tree_state
from crake.learners.tree.estimator import TreeEstimator
from crake.learners.tree.explaining.cut_points import thresholds_of
from crake.learners.tree.explaining.labelled_rows import labelled_rows
from crake.learners.tree.explaining.prediction import explain_path
from crake.learners.tree.export.form import tree_form
from crake.learners.tree.growing.counted_tree import is_counted
from crake.learners.tree.growing.grove import grow_together
from crake.learners.tree.growing.grower import grow, sort_columns
from crake.learners.tree.growing.sampled_tree import is_sampled
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.many_values import warn_of_many_values
from crake.learners.tree.predicting.arrivals import arriving
from crake.learners.tree.predicting.descent import Descent
from crake.learners.tree.predicting.leaves import leaf_probabilities
from crake.learners.tree.predicting.routing import Cases
from crake.learners.tree.predicting.wrong_rows import wrong_rows
from crake.learners.tree.pruning.by_rows import grown_on_part, holds_out, pruned_by_rows
from crake.learners.tree.pruning.critical_value import pruned_at_critical_value
from crake.learners.tree.pruning.fitted_tree import PruningSettings, pruned_again
from crake.learners.tree.pruning.public import grown_to_shortest
from crake.learners.tree.scanned.grower import grow_scanned, is_bounded, prefers_intervals, where_memory_allows
from crake.learners.tree.scanned.layout import bytes_beside, class_factors_of, laid_out
from crake.learners.tree.scanned.partitions import rows_of_scan
from crake.learners.tree.scanned.rows import ScannedRows
from crake.learners.tree.tree import Tree
from crake.notices import each_once
from crake.render.workings import Workings
from crake.table.convert.export import label_array
from crake.table.schema import Column
from crake.table.table import Table


class TreeClassifier(TreeEstimator, TableClassifier):
    """A decision tree of classes, with the methods that all of crake's trees have.

    A learner implements `_growth()` and, if it prunes, `_finished(tree, training)`. Sums of weights are exact, unless
    the learner is to round them as WEKA does, row by row.
    """

    nominal: Any
    has_exact_sums: ClassVar[bool] = True
    pruning: str | None = None
    critical_value: float | None = None
    standard_errors: float = 0
    validation_fraction: float = 1 / 3
    random_state: int = 1

    def _finished(self, tree: Tree, training: Training) -> Tree:
        """Return the tree after whatever follows growing."""
        del training
        return tree

    def _learn(self, table: Table) -> None:
        self.edits_ = ()
        if not table.in_memory:
            self._learn_scan(rows_of_scan(table))
            return
        (batch,) = table.batches()
        self._warn(table)
        self._learn_rows(table, Training.of(table.schema, batch, has_grid=self.has_exact_sums))

    def _learn_scan(self, rows: ScannedRows) -> None:
        """Learn from rows that need not fit into memory."""
        self.schema_, self.left_out_ = rows.schema, rows.left_out
        self.classes_ = label_array(rows.schema.classes)
        self._warn(rows.table)
        growth = self._growth_on(rows.no_rows())
        has_weights = rows.is_weighted or self.class_weight is not None
        if not has_weights and is_bounded(rows, growth):
            tree = self._grown_scan(rows, growth)
            if tree is not None:
                self.tree_ = tree
                return
        beside = bytes_beside(self.pruning, deals_rows=getattr(self, "window", None) is not None)
        with laid_out(rows, class_factors_of(self.class_weight, rows), beside) as training:
            self.tree_ = self._tree_of(training)

    def _grown_scan(self, rows: ScannedRows, growth: Growth) -> Tree | None:
        """Return the tree grown from intervals; None where lists are to be preferred."""
        if self.pruning is not None or not prefers_intervals(rows, growth):
            return None
        tree = (
            grow_scanned(rows, growth)
            if growth.criterion == "gini"
            else where_memory_allows(lambda: grow_scanned(rows, growth))
        )
        return None if tree is None else self._completed_scan(tree)

    def _completed_scan(self, tree: Tree) -> Tree:
        """Return the tree that was grown from intervals after whatever follows growing."""
        return tree

    def learn_again(self, table: Table, training: Training, *, warns: bool) -> Self:
        """Fit on the rows of a table that are laid out already, for one of many trees; `warns` of its columns.

        The parameters have been checked.
        """
        self._take_columns(table)
        if warns:
            self._warn(table)
        self._learn_rows(table, training)
        return self

    def take_tree(self, table: Table, tree: Tree, *, warns: bool) -> Self:
        """Become the model of a tree that was grown from rows of a table together with others."""
        self._take_columns(table)
        if warns:
            self._warn(table)
        self.schema_, self.classes_, self.tree_ = table.schema, label_array(table.schema.classes), tree
        return self

    def hold(self, table: Table, tree: Tree) -> Self:
        """Become the model of a tree that was grown from a table, whose columns were read as `fit` reads them."""
        with each_once():
            self._warn(table)
        self.schema_, self.classes_, self.tree_ = table.schema, label_array(table.schema.classes), tree
        return self

    def _take_columns(self, table: Table) -> None:
        self.n_features_in_ = len(table.schema.features)
        self.feature_names_in_ = np.array([column.name for column in table.schema.features], dtype=object)
        self.missing_, self.left_out_ = table.missing, 0

    def sort_columns(self, training: Training) -> None:
        """Sort the columns that trees of these rows under whole weights share."""
        sort_columns(training, self._growth_on(training))

    def grows_whole(self, training: Training) -> bool:
        """Return whether each tree of these rows under whole weights is grown by one kernel."""
        return self.pruning != "mdl" and is_sampled(training.with_weights(np.zeros(0)), self._growth_on(training))

    def grows_alone(self, training: Training) -> bool:
        """Return whether each tree of these rows, under any weights, is grown by one kernel."""
        is_one_kernel = self.pruning != "mdl" and is_counted(training, self._growth_on(training))
        return is_one_kernel or self.grows_whole(training)

    def _growth_on(self, training: Training) -> Growth:
        """Return the settings of growing that may depend on the rows."""
        del training
        return self._growth()

    def _learn_rows(self, table: Table, training: Training) -> None:
        self.schema_ = table.schema
        self.classes_ = label_array(table.schema.classes)
        self.tree_ = self._tree_of(training)

    def _tree_of(self, training: Training) -> Tree:
        """Return the tree of these rows, some of which may be held out from growing."""
        is_parted = holds_out(self.pruning, self.critical_value)
        return self._grown_on_part(training) if is_parted else self._grown(training)

    def _warn(self, table: Table) -> None:
        """Warn of columns that will do no good."""
        warn_of_many_values(table)

    def _grown_on_part(self, training: Training) -> Tree:
        """Return the tree of some of the rows, pruned by the others."""
        return grown_on_part(training, self._grown, self._pruned_by_rows, self.validation_fraction, self.random_state)

    def _pruned_by_rows(self, tree: Tree, rows: Training) -> Tree:
        """Return a tree pruned by rows that it was not grown from."""
        return pruned_by_rows(tree, rows, str(self.pruning), self._measure, wrong_rows, self.standard_errors)

    def _at_critical_value(self, tree: Tree) -> Tree:
        """Return the tree pruned at the critical value, if one is given."""
        if self.pruning != "critical-value" or self.critical_value is None:
            return tree
        return pruned_at_critical_value(tree, self._measure, self.critical_value)

    def _grown(self, training: Training) -> Tree:
        """Return the tree of these rows."""
        if self.pruning == "mdl":
            return grown_to_shortest(training, self._growth_on(training)).tree
        return self._finished(grow(training, self._growth_on(training)), training)

    def _regrown(self, branch: Branch) -> Piece:
        return Piece(self._below(branch)._tree_of(branch.training))  # noqa: SLF001 (the same class)

    def grows_alike(self, training: Training) -> bool:
        """Return True if samples of these rows may grow together: nothing is held out of them, or drawn from them."""
        del training
        is_plain = type(self)._grown is TreeClassifier._grown  # noqa: SLF001 (a learner may grow in its own way)
        return is_plain and self.pruning != "mdl" and not holds_out(self.pruning, self.critical_value)

    def grown_together(self, training: Training, weights: Floats, seeds: Sequence[int]) -> list[Tree]:
        """Return the trees of several samples, weights of shape (trees, rows), grown at once, if it `grows_alike`."""
        trees = grow_together(training, self._growth(), weights, seeds)
        return [self._finished(tree, training.with_weights(own)) for tree, own in zip(trees, weights, strict=True)]

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the class shares of the leaf each row reaches; a mixture where values are missing or new."""
        return Descent.of(self.tree_, self.schema_, laplace=self.laplace).predictions(self.tree_, Cases.of(table), rows)

    def explain(self, row: Any) -> Workings:
        """Return the splits on a row's path with their counts and gains, and the class shares where it ends.

        A row with a missing value goes down several branches in parts; the prediction is that of `predict_proba`.
        """
        table = self._one_row(row)
        return explain_path(self._model(), table, self.probabilities(table)[0])

    def prune(
        self,
        how: str,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        confidence: float = 0.25,
        raising: bool = True,
        alpha: float = 0.0,
        critical_value: float | None = None,
    ) -> Self:
        """Return a new model whose tree is this one pruned; this model stays as it is.

        "pessimistic" and "mdl" take the table (or X and y) that the model was fitted on; "reduced-error",
        "error-complexity" and "critical-value" without a `critical_value` take rows that it was not fitted on;
        "cost-complexity" (to the least impurity + alpha × leaves) and "collapse" none. Branches are raised only in
        trees without surrogates.
        """
        how_much = PruningSettings(confidence, raising, alpha, critical_value)
        model = copy(self)
        model.tree_ = pruned_again(self._model(), how, (X, y, sample_weight), how_much)
        model.edits_ = without_places(self.edits_)
        return model

    def _seems_fitted_on(self, table: Table) -> bool:
        if not is_telling(self.tree_.counts[self.tree_.kind == LEAF].T):
            return False
        counts = arriving(self.tree_, labelled_rows(self._model(), table))
        return bool(np.allclose(counts, self.tree_.counts, rtol=1e-9, atol=1e-9))

    def _form(self) -> Form:
        return tree_form(self.tree_, self.schema_, self.leaf_probabilities_)

    @property
    def leaf_probabilities_(self) -> Floats:
        """The class shares that every node predicts (an inner one: would predict), shape (nodes, classes)."""
        return leaf_probabilities(self.tree_, laplace=self.laplace)

    def _cut_points(self, column: Column) -> Floats:
        return thresholds_of(self.tree_, [each.name for each in self.schema_.features].index(column.name))

    def _has_cuts_below(self) -> bool:
        return True

    def state(self) -> State:
        """Return the tree, with the class weights of its nodes."""
        return {**super().state(), **edited_tree_state(self.tree_, self.edits_, self.schema_)}

    def restore(self, reader: StateReader) -> Self:
        """Take over a stored tree, if it is sound."""
        super().restore(reader)
        self.classes_ = label_array(self.schema_.classes)
        self.tree_, self.edits_ = edited_tree_of(reader, self.schema_)
        return self
