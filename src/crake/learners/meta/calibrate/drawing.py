"""The maps of a calibrated model as a picture: from the learner's log odds to probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.meta.calibrate.isotonic import Isotonic
from crake.learners.meta.calibrate.odds import FARTHEST
from crake.render.drawing.axis import Axis
from crake.render.drawing.curves import CurvePicture, Line, curve_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.plain_text import shown
from crake.render.sentences import counted
from crake.render.workings import number
from crake.slow_modules import special

if TYPE_CHECKING:
    from crake.learners.meta.calibrate.learner import Calibrated


POINTS, MOST_CLASSES = 61, 6
"""Log odds at which a map is drawn, and classes whose maps are."""
LEAST, CERTAIN = 4.0, 4.6
"""The axis goes at least so far, and no farther than where the map reaches 0.01 or 0.99 (log odds 4.6)."""


def draw_maps(model: Calibrated, *, width: float) -> Drawing:
    """Draw each class's map, beside what the learner itself made of its log odds."""
    maps = model.maps_
    if not maps:
        raise CrakeError(f"not calibrated, so there is no map: {model.not_calibrated_}")
    labels = [shown(label, 40) for label in model.classes_[-len(maps) :]]
    reach = _reach(maps)
    f = np.linspace(-reach, reach, POINTS)
    series = list(zip(labels, maps, strict=True))[:MOST_CLASSES]
    lines = tuple(_line(label, each, f, k) for k, (label, each) in enumerate(series))
    omitted = len(maps) - len(series)
    return curve_drawing(
        CurvePicture(
            "Calibration map",
            f"{model.method}, fitted to answers on rows held out",
            f"Where the learner says {number(float(special.expit(2.0)))} of {labels[0]}, "
            f"it is {number(float(maps[0](np.array([2.0]))[0]))} after calibration.",
            Axis.over("log odds of the learner's answer", -reach, reach, 6),
            Axis.shares("probability"),
            lines,
            (Line("before calibration", f.tolist(), special.expit(f).tolist()),),
            notes=(f"Maps of {counted(omitted, 'more class', 'more classes')} are not drawn.",) if omitted > 0 else (),
            is_square=False,
        ),
        width,
    )


def _line(label: str, each: Any, f: Floats, style: int) -> Line:
    if isinstance(each, Isotonic):
        inside = each.log_odds[np.abs(each.log_odds) <= f[-1]]
        # Corners lie close together where the rows do; a hundred draw the same line.
        inside = inside[np.unique(np.linspace(0, len(inside) - 1, min(len(inside), 100)).astype(np.intp))]
        f = np.unique(np.concatenate([f[[0, -1]], inside]))
    return Line(f"P({label})", f.tolist(), each(f).tolist(), style, "plain" if style == 0 else "line")


def _reach(maps: Any) -> float:
    """Return how far from 0 the map changes: to the last corner, or until the sigmoid is nearly certain."""
    ends = [
        float(np.abs(each.log_odds).max()) if isinstance(each, Isotonic) else (CERTAIN + abs(each.b)) / max(each.a, 0.1)
        for each in maps
    ]
    return min(FARTHEST, max(LEAST, *ends))
