"""Pictures of learning curves: training and test error, or a measure, by the rows learned from or by a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crake.render.drawing.axis import Axis
from crake.render.drawing.curves import Band, CurvePicture, Line, curve_drawing
from crake.render.drawing.drawing import Drawing

if TYPE_CHECKING:
    from crake.evaluation.studies.learning_curve import LearningCurve


def draw_learning(curve: LearningCurve, width: float = 560) -> Drawing:
    """Return training and test as lines, the interval of the test values as a band."""
    across, places = _across(curve)
    test, training = curve.test.tolist(), curve.training.tolist()
    words = curve.measure.replace("_", " ")
    banded = [(x, *band) for x, band in zip(places, curve.bands, strict=True) if band is not None]
    values = [*test, *training, *(end for _, *ends in banded for end in ends)]
    lowest, highest = min([*values, 0.0]), max([*values, 0.01])
    bands: tuple[Band, ...] = ()
    if len(banded) > 1:
        x, low, high = zip(*banded, strict=True)
        bands = (Band(f"95 % interval of the test {words}", x, low, high, 0),)
    at = curve.places.index(curve.best)
    picture = CurvePicture(
        f"{curve.name} by {curve.axis}",
        curve.plan,
        f"The {'greatest' if curve.greater_is_better else 'least'} test {words}, {test[at]:.4f}, is at {curve.axis} = "
        f"{curve.best}; the training {words} there is {training[at]:.4f}.",
        across,
        Axis.over(words, lowest, highest),
        (Line(f"test {words}", places, test, 0, "joined"), Line(f"training {words}", places, training, 1, "joined")),
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
