"""The rounds of boosting as a picture: the committee's error by its number of members, with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.learners.ensemble.errors_by_member import error_interval
from crake.render.drawing.axis import Axis
from crake.render.drawing.curves import Band, CurvePicture, Line, curve_drawing
from crake.render.drawing.drawing import Drawing

if TYPE_CHECKING:
    from crake.learners.ensemble.adaboost.learner import AdaBoostClassifier


def draw_rounds(
    model: AdaBoostClassifier, tested: Floats, weight: float, what: str, *, only_kept: bool, width: float
) -> Drawing:
    """Draw the error on the training rows and, with its interval, on rows of this weight that were not learned from.

    The error on the training rows has no interval: it is no estimate of anything. `only_kept`: rounds whose members
    were dropped are not drawn.
    """
    members = len(model.estimators_)
    training = model.training_errors_[:members] if only_kept else model.training_errors_
    rounds = np.arange(1, len(training) + 1, dtype=np.float64)
    lines = [Line("error on the training rows", rounds.tolist(), training.tolist(), 1, "plain")]
    bands: tuple[Band, ...] = ()
    high = [0.01]
    if len(tested):
        x = rounds[: len(tested)].tolist()
        lines.insert(0, Line(f"error on the rows {what}", x, tested.tolist(), 0, "plain"))
        if weight > 0 and len(tested) > 1:
            ends = [error_interval(float(error), weight) for error in tested]
            high += [end[1] for end in ends]
            bands = (Band("its 95 % interval", x, [end[0] for end in ends], [end[1] for end in ends], 0),)
    highest = max(float(training.max()), float(tested.max(initial=0.0)), *high)
    last = f"With {members} members the error on the training rows is {training[members - 1]:.4f}"
    chosen = f", on the rows {what} {_with_ends(float(tested[members - 1]), weight)}" if len(tested) else ""
    notes = (f"It stopped: {model.stopped_}.",) if model.stopped_ else ()
    return curve_drawing(
        CurvePicture(
            f"AdaBoost by number of members: {members}",
            f"variant {model.variant}",
            f"{last}{chosen}.",
            Axis.over("members", 0.0, float(max(len(training), 2))),
            Axis.over("error", 0.0, highest),
            tuple(lines),
            bands=bands,
            notes=notes,
            is_square=False,
        ),
        width,
    )


def _with_ends(error: float, weight: float) -> str:
    if weight <= 0:
        return f"{error:.4f}"
    low, high = error_interval(error, weight)
    return f"{error:.4f} [{low:.4f}, {high:.4f}]"
