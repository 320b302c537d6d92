"""A linear regression as a picture: its coefficients with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crake.learners.encoding.drawing import coefficient_rows, interval_text, largest_effect
from crake.render.drawing.coefficients import CoefficientPicture, coefficient_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.plain_text import shown
from crake.render.sentences import counted

if TYPE_CHECKING:
    from crake.learners.linear.learner import LinearRegressor


def draw_coefficients(
    model: LinearRegressor, *, confidence: float, most: int, standardised: bool, width: float
) -> Drawing:
    """Draw what a standard deviation of each number, or a level in place of its reference, adds to the prediction."""
    summary = model.summary(confidence)
    places = [int(at) for at in model._order]  # noqa: SLF001 - one family
    rows, omitted = coefficient_rows(
        model.design_, places, [summary.coefficients], most=most, standardised=standardised
    )
    notes = [f"reference levels: {', '.join(f'{c} {v}' for c, v in summary.references)}"] if summary.references else []
    notes += [f"{counted(omitted, 'more term')} with smaller coefficients"] if omitted else []
    target = shown(summary.target, 40)
    per = "per standard deviation, or against the reference level" if standardised else "in the units of the column"
    fit = "" if summary.r2 is None else f", R² {summary.r2:.3f}"
    return coefficient_drawing(
        CoefficientPicture(
            "Coefficients",
            f"linear regression of {target}{fit}{interval_text(rows, confidence)}",
            largest_effect(rows),
            f"change of {target} {per}",
            rows,
            notes=(*notes, *summary.notes),
        ),
        width,
    )
