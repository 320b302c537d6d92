"""Predicted numbers as pictures: against the true ones, and their residuals; as squares, no row by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.render.drawing.axis import Axis
from crake.render.drawing.curves import Band, CurvePicture, Line, curve_drawing
from crake.render.drawing.density_squares import Cloud
from crake.render.drawing.drawing import Drawing
from crake.render.format_numbers import amount, count, percent
from crake.render.plain_text import shown

if TYPE_CHECKING:
    from crake.evaluation.result.regression import NumberEvaluation


SQUARES = 40
"""Squares of a cloud across and up."""
ENDS = 0.001
"""The share of rows at each end that is drawn at the edge: one far row would squeeze all others."""
PARTS = 12
"""Parts of the predictions, of equal numbers of rows, whose middle residual is drawn."""
LARGEST = 1e300
"""Numbers beyond cannot be laid out."""


def draw_numbers(evaluation: NumberEvaluation, what: str, width: float = 440) -> Drawing:
    """Return the "predicted" numbers against the true ones, or the "residuals" against the predicted ones."""
    pictures = {"predicted": predicted_picture, "residuals": residual_picture}
    if what not in pictures:
        raise CrakeError(f"draw({what!r}); expected 'predicted' or 'residuals'")
    return curve_drawing(pictures[what](evaluation), width)


def predicted_picture(evaluation: NumberEvaluation) -> CurvePicture:
    """On the dashed line a prediction is right; both axes have one scale."""
    predictions, target = evaluation.out_of_fold, shown(evaluation.target, 40)
    low, high = _ends(np.concatenate([predictions.actual, predictions.predicted]))
    across, up = Axis.over(f"true {target}", low, high, 5), Axis.over(f"predicted {target}", low, high, 5)
    off = np.abs(predictions.predicted - predictions.actual)
    return CurvePicture(
        "Predicted and true",
        f"{evaluation.name}, {count(len(off))} predictions",
        f"Half of the predictions are within {amount(float(np.median(off)))} of the true {target}, nine tenths within "
        f"{amount(float(np.quantile(off, 0.9)))}.",
        across,
        up,
        references=(Line("predicted = true", (across.low, across.high), (up.low, up.high)),),
        notes=(_darker(predictions.actual, predictions.predicted, across, up),),
        cloud=_cloud(predictions.actual, predictions.predicted, across, up),
    )


def residual_picture(evaluation: NumberEvaluation) -> CurvePicture:
    """True less predicted; the line is the middle of the rows around, the band holds the middle 80 % of them."""
    predictions, target = evaluation.out_of_fold, shown(evaluation.target, 40)
    residual = predictions.actual - predictions.predicted
    across = Axis.over(f"predicted {target}", *_ends(predictions.predicted), 5)
    up = Axis.over("residual: true − predicted", *_ends(residual), 5)
    x, low, middle, high = _middles(predictions.predicted, residual)
    too_high = float(np.mean(residual < 0))
    finding = f"{percent(too_high)} of the predictions are too high, {percent(float(np.mean(residual > 0)))} too low."
    bands = (Band("the middle 80 % of the rows", x, low, high),) if len(x) > 1 else ()
    lines = (Line("their median", x, middle, kind="plain"),) if len(x) > 1 else ()
    return CurvePicture(
        "Residuals",
        f"{evaluation.name}, {count(len(residual))} predictions",
        finding,
        across,
        up,
        lines,
        (Line("no error", (across.low, across.high), (0.0, 0.0)),),
        bands=bands,
        notes=(_darker(predictions.predicted, residual, across, up),),
        cloud=_cloud(predictions.predicted, residual, across, up),
    )


def _ends(values: Floats) -> tuple[float, float]:
    low, high = (float(end) for end in np.quantile(values, [ENDS, 1 - ENDS]))
    if not max(-low, high) < LARGEST:
        raise CrakeError("the numbers are too large to be laid out; divide the target")
    return low, high


def _cloud(x: Floats, y: Floats, across: Axis, up: Axis) -> Cloud:
    """Return the number of rows in each square; what lies beyond the axes is counted at their ends."""
    columns, rows = (_places(values, axis) for values, axis in ((x, across), (y, up)))
    counts = np.bincount(rows * SQUARES + columns, minlength=SQUARES * SQUARES).reshape(SQUARES, SQUARES)
    return Cloud(counts.tolist())


def _places(values: Floats, axis: Axis) -> NDArray[np.intp]:
    part = (np.clip(values, axis.low, axis.high) - axis.low) / (axis.high - axis.low)
    return np.minimum((SQUARES * part).astype(np.intp), SQUARES - 1)


def _darker(x: Floats, y: Floats, across: Axis, up: Axis) -> str:
    """Return a note on the meaning of the squares and the number of rows outside."""
    outside = int(np.sum((x < across.low) | (x > across.high) | (y < up.low) | (y > up.high)))
    beyond = f" {count(outside)} farther out are counted at the edge." if outside else ""
    return f"The stronger a square's colour, the more rows it holds.{beyond}"


def _middles(x: Floats, y: Floats) -> tuple[list[float], list[float], list[float], list[float]]:
    """Return, for parts of the rows in the order of x, their place and the 10 %, 50 % and 90 % quantiles of y."""
    order = np.argsort(x, kind="stable")
    parts: Sequence[NDArray[np.intp]] = np.array_split(order, max(1, min(PARTS, len(x) // 20)))
    at = [float(np.mean(x[part])) for part in parts]
    quantiles = np.array([np.quantile(y[part], [0.1, 0.5, 0.9]) for part in parts])
    low, middle, high = (quantiles[:, k].tolist() for k in range(3))
    return at, low, middle, high
