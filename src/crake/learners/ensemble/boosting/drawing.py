"""Boosted trees as pictures: the loss on rows held out by the number of rounds, and one tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.learners.ensemble.boosting.members import with_means_of_nodes
from crake.learners.tree.showing.drawing import draw_tree
from crake.render.drawing.axis import Axis
from crake.render.drawing.curves import CurvePicture, Line, curve_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.sentences import counted

if TYPE_CHECKING:
    from crake.learners.ensemble.boosting.base import Boosting

ROUNDING = 1e-12
"""Means nearer to zero than this share of the largest leaf are roundings."""


def draw_losses(model: Boosting, *, width: float) -> Drawing:
    """Draw the loss on the rows held out after each round, the first without any tree."""
    losses = model.held_out_losses_
    rounds = np.arange(len(losses), dtype=np.float64)
    kept = model.n_estimators_
    return curve_drawing(
        CurvePicture(
            f"Boosted trees by number of rounds: {kept} are kept",
            f"learning rate {model.learning_rate:g}",
            f"The loss on the rows held out is least after {counted(kept, 'round')}, {losses[kept]:.4g}.",
            Axis.over("rounds", 0.0, float(max(len(losses) - 1, 2))),
            Axis.over("loss", 0.0, max(float(losses.max()), 1e-12)),
            (Line("loss on the rows held out", rounds.tolist(), losses.tolist(), 0, "plain"),),
            is_square=False,
        ),
        width,
    )


def draw_boosted_tree(model: Boosting, place: int, note: str) -> Drawing:
    """Draw one tree; a leaf has what it adds, a node above leaves the mean of what they add, by their rows."""
    tree = with_means_of_nodes(model.trees_.tree(place))
    answers = tree.responses[:, 0]
    # The first tree adds nothing on the whole, which sums as 1e-17.
    tree.responses[np.abs(answers) < ROUNDING * np.abs(answers).max(), 0] = 0.0
    title = f"Tree {place + 1} of {len(model.trees_)}"
    drawing = draw_tree(tree, model.schema_, answers.tolist(), "what each leaf adds", title=title)
    return drawing.noted(note)
