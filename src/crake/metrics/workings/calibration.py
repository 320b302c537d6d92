"""The calibration error, worked: one line per bin, the mean probability beside the observed share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.metrics.estimate import Estimate
from crake.metrics.probability.binning import bin_edges, bin_of
from crake.metrics.probability.calibration import bin_sums
from crake.metrics.workings.interval import interval_section
from crake.metrics.workings.page import page, terms
from crake.render.grid import Grid
from crake.render.workings import Section, Step, Workings, fraction, number

BINS = 10


def explain_calibration(came: NDArray[np.bool_], p: Floats, weights: Floats, what: str, estimate: Estimate) -> Workings:
    """Σ rows of the bin / n × |share that came − mean probability|, over ten bins of equal width."""
    name, about = "calibration error", f"how far {what} are from what came, in ten bins"
    if estimate.value is None:
        return page(name, about, [Section("Rows", lines=(f"{len(p)} rows were tested",))], estimate)
    edges = bin_edges(p, weights, BINS, "width")
    rows, predicted, right = bin_sums(bin_of(p, edges), came, p, weights, BINS)
    n = float(weights.sum())
    filled = [b for b in range(BINS) if rows[b] > 0]
    table = Grid(
        "",
        ("probability", "rows", "mean said", "came", "gap"),
        tuple(
            (
                f"{number(float(edges[b]))} … {number(float(edges[b + 1]))}",
                number(float(rows[b])),
                number(float(predicted[b] / rows[b])),
                fraction(float(right[b]), float(rows[b])),
                number(abs(float(right[b] - predicted[b])) / float(rows[b])),
            )
            for b in filled
        ),
    )
    written = [
        f"{fraction(float(rows[b]), n)} × {number(abs(float(right[b] - predicted[b])) / float(rows[b]))}"
        for b in filled
    ]
    step = Step(name, "Σ rows/n × gap", terms(written), number(float(estimate.value)))
    return page(
        name,
        about,
        [Section("Bins", tables=(table,)), Section("Summed", (step,)), interval_section(estimate)],
        estimate,
    )
