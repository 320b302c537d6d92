"""One node of a fitted tree: the path to it, its rows, its split, and the splits it could have had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.conditions import Condition, condition_to
from crake.learners.tree.explaining.alternatives import alternatives, ratio_steps
from crake.learners.tree.explaining.model import TreeModel
from crake.learners.tree.explaining.split_arithmetic import SplitArithmetic, model_split, node_rows
from crake.learners.tree.number_text import prediction_text
from crake.render.grid import Grid
from crake.render.plain_text import visible
from crake.render.workings import Step
from crake.table.schema import Label


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """Node `number` of a model; 0 is the root. Print it to see it."""

    model: TreeModel
    number: int

    @property
    def is_leaf(self) -> bool:
        """Return whether it is a leaf."""
        return bool(self.model.tree.kind[self.number] == LEAF)

    @property
    def counts(self) -> Floats:
        """The weight of its training rows by class, in the order of `classes_`; one number in a regression tree."""
        counts: Floats = self.model.tree.counts[self.number].copy()
        return counts

    @property
    def weight(self) -> float:
        """The weight of its training rows."""
        return float(self.counts.sum())

    @property
    def answer(self) -> Label:
        """The class, or the mean, that it predicts (an inner node: would predict)."""
        return self.model.predictions[self.number]

    @property
    def depth(self) -> int:
        """The number of splits that lead to it."""
        return len(self.path)

    @property
    def path(self) -> tuple[Condition, ...]:
        """The conditions that lead here, from the root on."""
        tree, steps, at = self.model.shown, [], self.number
        while at > 0:
            steps.append(condition_to(tree, self.model.schema, at))
            at = tree.parent_of(at)
        return tuple(reversed(steps))

    @property
    def question(self) -> str | None:
        """The column it splits; None for a leaf."""
        return None if self.is_leaf else self.model.schema.features[self.model.tree.feature[self.number]].name

    @property
    def parent(self) -> Node | None:
        """The node above; None for the root."""
        return None if self.number == 0 else Node(self.model, self.model.tree.parent_of(self.number))

    @property
    def children(self) -> tuple[Node, ...]:
        """The nodes below, one per branch."""
        return () if self.is_leaf else tuple(Node(self.model, c) for c in self.model.tree.children(self.number))

    def steps(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> tuple[Step, ...]:
        """Return the arithmetic of its split; nothing for a leaf.

        With the table (or X and y) that the model was fitted on, a gain ratio is the one that the split was chosen by:
        the correction of a number, and the share of known values, cannot be told from the counts that a model holds.
        """
        if self.is_leaf:
            return ()
        if X is not None and self.model.measure == "gain_ratio":
            return ratio_steps(self.model, self.number, X, y, sample_weight)
        return (*self._split().steps(), *self.model.search.steps(self.number))

    def alternatives(self, X: Any, y: Any = None, sample_weight: Any = None) -> Grid:
        """Return every attribute's best split of the rows that come here, with its gain; an arrow at the one chosen.

        A model holds no rows: give the table (or X and y) that it was fitted on.
        """
        return alternatives(self.model, self.number, X, y, sample_weight)

    def _split(self) -> SplitArithmetic:
        return model_split(self.model, self.number)

    def __repr__(self) -> str:
        return f"<node {self.number}: {self._path_text()}; {self._rows_text()}>"

    def __str__(self) -> str:
        return self.text()

    def text(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> str:
        """Return the node as `print` shows it; with the rows the model was fitted on, its gain ratio is exact."""
        if self.is_leaf:
            lines = [f"Node {self.number}, a leaf: {self._path_text()}", f"  {self._rows_text()}"]
            return "\n".join([*lines, f"  answer: {prediction_text(self.answer)}"])
        first = self.model.tree.first[self.number]
        last = first + len(self.children) - 1
        numbered = f"nodes {first} {'and' if last == first + 1 else 'to'} {last}"
        return "\n".join(
            [
                f"Node {self.number}: {self._path_text()}",
                f"  {self._rows_text()}",
                f"  asks for {visible(self.question)}; its branches are {numbered}",
                *(f"  {line}" for line in self._split().branch_lines(-1)),
                *(f"  {step}" for step in self.steps(X, y, sample_weight)),
            ]
        )

    def _path_text(self) -> str:
        path = [str(condition) for condition in self.path]
        if len(path) > 12:
            path = [*path[:10], f"… ({len(path) - 11} more)", path[-1]]
        return " and ".join(path) or "the root"

    def _rows_text(self) -> str:
        return node_rows(self.model.tree, self.model.schema, self.number)


def node_of(model: TreeModel, number: Any) -> Node:
    """Return the node of this number, if there is one."""
    last = len(model.tree) - 1
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 0 <= number <= last:
        raise CrakeError(f"there is no node {number!r}; this tree has the nodes 0 (the root) to {last}")
    return Node(model, int(number))
