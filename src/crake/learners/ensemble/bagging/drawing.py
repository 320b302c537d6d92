"""The error out of bag as a picture: by the number of members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crake.render.drawing.axis import Axis
from crake.render.drawing.curves import CurvePicture, Line, curve_drawing
from crake.render.drawing.drawing import Drawing

if TYPE_CHECKING:
    from crake.learners.ensemble.bagging.learner import BaggingClassifier


def draw_errors(model: BaggingClassifier, *, width: float) -> Drawing:
    """Draw the error of the first member, of the first two, and so on, on the rows that their samples lack."""
    errors = model.oob_errors_.tolist()
    members = [float(at) for at in range(1, len(errors) + 1)]
    return curve_drawing(
        CurvePicture(
            f"Error out of bag by number of members: {len(errors)}",
            "each training row is predicted by the members whose samples lack it",
            f"With {len(errors)} members the error out of bag is {errors[-1]:.4f}.",
            Axis.over("members", 0.0, max(members[-1], 2.0)),
            Axis.over("error out of bag", 0.0, max(*errors, 0.01)),
            (Line("error out of bag", members, errors, 0, "plain"),),
            is_square=False,
        ),
        width,
    )
