"""The base of regression trees: prediction, explanation, pruning, model files."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from crake.errors import CrakeError
from crake.export.forms import Form
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.state import State, StateReader
from crake.learners.base.training_rows import row_weights
from crake.learners.tree.editing.edit import without_places
from crake.learners.tree.editing.state import edited_tree_of, edited_tree_state
from crake.learners.tree.estimator import TreeEstimator
from crake.learners.tree.explaining.labelled_rows import labelled_rows
from crake.learners.tree.explaining.prediction import explain_mean
from crake.learners.tree.export.form import tree_form
from crake.learners.tree.predicting.arrivals import response_sums
from crake.learners.tree.pruning.fitted_tree import PruningSettings, pruned_again
from crake.learners.tree.scanned.numbers import ScannedNumbers
from crake.notices import each_once
from crake.render.workings import Workings
from crake.table.schema import Kind
from crake.table.sources.scanned_table import with_numbers, with_row_weights
from crake.table.table import Table


class TreeRegressor(TreeEstimator, TableRegressor):
    """A tree whose leaves predict means."""

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from the rows of X and their numbers y; a Table brings its own target and weights."""
        table = with_numbers(X) if isinstance(X, Table) else None
        if table is None or table.in_memory or not self.scans_rows or not _has_numbers(table):
            return super().fit(X, y, sample_weight)
        if y is not None:
            raise CrakeError("a Table brings its own target: call fit(table), or fit(X, y) with two arrays")
        if sample_weight is not None:
            table = with_row_weights(table, row_weights(sample_weight, len(table)))
        self._validate_params()
        self.n_features_in_ = len(table.schema.features)
        self.feature_names_in_ = np.array([column.name for column in table.schema.features], dtype=object)
        self.missing_ = table.missing
        rows = ScannedNumbers.of(table)
        self.schema_, self.left_out_ = rows.schema, rows.left_out
        with each_once():
            self._learn_scan(rows)
        return self

    def _learn_scan(self, rows: ScannedNumbers) -> None:
        """Learn from rows that need not fit into memory; a learner that cannot do so has refused the table before."""
        raise rows.table.not_in_memory(type(self).__name__)

    def explain(self, row: Any) -> Workings:
        """Return the splits on a row's path with what each takes off the squared error, and the mean where it ends."""
        table = self._one_row(row)
        return explain_mean(self._model(), table, float(self.answers(table)[0]))

    def prune(
        self,
        how: str = "cost-complexity",
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        alpha: float = 0.0,
        critical_value: float | None = None,
    ) -> Self:
        """Return a new model whose tree is this one pruned; this model stays as it is.

        "cost-complexity" prunes to the least squared error + alpha × leaves. "reduced-error", "error-complexity" and
        "critical-value" without a `critical_value` take rows (a Table, or X and y) that the model was not fitted on,
        and lessen their squared error.
        """
        how_much = PruningSettings(alpha=alpha, critical_value=critical_value)
        model = copy(self)
        model.tree_ = pruned_again(self._model(), how, (X, y, sample_weight), how_much)
        model.edits_ = without_places(self.edits_)
        return model

    def _seems_fitted_on(self, table: Table) -> bool:
        tree = self.tree_
        if tree.responses[0, 1] <= 0:  # one number for all rows
            return False
        w, wz, _ = response_sums(tree, labelled_rows(self._model(), table))
        means = tree.responses[0, 0] + wz / np.where(w > 0, w, 1.0)
        own, same = tree.responses[:, 0], np.allclose(w, tree.weight, rtol=1e-9, atol=1e-9)
        return same and bool(np.allclose(means[w > 0], own[w > 0], rtol=1e-9, atol=1e-9 * float(np.abs(own).max())))

    def _form(self) -> Form:
        return tree_form(self.tree_, self.schema_, self.tree_.responses[:, :1])

    def state(self) -> State:
        """Return the tree, with the mean and the squared error of its nodes."""
        return {**super().state(), **edited_tree_state(self.tree_, self.edits_, self.schema_)}

    def restore(self, reader: StateReader) -> Self:
        """Take over a stored tree, if it is sound."""
        super().restore(reader)
        self.tree_, self.edits_ = edited_tree_of(reader, self.schema_)
        return self


def _has_numbers(table: Table) -> bool:
    target = table.schema.target
    return target is not None and table.schema[target].kind is Kind.NUMERIC
