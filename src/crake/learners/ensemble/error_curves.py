"""The error of an ensemble by its number of members, or of rounds, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats
from crake.metrics.estimate import Estimate
from crake.metrics.intervals import proportion
from crake.render.drawing.axis import Axis
from crake.render.drawing.curves import Band, CurvePicture, Line, curve_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.sentences import counted

TRAINING = "on the training rows"
LEAST_HEIGHT = 0.01
"""The error at the top of a picture in which nothing is wrong."""


@dataclass(frozen=True, eq=False)
class ErrorCurve:
    """The errors after each member on some rows (`where` says on which), and the ends of their 95 % intervals.

    The error on the training rows has no interval: it is no estimate of anything. NaN is an error that is not known.
    """

    where: str
    errors: Floats
    low: Floats
    high: Floats

    @classmethod
    def on_training_rows(cls, errors: Floats) -> ErrorCurve:
        """Return the curve of the rows that were learned from."""
        return cls(TRAINING, errors, np.zeros(0), np.zeros(0))

    @classmethod
    def of_shares(cls, where: str, errors: Floats, weight: float) -> ErrorCurve:
        """Return the curve of shares of rows that weigh so much, with Wilson's intervals; without if nothing is known
        of the weight.
        """
        if weight <= 0:
            return cls(where, errors, np.zeros(0), np.zeros(0))
        ends = np.array([error_interval(float(error), weight) for error in errors]).reshape(-1, 2)
        return cls(where, errors, ends[:, 0], ends[:, 1])

    @classmethod
    def of_estimates(cls, where: str, estimates: Sequence[Estimate]) -> ErrorCurve:
        """Return the curve of these estimates, each with its own interval; one that has none is its own interval."""
        values = [0.0 if each.value is None else each.value for each in estimates]
        ends = [each.interval or (value, value) for each, value in zip(estimates, values, strict=True)]
        return cls(where, np.array(values), np.array([low for low, _ in ends]), np.array([high for _, high in ends]))

    def at(self, number: int) -> str:
        """Return the error after this number of members, with its interval."""
        error = f"{self.errors[number - 1]:.4f}"
        return f"{error} [{self.low[number - 1]:.4f}, {self.high[number - 1]:.4f}]" if len(self.low) else error


def error_interval(error: float, weight: float) -> tuple[float, float]:
    """Return Wilson's interval of an error on rows of this weight.

    >>> [round(end, 3) for end in error_interval(0.1, 50)]
    [0.043, 0.214]
    """
    ends = proportion(error * weight, (1 - error) * weight, otherwise="no rows").interval
    return (error, error) if ends is None else (float(ends[0]), float(ends[1]))


def draw_error_curves(
    curves: Sequence[ErrorCurve],
    *,
    title: str,
    subject: str,
    counted_in: str,
    kept: int,
    measure: str = "error",
    notes: Sequence[str] = (),
    width: float,
) -> Drawing:
    """Draw the errors by the number of members or rounds (`counted_in`), of which `kept` are in the model.

    The first curve is the one that counts; the finding says the errors of the model as it is.
    """
    styles = _styles(curves)
    known = [~np.isnan(curve.errors) for curve in curves]
    numbers = [(np.flatnonzero(which) + 1.0).tolist() for which in known]
    lines = [
        Line(f"{measure} {curve.where}", x, curve.errors[which].tolist(), style, "plain")
        for curve, which, x, style in zip(curves, known, numbers, styles, strict=True)
    ]
    has_one = sum(len(curve.low) > 1 for curve in curves) == 1
    bands = [
        Band(
            "its 95 % interval" if has_one else f"95 % interval {curve.where}",
            x,
            curve.low[which].tolist(),
            curve.high[which].tolist(),
            style,
        )
        for curve, which, x, style in zip(curves, known, numbers, styles, strict=True)
        if len(curve.low) > 1
    ]
    most = max(len(curve.errors) for curve in curves)
    highest = max(float(np.nanmax(part, initial=0.0)) for curve in curves for part in (curve.errors, curve.high))
    said = [f"{curve.where} is {curve.at(kept)}" if at == 0 else f"{curve.where} {curve.at(kept)}"
            for at, curve in enumerate(curves)]  # fmt: skip
    return curve_drawing(
        CurvePicture(
            title,
            subject,
            f"With {counted(kept, counted_in.removesuffix('s'))} the {measure} {', '.join(said)}.",
            Axis.over(counted_in, 0.0, float(max(most, 2))),
            Axis.over(measure, 0.0, max(highest, LEAST_HEIGHT if measure == "error" else 1e-12)),
            tuple(lines),
            bands=tuple(bands),
            notes=tuple(notes),
            is_square=False,
        ),
        width,
    )


def _styles(curves: Sequence[ErrorCurve]) -> list[int]:
    """Return the style of each curve: the training rows have the second one wherever they are drawn."""
    others = iter((0, 2, 3, 4))
    return [1 if curve.where == TRAINING else next(others) for curve in curves]
