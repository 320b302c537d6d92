"""The methods that classification and regression trees share: size, rules, nodes, pictures, exports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crake.arrays import Floats, Longs
from crake.kernels.tree.arrays import LEAF
from crake.learners.base.fitted import check_is_fitted
from crake.learners.tree.explaining.model import GrowthSearch, SplitSearch, TreeModel
from crake.learners.tree.explaining.node import Node, node_of
from crake.learners.tree.export.markup import to_dot, to_html, to_mermaid
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.predicting.reached_nodes import leaf_of_each, visited_nodes
from crake.learners.tree.predicting.routing import Cases
from crake.learners.tree.pruning.cost_complexity import CostComplexityPath, impurity_risk, path
from crake.learners.tree.showing.describe import TreeDescription, describe_tree, importances
from crake.learners.tree.showing.drawing import draw_tree
from crake.learners.tree.showing.rules import Rules, rules_of
from crake.learners.tree.showing.text import tree_text
from crake.learners.tree.tree import Tree
from crake.render.drawing.drawing import Drawing
from crake.table.schema import Schema
from crake.table.table import Table


class TreeSize:
    """The size of a fitted tree, whatever its leaves hold."""

    tree_: Tree

    @property
    def n_nodes_(self) -> int:
        """The number of nodes, leaves among them."""
        return len(self.tree_)

    @property
    def n_leaves_(self) -> int:
        """The number of leaves, also of those that no training row reached."""
        return int(np.sum(self.tree_.kind == LEAF))

    @property
    def depth_(self) -> int:
        """The most splits on a path."""
        return int(self.tree_.depth.max())


class TreeEstimator(TreeSize):
    """A fitted decision tree of classes or numbers: its nodes, rules, drawings and exports.

    A learner says in `_growth()` how its tree grows, or overrides what depends on that.
    """

    schema_: Schema
    laplace: bool = False

    def _growth(self) -> Growth:
        """Return the settings of the grower."""
        raise NotImplementedError

    if TYPE_CHECKING:

        def _coded(self, X: Any) -> Table: ...

    @property
    def _measure(self) -> str:
        """The criterion that splits are chosen by."""
        return self._growth().criterion

    @property
    def _shown_tree(self) -> Tree:
        """The tree as its conditions are written; a learner may leave out where missing values go."""
        return self.tree_

    def _split_search(self) -> SplitSearch:
        """Return the search for one split, for tables of alternatives."""
        return GrowthSearch(self._growth())

    def _model(self) -> TreeModel:
        """Return the tree with what explanations need."""
        check_is_fitted(self)
        return TreeModel(
            self.tree_,
            self._shown_tree,
            self.schema_,
            self._measure,
            self._split_search(),
            self._coded,
            self.laplace,
            getattr(self, "class_weight", None),
        )

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of all decrease of impurity, weighted by rows; sums to 1 if the tree splits at all."""
        return importances(self.tree_, len(self.schema_.features), self._measure)

    def get_depth(self) -> int:
        """Return the most splits on a path, as `depth_`."""
        check_is_fitted(self)
        return self.depth_

    def get_n_leaves(self) -> int:
        """Return the number of leaves, as `n_leaves_`."""
        check_is_fitted(self)
        return self.n_leaves_

    def apply(self, X: Any) -> Longs:
        """Return the number of the leaf that each row reaches, as in `node(number)`.

        A row that a missing value sends down several branches is told by the leaf of its largest part.
        """
        return leaf_of_each(self.tree_, Cases.of(self._coded(X)))

    def decision_path(self, X: Any) -> Any:
        """Return a sparse matrix (rows, nodes) with a 1 for every node that a row, or a part of it, goes through."""
        return visited_nodes(self.tree_, Cases.of(self._coded(X)))

    def rules(self) -> Rules:
        """Return one rule per leaf, the conditions on each attribute merged; together they are the tree."""
        model = self._model()
        return rules_of(model.shown, model.schema, model.predictions)

    def node(self, number: int) -> Node:
        """Return one node: its rows, path, split, children, and `alternatives(table)`; 0 is the root."""
        return node_of(self._model(), number)

    def describe(self) -> TreeDescription:
        """Return size, depth, rows in the leaves, and how much each attribute does."""
        check_is_fitted(self)
        return describe_tree(self.tree_, self.schema_, self._measure)

    def cost_complexity_path(self) -> CostComplexityPath:
        """Return the trees that minimise impurity + α·leaves for some α, up to the root (Breiman et al. 1984)."""
        check_is_fitted(self)
        return path(self.tree_, impurity_risk(self.tree_, self._measure))

    def draw(self, depth: int | None = None, direction: str | None = None) -> Drawing:
        """Draw the tree down to a depth (None: about sixty boxes); it grows "down" or to the "right".

        Edges are as wide as their share of the rows; below the depth leaves are only counted.
        """
        model = self._model()
        return draw_tree(model.shown, model.schema, model.predictions, repr(self), depth=depth, direction=direction)

    def to_dot(self, max_depth: int | None = None) -> str:
        """Return the tree for Graphviz; below `max_depth` nodes are only counted."""
        check_is_fitted(self)
        return to_dot(self._shown_tree, self.schema_, max_depth)

    def to_mermaid(self, max_depth: int | None = None) -> str:
        """Return the tree for Mermaid; below `max_depth` nodes are only counted."""
        check_is_fitted(self)
        return to_mermaid(self._shown_tree, self.schema_, max_depth)

    def __str__(self) -> str:
        return tree_text(self._shown_tree, self.schema_) if hasattr(self, "tree_") else repr(self)

    def _html_repr(self) -> str:
        """Return the tree to unfold in a notebook, once there is one."""
        if hasattr(self, "tree_"):
            return to_html(self._shown_tree, self.schema_, repr(self))
        unfitted: str = super()._html_repr()  # type: ignore[misc]  # scikit-learn's
        return unfitted
