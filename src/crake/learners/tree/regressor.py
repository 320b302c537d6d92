"""The base of regression trees: prediction, explanation, pruning, model files."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np

from crake.export.forms import Form
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.state import State, StateReader
from crake.learners.tree.editing.edit import without_places
from crake.learners.tree.editing.state import edited_tree_of, edited_tree_state
from crake.learners.tree.estimator import TreeEstimator
from crake.learners.tree.explaining.labelled_rows import labelled_rows
from crake.learners.tree.explaining.prediction import explain_mean
from crake.learners.tree.export.form import tree_form
from crake.learners.tree.predicting.arrivals import response_sums
from crake.learners.tree.pruning.fitted_tree import PruningSettings, pruned_again
from crake.render.workings import Workings
from crake.table.table import Table


class TreeRegressor(TreeEstimator, TableRegressor):
    """A tree whose leaves predict means."""

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
