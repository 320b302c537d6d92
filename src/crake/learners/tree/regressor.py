"""The base of regression trees: prediction, explanation, pruning, model files."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

from crake.export.forms import Form
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.state import State, StateReader
from crake.learners.tree.estimator import TreeEstimator
from crake.learners.tree.explaining.prediction import explain_mean
from crake.learners.tree.export.form import tree_form
from crake.learners.tree.pruning.fitted_tree import PruningSettings, pruned_again
from crake.learners.tree.state import tree_of, tree_state
from crake.render.workings import Workings


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
        return model

    def _form(self) -> Form:
        return tree_form(self.tree_, self.schema_, self.tree_.responses[:, :1])

    def state(self) -> State:
        """Return the tree, with the mean and the squared error of its nodes."""
        return {**super().state(), "tree": tree_state(self.tree_)}

    def restore(self, reader: StateReader) -> Self:
        """Take over a stored tree, if it is sound."""
        super().restore(reader)
        self.tree_ = tree_of(reader.part("tree"), self.schema_)
        return self
