"""What people get out of a fitted regression tree."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from crake.errors import CrakeError
from crake.learners.regressor_base import TableRegressor
from crake.learners.training import cells_in_order
from crake.learners.tree.describe import TreeDescription, describe_tree, importances
from crake.learners.tree.export_dot import to_dot
from crake.learners.tree.export_html import to_html
from crake.learners.tree.export_mermaid import to_mermaid
from crake.learners.tree.mean_workings import explain_mean
from crake.learners.tree.nodes import Floats, Tree
from crake.learners.tree.rules import Rules, rules_of
from crake.learners.tree.text import tree_text
from crake.render.workings import Step, Workings
from crake.table.frames import encode, is_frame
from crake.table.table import Table


class MeanTreeViews(TableRegressor):
    """Ways of looking at `tree_`, whose leaves answer means."""

    tree_: Tree
    _measure = "squared_error"

    @property
    def _shown_tree(self) -> Tree:
        """The tree as its conditions are written."""
        return self.tree_

    def _tested(self, node: int) -> tuple[Step, ...]:
        del node
        return ()

    def explain(self, row: Any) -> Workings:
        """The questions on a row's way down with what each takes off the squared error, and the mean where it ends."""
        check_is_fitted(self)
        if not isinstance(row, Table) and not is_frame(row):
            row = cells_in_order(row, self.schema_)
        table = encode(row, self.schema_, by_name=isinstance(row, Table) or is_frame(row))
        if len(table) != 1:
            raise CrakeError(f"one row is explained at a time; {len(table)} were given")
        return explain_mean(self, table, float(self.answers(table)[0]))

    def rules(self) -> Rules:
        """One rule a leaf, the conditions on each attribute merged; it answers the mean of its rows."""
        check_is_fitted(self)
        return rules_of(self._shown_tree, self.schema_, self.tree_.counts)

    def describe(self) -> TreeDescription:
        """Size, depth, rows in the leaves, and how much each attribute does."""
        check_is_fitted(self)
        return describe_tree(self.tree_, self.schema_, self._measure)

    def to_dot(self, max_depth: int | None = None) -> str:
        """The tree for Graphviz; below `max_depth` nodes are only counted."""
        check_is_fitted(self)
        return to_dot(self._shown_tree, self.schema_, max_depth)

    def to_mermaid(self, max_depth: int | None = None) -> str:
        """The tree for Mermaid; below `max_depth` nodes are only counted."""
        check_is_fitted(self)
        return to_mermaid(self._shown_tree, self.schema_, max_depth)

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of all squared error removed."""
        return importances(self.tree_, len(self.schema_.features), self._measure)

    def __str__(self) -> str:
        return tree_text(self._shown_tree, self.schema_) if hasattr(self, "tree_") else repr(self)

    def _html_repr(self) -> str:
        """In a notebook: the tree to unfold, once there is one."""
        if hasattr(self, "tree_"):
            return to_html(self._shown_tree, self.schema_, repr(self))
        unfitted: str = super()._html_repr()
        return unfitted
