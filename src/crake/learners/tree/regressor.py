"""The base of regression trees: prediction, explanation, pruning, model files."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

from crake.learners.base.regressor import TableRegressor
from crake.learners.base.state import State, StateReader
from crake.learners.tree.estimator import TreeEstimator
from crake.learners.tree.explaining.prediction import explain_mean
from crake.learners.tree.export.dialects import written_in
from crake.learners.tree.export.sql import to_regression_sql
from crake.learners.tree.pruning.fitted_tree import pruned_again
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
    ) -> Self:
        """Return a new model whose tree is this one pruned; this model stays as it is.

        "cost-complexity" prunes to the least squared error + alpha × leaves; "reduced-error" takes rows (a Table, or X
        and y) that the model was not fitted on, and keeps what lessens their squared error.
        """
        model = copy(self)
        model.tree_ = pruned_again(self._model(), how, (X, y, sample_weight), alpha=alpha)
        return model

    def to_sql(self, table: str = "t", missing: str = "heaviest", dialect: str = "standard") -> str:
        """Return a SELECT that adds the leaf and its mean to the rows of a table.

        NULL takes the heaviest branch (the one that the tree names, if it names one), or all branches by their shares
        if missing="mixture": `predict` then gives the same.
        dialect="postgres" takes NaN for missing, and dates in any time zone.
        """
        model = self._model()
        with written_in(dialect):
            return to_regression_sql(model.tree, model.schema, table, missing)

    def state(self) -> State:
        """Return the tree, with the mean and the squared error of its nodes."""
        return {**super().state(), "tree": tree_state(self.tree_)}

    def restore(self, reader: StateReader) -> Self:
        """Take over a stored tree, if it is sound."""
        super().restore(reader)
        self.tree_ = tree_of(reader.part("tree"), self.schema_)
        return self
