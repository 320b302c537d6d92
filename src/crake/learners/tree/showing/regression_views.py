"""What people get out of a fitted regression tree, beside what any tree shows."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.regressor import TableRegressor
from crake.learners.tree.explaining.regression import explain_mean
from crake.learners.tree.explaining.regression_alternatives import mean_alternatives
from crake.learners.tree.export.sql import to_mean_sql
from crake.learners.tree.pruning.regression import mean_pruned_again
from crake.learners.tree.showing.views import TreeViews
from crake.render.grid import Grid
from crake.render.workings import Workings
from crake.table.schema import Label


class MeanTreeViews(TreeViews, TableRegressor):
    """Ways of looking at a `tree_` whose leaves answer means."""

    def explain(self, row: Any) -> Workings:
        """The questions on a row's way down with what each takes off the squared error, and the mean where it ends."""
        table = self._one_row(row)
        return explain_mean(self, table, float(self.answers(table)[0]))

    def prune(
        self,
        how: str = "cost-complexity",
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        alpha: float = 0.0,
    ) -> Self:
        """A new model whose tree is this one pruned; this model stays as it is.

        "cost-complexity" prunes to the least squared error + alpha × leaves; "reduced-error" takes rows (a Table, or X
        and y) that the model was not fitted on, and keeps what lessens their squared error.
        """
        check_is_fitted(self)
        model = copy(self)
        model.tree_ = mean_pruned_again(self, how, (X, y, sample_weight), alpha=alpha)
        return model

    def to_sql(self, table: str = "t", missing: str = "heaviest") -> str:
        """A SELECT that adds the leaf and its mean to the rows of a table.

        NULL takes the heaviest branch (the one that the tree names, if it names one), or all branches by their shares
        if missing="mixture": `predict` then gives the same.
        """
        check_is_fitted(self)
        return to_mean_sql(self.tree_, self.schema_, table, missing)

    def _answers(self) -> tuple[Label, ...]:
        return tuple(float(mean) for mean in self.tree_.responses[:, 0])

    def _alternatives(self, node: int, X: Any, y: Any, sample_weight: Any) -> Grid:
        return mean_alternatives(self, node, X, y, sample_weight)
