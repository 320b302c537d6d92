"""Nearest neighbours as a picture: the error of the training rows, each left out, for every number of neighbours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.neighbors.text import vote_text
from crake.render.drawing.axis import Axis, ticks_within
from crake.render.drawing.curves import CurvePicture, Line, curve_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.format_numbers import count
from crake.render.workings import number

if TYPE_CHECKING:
    from crake.learners.neighbors.base import Neighbors


PAIRS = 20_000_000
"""Distances that a picture may cost; of more training rows fewer are left out."""
MOST_ROWS, MOST_NEIGHBOURS, STANDARD = 1000, 60, 30
"""Most rows that are left out, most neighbours of each, and fewest where there are as many."""


def draw_errors(model: Neighbors, measure: str, error: Callable[[Floats], Floats], *, width: float) -> Drawing:
    """Draw the error by k, with the k that the model asks; `error` makes it of what leaving rows out gives."""
    rows, scores = left_out_scores(model)
    errors, k = error(scores), model.k_
    best = int(np.argmin(errors)) + 1
    here = float(errors[k - 1]) if k <= len(errors) else None
    n, up = len(model.rows_), Axis.over(measure, 0.0, float(errors.max()), 5)
    text = "each left out in turn" if rows == n else f"{count(rows)} of them left out in turn"
    finding = f"The {measure} is least, {number(float(errors[best - 1]))}, with {_neighbours(best)}"
    finding += _asked(k, here, best)
    notes = ["Each row is answered by the others. The least error of many is a little too good to be true."]
    return curve_drawing(
        CurvePicture(
            "Error by the number of neighbours",
            f"{vote_text(model)}; {count(n)} training rows, {text}",
            finding,
            _across(len(errors)),
            up,
            (Line(measure, range(1, len(errors) + 1), errors.tolist(), kind="joined", title=finding),),
            () if here is None else (Line(f"k = {k}, as the model asks", (k, k), (up.low, up.high)),),
            notes=tuple(notes),
            is_square=False,
        ),
        width,
    )


def _asked(k: int, here: float | None, best: int) -> str:
    """Return the end of the sentence: how that compares with the neighbours that the model asks."""
    if here is None:
        return f"; the model asks {count(k)}, more than are drawn."
    return ", as the model asks." if best == k else f"; the model asks {k}: {number(here)}."


def left_out_scores(model: Neighbors) -> tuple[int, Floats]:
    """Return the number of training rows left out, and the score of k = 1 … neighbours; from `fit`, or computed now."""
    n = len(model.rows_)
    if n < 2:
        raise CrakeError("one training row has no neighbours among the others; there is nothing to draw")
    if len(model.leave_one_out_):
        return n, model.leave_one_out_
    total = int(model.rows_.mass.sum())
    most = max(1, min(MOST_NEIGHBOURS, total - 1, max(STANDARD, model.k_)))
    share = max(50, min(MOST_ROWS, PAIRS // n))
    rows = np.arange(n) if n <= share else np.linspace(0, n - 1, share).astype(np.int64)
    return len(rows), model._leave_one_out(most, rows)  # noqa: SLF001 - one family


def _neighbours(k: int) -> str:
    return "1 neighbour" if k == 1 else f"{k} neighbours"


def _across(most: int) -> Axis:
    ticks = [1.0, *(t for t in ticks_within(1, most, 7) if t > 1 and t == int(t))]
    return Axis("neighbours asked, k", 0.5, most + 0.5, _apart(ticks))


def _apart(ticks: Sequence[float]) -> tuple[float, ...]:
    """Without a tick that lies too near to 1."""
    step = ticks[-1] - ticks[-2] if len(ticks) > 2 else 0.0
    return tuple(t for t in ticks if t == 1 or t - 1 >= 0.5 * step)
