"""What people get out of any fitted tree, of classes or of numbers: each method is one way of looking at it."""

from __future__ import annotations

from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.kernels.tree.arrays import LEAF
from crake.learners.base.fitted import check_is_fitted
from crake.learners.tree.explaining.node import Node, node_of
from crake.learners.tree.explaining.one_split import OneSplit, correction, one_split
from crake.learners.tree.export.dot import to_dot
from crake.learners.tree.export.html import to_html
from crake.learners.tree.export.mermaid import to_mermaid
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.pruning.cost_complexity import CostComplexityPath, impurity_risk, path
from crake.learners.tree.showing.describe import TreeDescription, describe_tree, importances
from crake.learners.tree.showing.drawing import draw_tree
from crake.learners.tree.showing.rules import Rules, rules_of
from crake.learners.tree.showing.text import tree_text
from crake.learners.tree.tree import Tree
from crake.render.drawing.drawing import Drawing
from crake.render.grid import Grid
from crake.render.workings import Step
from crake.table.schema import Label, Schema


class TreeViews:
    """Ways of looking at `tree_`; a learner says how it grew it in `_growth()`, and what a node answers."""

    tree_: Tree
    schema_: Schema

    def _growth(self) -> Growth:
        raise NotImplementedError

    def _answers(self) -> tuple[Label, ...]:
        """What each node answers (an inner one: would answer)."""
        raise NotImplementedError

    def _alternatives(self, node: int, X: Any, y: Any, sample_weight: Any) -> Grid:
        """Every attribute's best split of the rows that come to a node."""
        raise NotImplementedError

    @property
    def _measure(self) -> str:
        """What its splits are chosen by."""
        return self._growth().criterion

    def _one_split(self, training: Training, every: Training, feature: int, *, is_free: bool) -> OneSplit:
        """The best split of a node's rows on one feature; with `is_free` also one that the settings forbid.

        `every` has that feature of all rows, for learners that look at those too.
        """
        del every, feature
        return one_split(training, self._growth(), is_free=is_free)

    @property
    def _is_missing_a_value(self) -> bool:
        """Whether its splits may tell missing values from known ones where only one is known."""
        return False

    def _correction(self, training: Training) -> float:
        """What is taken off the gain of a split of these rows."""
        return correction(training, self._growth())

    def _tested(self, node: int) -> tuple[Step, ...]:
        """What else there is to work out at a node that asks."""
        del node
        return ()

    def _placed(self, tree: Tree, training: Training) -> Tree:
        """A tree with its thresholds where this learner puts them: at midpoints unless it says otherwise."""
        del training
        return tree

    @property
    def _shown_tree(self) -> Tree:
        """The tree as its conditions are written; a learner may leave out where missing values go."""
        return self.tree_

    @property
    def n_nodes_(self) -> int:
        """All nodes, leaves among them."""
        return len(self.tree_)

    @property
    def n_leaves_(self) -> int:
        """The leaves, also those that no training row reached."""
        return int(np.sum(self.tree_.kind == LEAF))

    @property
    def depth_(self) -> int:
        """The most questions asked of a row."""
        return int(self.tree_.depth.max())

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of all decrease of impurity, weighted by rows; sums to 1 if the tree asks at all."""
        return importances(self.tree_, len(self.schema_.features), self._measure)

    def rules(self) -> Rules:
        """One rule a leaf, the conditions on each attribute merged; together they are the tree."""
        check_is_fitted(self)
        return rules_of(self._shown_tree, self.schema_, self._answers())

    def node(self, number: int) -> Node:
        """One node: its rows, the way to it, its question, its children, and `alternatives(table)`; 0 is the root."""
        check_is_fitted(self)
        return node_of(self, number)

    def describe(self) -> TreeDescription:
        """Size, depth, rows in the leaves, and how much each attribute does."""
        check_is_fitted(self)
        return describe_tree(self.tree_, self.schema_, self._measure)

    def cost_complexity_path(self) -> CostComplexityPath:
        """The trees that minimise impurity + α·leaves for some α, from this one to its root (Breiman et al. 1984)."""
        check_is_fitted(self)
        return path(self.tree_, impurity_risk(self.tree_, self._measure))

    def draw(self, depth: int | None = None, direction: str | None = None) -> Drawing:
        """The tree as a picture, down to a depth (None: about sixty boxes); it grows "down" or to the "right".

        Edges are as wide as their share of the rows; below the depth leaves are only counted.
        """
        check_is_fitted(self)
        return draw_tree(self._shown_tree, self.schema_, self._answers(), repr(self), depth=depth, direction=direction)

    def to_dot(self, max_depth: int | None = None) -> str:
        """The tree for Graphviz; below `max_depth` nodes are only counted."""
        check_is_fitted(self)
        return to_dot(self._shown_tree, self.schema_, max_depth)

    def to_mermaid(self, max_depth: int | None = None) -> str:
        """The tree for Mermaid; below `max_depth` nodes are only counted."""
        check_is_fitted(self)
        return to_mermaid(self._shown_tree, self.schema_, max_depth)

    def __str__(self) -> str:
        return tree_text(self._shown_tree, self.schema_) if hasattr(self, "tree_") else repr(self)

    def _html_repr(self) -> str:
        """In a notebook: the tree to unfold, once there is one."""
        if hasattr(self, "tree_"):
            return to_html(self._shown_tree, self.schema_, repr(self))
        unfitted: str = super()._html_repr()  # type: ignore[misc]  # scikit-learn's
        return unfitted
