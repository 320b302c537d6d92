"""An NBTree as text, as a picture, and as the tables of its leaves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.number_text import weight_text
from crake.learners.tree.predicting.leaves import node_predictions
from crake.learners.tree.showing.drawing import draw_tree
from crake.learners.tree.showing.text import tree_text
from crake.render.drawing.drawing import Drawing
from crake.render.grid import Grid

if TYPE_CHECKING:
    from crake.learners.bayes_tree.learner import NBTreeClassifier

MOST_LEAVES = 12
"""Leaves whose tables are shown; of more, the heaviest."""


def leaf_name(node: int) -> str:
    """Return the name of a leaf's model.

    >>> leaf_name(3)
    'naive Bayes 3'
    """
    return f"naive Bayes {node}"


def model_text(model: NBTreeClassifier) -> str:
    """Return the tree, one line per branch, with the model and the rows of each leaf."""
    weight = model.tree_.weight

    def leaf(node: int) -> str:
        rows = weight_text(weight[node])
        return f"{leaf_name(node)} ({rows} row{'' if rows == '1' else 's'})"

    text = tree_text(model.tree_, model.schema_, leaf=leaf)
    return text if len(model.tree_) > 1 else f"every row{text}"


def draw_model(model: NBTreeClassifier, depth: int | None, direction: str | None) -> Drawing:
    """Draw the tree with the name of its model in every leaf."""
    tree, schema = model.tree_, model.schema_
    answers = node_predictions(tree, schema)
    return draw_tree(tree, schema, answers, repr(model), depth=depth, direction=direction, leaf=leaf_name)


def leaf_grids(model: NBTreeClassifier) -> tuple[Grid, ...]:
    """Return the tables of each leaf that has rows, the heaviest first; their titles begin with the leaf."""
    weight = np.where(model.tree_.kind == LEAF, model.tree_.weight, -1.0)
    order = [node for node in np.argsort(-weight, kind="stable").tolist() if weight[node] > 0 and node in model.leaves_]
    return tuple(
        replace(grid, title=f"{leaf_name(node)}: {grid.title}")
        for node in order[:MOST_LEAVES]
        for grid in model.leaves_[node].tables()
    )
