"""Predicted and true values of a regressor, drawn."""

from __future__ import annotations

from dataclasses import asdict

from crake.errors import CrakeError
from crake.evaluation.drawing.regression import draw_numbers
from crake.evaluation.report.material import Material
from crake.evaluation.result.regression import NumberEvaluation
from crake.render.report.blocks import Picture, Pictures
from crake.render.report.report import Section


def predictions_section(material: Material) -> Section | None:
    """Return the predicted values against the true ones, and the residuals; None for classifiers."""
    if not isinstance(material.best, NumberEvaluation):
        return None
    pictures = _pictures(material.best) if material.with_plots else ()
    blocks = (Pictures(pictures, side_by_side=True),) if pictures else ()
    return Section("predictions", "Predicted and true", blocks, {"plots": [asdict(each) for each in pictures]})


def _pictures(evaluation: NumberEvaluation) -> tuple[Picture, ...]:
    try:
        drawings = [draw_numbers(evaluation, what) for what in ("predicted", "residuals")]
    except CrakeError:  # values beyond what can be laid out: the measures are shown
        return ()
    return tuple(Picture(each.title, each.svg(styled=False), each.finding) for each in drawings)
