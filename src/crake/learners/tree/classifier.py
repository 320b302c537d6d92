"""What every tree classifier shares: growing on a table, sending rows down, model files."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.base.state import Given, State
from crake.learners.tree.explaining.cut_points import thresholds_of
from crake.learners.tree.growing.grower import grow
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.many_values import warn_of_many_values
from crake.learners.tree.predicting.descent import Descent
from crake.learners.tree.predicting.routing import Cases
from crake.learners.tree.pruning.reduced_error import grown_on_part
from crake.learners.tree.showing.class_views import ClassTreeViews
from crake.learners.tree.state import tree_of, tree_state
from crake.learners.tree.tree import Tree
from crake.table.convert.export import label_array
from crake.table.schema import Column
from crake.table.table import Table


class TreeClassifier(ClassTreeViews):
    """A learner gives its `_growth()` and, if it prunes, `_finished(tree, training)`."""

    nominal: Any
    pruning: str | None = None
    validation_fraction: float = 1 / 3
    random_state: int = 1

    def _finished(self, tree: Tree, training: Training) -> Tree:
        """The tree after whatever follows growing."""
        del training
        return tree

    def _learn(self, table: Table) -> None:
        (batch,) = table.batches()
        self._warn(table)
        training = Training.of(table.schema, batch)
        self.schema_ = table.schema
        self.classes_ = label_array(table.schema.classes)
        if self.pruning == "reduced-error":
            self.tree_ = self._grown_on_part(training)
        else:
            self.tree_ = self._grown(training)

    def _warn(self, table: Table) -> None:
        """Say what of the table will do no good."""
        warn_of_many_values(table)

    def _grown_on_part(self, training: Training) -> Tree:
        """The tree of some of the rows, pruned by the others."""
        return grown_on_part(training, self._grown, self.validation_fraction, self.random_state)

    def _grown(self, training: Training) -> Tree:
        """The tree of these rows."""
        return self._finished(grow(training, self._growth()), training)

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """The class shares of the leaf each row reaches; a mixture where values are missing or new."""
        return Descent.of(self.tree_, self.schema_, laplace=self.laplace).answers(self.tree_, Cases.of(table), rows)

    def _cut_points(self, column: Column) -> Floats:
        return thresholds_of(self.tree_, self.schema_.features.index(column))

    def state(self) -> State:
        """The tree, with the class weights of its nodes."""
        return {**super().state(), "tree": tree_state(self.tree_)}

    def restore(self, given: Given) -> Self:
        """The same tree, once it has been found sound."""
        super().restore(given)
        self.classes_ = label_array(self.schema_.classes)
        self.tree_ = tree_of(given.part("tree"), self.schema_)
        return self
