"""What people get out of a fitted tree of classes, beside what any tree shows."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np

from crake.arrays import Floats
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import check_is_fitted
from crake.learners.tree.explaining.alternatives import alternatives
from crake.learners.tree.explaining.classification import explain_path
from crake.learners.tree.export.sql import to_sql
from crake.learners.tree.predicting.leaves import leaf_probabilities
from crake.learners.tree.pruning.fitted_tree import pruned_again
from crake.learners.tree.showing.views import TreeViews
from crake.render.grid import Grid
from crake.render.workings import Workings
from crake.table.schema import Label


class ClassTreeViews(TreeViews, TableClassifier):
    """Ways of looking at a `tree_` whose leaves answer class shares."""

    laplace: bool = False

    def explain(self, row: Any) -> Workings:
        """The questions on a row's way down with their counts and gains, and the class shares where it ends.

        A row with a missing value goes down several branches in parts; the answer is that of `predict_proba`.
        """
        table = self._one_row(row)
        return explain_path(self, table, self.probabilities(table)[0])

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
    ) -> Self:
        """A new model whose tree is this one pruned; this model stays as it is.

        "pessimistic" takes the table (or X and y) that the model was fitted on, "reduced-error" rows that it was not
        fitted on; "cost-complexity" (to the least impurity + alpha × leaves) and "collapse" none. Branches are raised
        only in trees without surrogates.
        """
        check_is_fitted(self)
        model = copy(self)
        model.tree_ = pruned_again(
            self, how, (X, y, sample_weight), confidence=confidence, raising=raising, alpha=alpha
        )
        return model

    def to_sql(self, table: str = "t", missing: str = "heaviest") -> str:
        """A SELECT that adds the leaf, the class and the probabilities to the rows of a table.

        NULL takes the heaviest branch, or all branches by their shares, as in `predict_proba`, if missing="mixture".
        """
        check_is_fitted(self)
        return to_sql(self.tree_, self.schema_, self.leaf_probabilities_, table, missing)

    @property
    def leaf_probabilities_(self) -> Floats:
        """What every node answers (an inner one: would answer), shape (nodes, classes)."""
        return leaf_probabilities(self.tree_, laplace=self.laplace)

    def _answers(self) -> tuple[Label, ...]:
        return tuple(self.schema_.classes[k] for k in np.argmax(self.leaf_probabilities_, axis=1))

    @property
    def _tests(self) -> tuple[str, ...]:
        """What the figures of a split's test are called: by default Pearson's p, not adjusted."""
        return ("chi² p",)

    def _alternatives(self, node: int, X: Any, y: Any, sample_weight: Any) -> Grid:
        return alternatives(self, node, X, y, sample_weight)
