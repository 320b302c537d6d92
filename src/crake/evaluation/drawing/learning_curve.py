"""A learning curve drawn: training and test error by the rows learned from, or by a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crake.render.drawing.axis import Axis
from crake.render.drawing.curves import Band, CurvePicture, Line, curve_drawing
from crake.render.drawing.drawing import Drawing

if TYPE_CHECKING:
    from crake.evaluation.studies.learning_curve import LearningCurve


def draw_learning(curve: LearningCurve, width: float = 560) -> Drawing:
    """Return both errors, the interval of the test error as a band."""
    across, places = _across(curve)
    test, training = curve.test_error.tolist(), curve.training_error.tolist()
    banded = [(x, *band) for x, band in zip(places, curve.bands, strict=True) if band is not None]
    highest = max([*test, *training, *(high for *_, high in banded), 0.01])
    bands: tuple[Band, ...] = ()
    if len(banded) > 1:
        x, low, high = zip(*banded, strict=True)
        bands = (Band("95 % interval of the test error", x, low, high, 0),)
    picture = CurvePicture(
        f"{curve.name} by {curve.axis}",
        curve.plan,
        f"The least test error, {min(test):.4f}, is at {curve.axis} = {curve.best}; the training error there is "
        f"{training[curve.places.index(curve.best)]:.4f}.",
        across,
        Axis.over("error", 0.0, highest),
        (Line("test error", places, test, 0, "joined"), Line("training error", places, training, 1, "joined")),
        bands=bands,
        is_square=False,
    )
    return curve_drawing(picture, width)


def _across(curve: LearningCurve) -> tuple[Axis, list[float]]:
    """Return a numeric scale, in powers of ten if the values span more than one; a scale of names otherwise."""
    places = curve.places
    if len(places) > 1 and all(_is_number(place) for place in places):
        low, high = min(places), max(places)
        values = [float(place) for place in places]
        if low > 0 and high / low >= 20:
            return Axis.logarithmic(curve.axis, low, high), values
        if high > low:
            return Axis.over(curve.axis, low, high), values
    names = tuple(str(place) for place in places)
    at = [float(k) for k in range(len(places))]
    return Axis(curve.axis, -0.5, len(places) - 0.5, tuple(at), names), at


def _is_number(place: Any) -> bool:
    return isinstance(place, int | float) and not isinstance(place, bool)
