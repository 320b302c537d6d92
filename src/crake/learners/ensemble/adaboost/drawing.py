"""The rounds of boosting as a picture: the committee's error by its number of members."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.render.drawing.axis import Axis
from crake.render.drawing.curves import CurvePicture, Line, curve_drawing
from crake.render.drawing.drawing import Drawing

if TYPE_CHECKING:
    from crake.learners.ensemble.adaboost.learner import AdaBoostClassifier


def draw_rounds(model: AdaBoostClassifier, *, width: float) -> Drawing:
    """Draw the error on the training rows and, where rows were held out, on those."""
    training, tested = model.training_errors_, model.validation_errors_
    rounds = np.arange(1, len(training) + 1, dtype=np.float64)
    lines = [Line("error on the training rows", rounds.tolist(), training.tolist(), 1, "plain")]
    if len(tested):
        lines.insert(0, Line("error on the rows held out", rounds[: len(tested)].tolist(), tested.tolist(), 0, "plain"))
    members = len(model.estimators_)
    highest = max(float(training.max()), float(tested.max(initial=0.0)), 0.01)
    last = f"With {members} members the error on the training rows is {training[members - 1]:.4f}"
    chosen = f", on the rows held out {tested[members - 1]:.4f}" if len(tested) else ""
    notes = (f"It stopped: {model.stopped_}.",) if model.stopped_ else ()
    return curve_drawing(
        CurvePicture(
            f"AdaBoost by number of members: {members}",
            f"variant {model.variant}",
            f"{last}{chosen}.",
            Axis.over("members", 0.0, float(max(len(training), 2))),
            Axis.over("error", 0.0, highest),
            tuple(lines),
            notes=notes,
            is_square=False,
        ),
        width,
    )
