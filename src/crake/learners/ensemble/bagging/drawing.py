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
    """Return Wilson's interval of the error after each member.

    It counts the rows that the samples up to that member are expected to leave out.
    """
    errors, (_, rows) = model.oob_errors_, model._oob_counts  # noqa: SLF001 (its own picture)
    low, high = [], []
    for at, error in enumerate(errors.tolist(), start=1):
        tested = rows * _share_left_out(float(model.max_samples), at, len(errors))
        ends = estimate(error * tested, tested).interval or (error, error)
        low.append(float(ends[0]))
        high.append(float(ends[1]))
    return low, high


def _share_left_out(draws: float, first: int, members: int) -> float:
    """Return the rows that some of the first samples lack, as a share of those that some of all samples lack.

    A sample has `draws` draws per row of the table. It holds a given row with probability p = 1 − exp(−draws). At least
    one of k samples lacks the row with probability 1 − p^k.

    >>> round(_share_left_out(1.0, 1, 2), 6) == round(1 / (1 + (1 - math.exp(-1))), 6)
    True
    >>> _share_left_out(800.0, 1, 4)
    0.25
    """
    lacking = math.exp(-draws)
    inside = math.log1p(-lacking) if lacking < 0.5 else math.log(-math.expm1(-draws))
    return math.expm1(first * inside) / math.expm1(members * inside) if inside < 0 else first / members
