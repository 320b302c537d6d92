"""The error out of bag as a picture: by the number of members."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from crake.learners.ensemble.bagging.out_of_bag import estimate
from crake.render.drawing.axis import Axis
from crake.render.drawing.curves import Band, CurvePicture, Line, curve_drawing
from crake.render.drawing.drawing import Drawing

if TYPE_CHECKING:
    from crake.learners.ensemble.bagging.learner import BaggingClassifier


def draw_errors(model: BaggingClassifier, *, width: float) -> Drawing:
    """Draw the error of the first member, of the first two, and so on, on the rows that their samples lack."""
    errors = model.oob_errors_.tolist()
    members = [float(at) for at in range(1, len(errors) + 1)]
    low, high = _band(model)
    last = estimate(*model._oob_counts)  # noqa: SLF001 (its own picture)
    ends = last.interval
    interval = "" if ends is None else f" [{1 - ends[1]:.4f}, {1 - ends[0]:.4f}]"
    return curve_drawing(
        CurvePicture(
            f"Error out of bag by number of members: {len(errors)}",
            "each training row is predicted by the members whose samples lack it",
            f"With {len(errors)} members the error out of bag is {errors[-1]:.4f}{interval}.",
            Axis.over("members", 0.0, max(members[-1], 2.0)),
            Axis.over("error out of bag", 0.0, max(*errors, *high, 0.01)),
            (Line("error out of bag", members, errors, 0, "plain"),),
            bands=(Band("its 95 % interval", members, low, high, 0),) if len(members) > 1 else (),
            is_square=False,
        ),
        width,
    )


def _band(model: BaggingClassifier) -> tuple[list[float], list[float]]:
    """Return Wilson's interval of each error, from the rows that so many samples are expected to leave out."""
    inside = 1.0 - math.exp(-float(model.max_samples))
    errors, (_, rows) = model.oob_errors_, model._oob_counts  # noqa: SLF001 (its own picture)
    low, high = [], []
    for at, error in enumerate(errors.tolist(), start=1):
        tested = rows * (1 - inside**at) / (1 - inside ** len(errors))
        ends = estimate(error * tested, tested).interval or (error, error)
        low.append(float(ends[0]))
        high.append(float(ends[1]))
    return low, high
