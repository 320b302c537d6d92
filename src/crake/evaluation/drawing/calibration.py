"""Calibration drawn: bins with their intervals, the isotonic view, and how many rows each bin has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from crake.errors import CrakeError, UndefinedMeasure
from crake.evaluation.drawing.series import one_class
from crake.evaluation.result.classification import Evaluation
from crake.metrics.measure import why_not
from crake.metrics.probability.calibration import CalibrationTable, calibration_table, called_rows, isotonic_view
from crake.render.drawing.axis import Axis
from crake.render.drawing.curves import CurvePicture, Line, Whisker
from crake.render.format_numbers import count
from crake.table.schema import Label

FEWEST = 5
"""Rows of a bin that is drawn beside others'; a single evaluation shows how unsure the share of fewer is."""
_DIAGONAL = Line("perfect", (0.0, 1.0), (0.0, 1.0))


def calibration_picture(evaluation: Evaluation, positive: Label | None, bins: int, by: Any) -> CurvePicture:
    """Draw the calibration of one evaluation; of several classes, that of the predicted one."""
    table, isotonic = _table(evaluation, positive, bins, by), _table(evaluation, positive, bins, "isotonic")
    part = one_class(evaluation, positive)
    about = f"class {part.positive_class}" if part is not None else "the class called"
    steps_x = np.ravel([isotonic.lower, isotonic.upper], order="F").tolist()
    steps_y = np.repeat(isotonic.observed, 2).tolist()
    lines = [Line("isotonic view", steps_x, steps_y, 2, "plain")] if by != "isotonic" else []
    dots = Line("bins, 95 % intervals", table.predicted.tolist(), table.observed.tolist(), 0, "dots")
    whiskers = tuple(
        Whisker(float(p), float(low), float(high))
        for p, low, high in zip(table.predicted, table.low, table.high, strict=True)
    )
    top = table.rows.max()
    columns = tuple(
        (float(low), float(high), float(0.16 * n / top))
        for low, high, n in zip(table.lower, table.upper, table.rows, strict=True)
        if high > low
    )
    return CurvePicture(
        "Calibration",
        f"{evaluation.name}, {evaluation.table}, {about}",
        _finding(table),
        Axis.shares(f"probability given to {about}"),
        Axis.shares("share that came"),
        (*lines, dots),
        (_DIAGONAL,),
        whiskers=whiskers,
        columns=columns,
        notes=(f"Grey columns: rows of each bin, {count(float(top))} at most.",) if columns else (),
    )


def calibrations_picture(
    evaluations: Sequence[Evaluation], positive: Label | None, bins: int, by: Any, note: str
) -> CurvePicture:
    """Return several models: the bins of each joined by its line."""
    lines: list[Line] = []
    without: list[str] = []
    few = False
    for evaluation in evaluations:
        try:
            table = _table(evaluation, positive, bins, by)
        except UndefinedMeasure:
            without.append(evaluation.name)
            continue
        enough = table.rows >= FEWEST
        enough = enough if enough.sum() > 1 else np.ones(len(enough), bool)
        few |= not enough.all()
        x, y = table.predicted[enough].tolist(), table.observed[enough].tolist()
        lines.append(Line(evaluation.name, x, y, len(lines), "joined"))
    if not lines:
        raise CrakeError(f"none of {without} gives probabilities, so there is no calibration to draw")
    part = one_class(evaluations[0], positive)
    about = f"class {part.positive_class}" if part is not None else "the class called"
    notes = [f"Without probabilities: {', '.join(without)}."] if without else []
    notes += [f"Bins of fewer than {FEWEST} rows, whose shares mean little, are left out."] if few else []
    return CurvePicture(
        "Calibration",
        f"{evaluations[0].table}, {about}",
        f"{len(lines)} models; the nearer a line is to the diagonal, the more its probabilities can be trusted.",
        Axis.shares(f"probability given to {about}"),
        Axis.shares("share that came"),
        tuple(lines),
        (_DIAGONAL,),
        notes=(*notes, *([note] if note else [])),
    )


def _table(evaluation: Evaluation, positive: Label | None, bins: int, by: Any) -> CalibrationTable:
    part = one_class(evaluation, positive)
    if part is not None:
        return part.calibration(bins, by)
    if reason := why_not("probabilities", evaluation.answers):
        raise UndefinedMeasure(f"undefined: {reason}")
    predictions = evaluation.out_of_fold
    rows = (*called_rows(predictions.actual, predictions.probabilities), predictions.weights)
    return isotonic_view(*rows) if by == "isotonic" else calibration_table(*rows, bins=bins, by=by)


def _finding(table: CalibrationTable) -> str:
    off = int(table.is_off.sum())
    if not off:
        return f"In all {len(table)} bins the mean probability lies within the 95 % interval of what came."
    worst = int(np.argmax(np.abs(table.gap)))
    text = "too low" if table.gap[worst] > 0 else "too high"
    return (
        f"In {off} of {len(table)} bins the mean probability lies outside the 95 % interval of what came; farthest "
        f"where {table.predicted[worst]:.2f} was predicted and {table.observed[worst]:.2f} was observed, {text}."
    )
