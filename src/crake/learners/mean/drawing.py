"""The mean as a picture: the numbers of training by ranges, the one with the mean marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.render.drawing.bars import Bar, BarPicture, bar_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.format_numbers import amount, count, percent
from crake.render.plain_text import shown

if TYPE_CHECKING:
    from crake.learners.mean.learner import MeanRegressor


def draw_ranges(model: MeanRegressor, *, width: float) -> Drawing:
    """Draw a bar per range of the target, by the share of the rows."""
    edges, counts = model.edges_, model.counts_
    shares = counts / counts.sum()
    marked = int(np.clip(np.searchsorted(edges, model.mean_, side="right") - 1, 0, len(counts) - 1))
    bars = tuple(
        Bar(
            amount(edges[k]) if len(counts) == 1 else f"{amount(edges[k])} to {amount(edges[k + 1])}",
            float(shares[k]),
            f"{percent(float(shares[k]))}, {count(counts[k])} rows",
            k == marked,
        )
        for k in range(len(counts))
    )
    target, mean = shown(model.schema_.target or "target", 60), amount(model.mean_)
    return bar_drawing(
        BarPicture(
            f"Mean of {target}: {mean}",
            f"predicted for every row; {count(model.weight_)} rows",
            f"{mean} is predicted whatever the row; the standard deviation is {amount(float(model.deviation_))}.",
            bars,
            (),
        ),
        width,
    )
