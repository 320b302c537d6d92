"""Prediction of many rows: what it needs of a tree is made once and kept with it."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.tree.arrays import LEAF, THRESHOLD
from crake.kernels.tree.descend import answers_by_thresholds
from crake.learners.tree.growing.training_rows import Layout
from crake.learners.tree.predicting.leaves import leaf_probabilities, shares
from crake.learners.tree.predicting.routing import Cases, mixed_predictions
from crake.learners.tree.tree import Tree
from crake.table.schema import Schema


@dataclass(eq=False)
class Descent:
    """`leaf` is the prediction of each node, `share` divides missing values, and is made when one is met.

    `column` and `first` are where a threshold is looked up and where its children are, 0 for leaves; empty where the
    tree has other splits than thresholds.
    """

    laplace: bool
    leaf: Floats
    column: NDArray[np.uint32]
    first: NDArray[np.uint32]
    share: Floats | None = None

    @classmethod
    def of(cls, tree: Tree, schema: Schema, *, laplace: bool) -> Descent:
        """Return that of the tree, made at the first call."""
        cached = _kept.get(tree)
        if cached is None or cached.laplace != laplace:
            cached = _kept[tree] = cls._build(tree, Layout.of(schema), laplace=laplace)
        return cached

    @classmethod
    def _build(cls, tree: Tree, layout: Layout, *, laplace: bool) -> Descent:
        none = np.zeros(0, np.uint32)
        column, first = none, none
        if np.all((tree.kind == THRESHOLD) | (tree.kind == LEAF)):
            column = np.where(tree.kind == LEAF, 0, layout.place[tree.feature]).astype(np.uint32)
            first = np.where(tree.kind == LEAF, 0, tree.first).astype(np.uint32)
        return cls(laplace, leaf_probabilities(tree, laplace=laplace), column, first)

    def predictions(self, tree: Tree, cases: Cases, rows: NDArray[np.intp] | None) -> Floats:
        """Return leaf[node] of the leaf each row reaches; a mixture where values are missing or new."""
        if not len(self.first):
            return self._mixed(tree, cases, rows)
        predictions, gaps = answers_by_thresholds(
            rows, cases.values, self.column, tree.threshold, self.first, self.leaf
        )
        if len(gaps):
            among = gaps if rows is None else rows[gaps]
            predictions[gaps] = self._mixed(tree, cases, among)
        return predictions

    def shares(self, tree: Tree) -> Floats:
        """Return the part of its parent's weight that went to each node."""
        if self.share is None:
            self.share = shares(tree)
        return self.share

    def _mixed(self, tree: Tree, cases: Cases, rows: NDArray[np.intp] | None) -> Floats:
        return mixed_predictions(tree, cases, self.leaf, rows, self.shares(tree))


_kept: WeakKeyDictionary[Tree, Descent] = WeakKeyDictionary()
