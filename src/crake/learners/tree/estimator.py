"""The methods that classification and regression trees share: size, rules, nodes, pictures, exports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from html import escape
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Longs
from crake.kernels.tree.arrays import LEAF
from crake.learners.base.fitted import check_is_fitted
from crake.learners.tree.editing.change import Branch, Changed, Regrowth, leaf_at, split_at
from crake.learners.tree.editing.edit import Edit, edits_note, edits_text
from crake.learners.tree.editing.forced_split import Question
from crake.learners.tree.editing.piece import Piece
from crake.learners.tree.explaining.model import GrowthSearch, OneSplit, SplitSearch, TreeModel
from crake.learners.tree.explaining.node import Node, node_of
from crake.learners.tree.export.markup import to_dot, to_html, to_mermaid
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.reached_nodes import leaf_of_each, visited_nodes
from crake.learners.tree.predicting.routing import Cases
from crake.learners.tree.pruning.cost_complexity import CostComplexityPath, impurity_risk, path
from crake.learners.tree.showing.describe import TreeDescription, describe_tree, importances
from crake.learners.tree.showing.drawing import draw_tree
from crake.learners.tree.showing.rules import Rules, rules_of
from crake.learners.tree.showing.text import tree_text
from crake.learners.tree.tree import Tree
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.tree_view import TreeView
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
    edits_: tuple[Edit, ...] = ()
    """The changes made by hand since the model was fitted, in their order."""

    def _growth(self) -> Growth:
        """Return the settings of the grower."""
        raise NotImplementedError

    if TYPE_CHECKING:

        def _coded(self, X: Any) -> Table: ...
        def _regrown(self, branch: Branch) -> Piece: ...

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
            self.edits_,
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

    def with_leaf(self, node: int) -> Self:
        """Return a new model in which this node is a leaf: what was below it is gone. This model stays as it is.

        Nodes have the numbers of `node(number)`. Nothing else changes: the leaf answers with the rows that it holds.
        The change is kept in `edits_`, in the model file, and said wherever the model is shown.
        """
        return self._edited(leaf_at(self._model(), node, self._tests()))

    def with_split(
        self,
        node: int,
        column: str,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        at: float | None = None,
        levels: Sequence[Any] | None = None,
    ) -> Self:
        """Return a new model in which this node splits another column; this model stays as it is.

        A model holds no rows: give the table (or X and y) that it was fitted on. Numbers up to `at`, or the values
        `levels`, go into the first branch; without either the learner decides how to split the column, also where its
        settings would forbid the split. Below it each branch is grown, and pruned, by the learner from the rows that
        come there. The rest of the tree stays.
        """
        question = Question(column, at, levels)
        regrowth = Regrowth(self._completed_split, self._regrown, self._limited)
        rows = (X, y, sample_weight)
        return self._edited(split_at(self._model(), node, question, rows, regrowth, self._tests()))

    def _edited(self, changed: Changed) -> Self:
        """Return a model of the changed tree."""
        model = copy(self)
        model.tree_, model.edits_ = changed.tree, (*self.edits_, changed.edit)
        return model

    def _tests(self) -> Mapping[str, NDArray[Any]]:
        """Return arrays that the learner keeps beside its tree, one entry for each node."""
        return {}

    def _completed_split(self, tree: Tree, here: Training, every: Training, found: OneSplit | None) -> Piece:
        """Return the root of a forced split with what the learner adds to a split."""
        del here, every, found
        return Piece(tree)

    def _limited(self, piece: Piece, leaves: int) -> Piece:
        """Return the subtree below a forced split, which has so many leaves beside it, as large as it may be."""
        del leaves
        return piece

    def _below(self, branch: Branch) -> Self:
        """Return the learner for a branch: it may ask fewer questions, as some were asked above."""
        learner = copy(self)
        depth = getattr(self, "max_depth", None)
        if depth is not None:
            learner.max_depth = max(0, depth - branch.depth)  # type: ignore[attr-defined]  # most learners have it
        return learner

    def describe(self) -> TreeDescription:
        """Return size, depth, rows in the leaves, and how much each attribute does."""
        check_is_fitted(self)
        return describe_tree(self.tree_, self.schema_, self._measure)

    def cost_complexity_path(self) -> CostComplexityPath:
        """Return the trees that minimise impurity + α·leaves for some α, up to the root (Breiman et al. 1984)."""
        check_is_fitted(self)
        return path(self.tree_, impurity_risk(self.tree_, self._measure))

    def draw(self, depth: int | None = None, direction: str | None = None, *, view: TreeView | None = None) -> Drawing:
        """Draw the tree down to a depth (None: about sixty boxes); it grows "down" or to the "right".

        Edges are as wide as their share of the rows; below the depth leaves are only counted. A `view` begins at
        another node, opens and closes nodes, marks the way of a row, and makes links of boxes.
        """
        model = self._model()
        drawn = draw_tree(
            model.shown, model.schema, model.predictions, repr(self), depth=depth, direction=direction, view=view
        )
        return drawn.noted(edits_note(self.edits_)) if self.edits_ else drawn

    def to_dot(self, max_depth: int | None = None) -> str:
        """Return the tree for Graphviz; below `max_depth` nodes are only counted."""
        check_is_fitted(self)
        return to_dot(self._shown_tree, self.schema_, max_depth)

    def to_mermaid(self, max_depth: int | None = None) -> str:
        """Return the tree for Mermaid; below `max_depth` nodes are only counted."""
        check_is_fitted(self)
        return to_mermaid(self._shown_tree, self.schema_, max_depth)

    def __str__(self) -> str:
        return self._with_edits(tree_text(self._shown_tree, self.schema_)) if hasattr(self, "tree_") else repr(self)

    def _with_edits(self, text: str) -> str:
        """Return the text of the tree, with the changes made by hand below it."""
        return f"{text}\n\n{edits_text(self.edits_)}" if self.edits_ else text

    def _html_repr(self) -> str:
        """Return the tree to unfold in a notebook, once there is one."""
        if hasattr(self, "tree_"):
            return to_html(self._shown_tree, self.schema_, repr(self)) + _edits_html(self.edits_)
        unfitted: str = super()._html_repr()  # type: ignore[misc]  # scikit-learn's
        return unfitted


def _edits_html(edits: Sequence[Edit]) -> str:
    """Return the changes made by hand as a paragraph; nothing without any."""
    return f"<p>{escape(edits_note(edits))}</p>" if edits else ""
