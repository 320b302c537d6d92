"""Σ terms × coefficient, in the users' units."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels import readable
from crake.kernels.linear.encoding import scores
from crake.learners.encoding import Design
from crake.learners.linear.fitting import means
from crake.table.table import Table


def sums_of_terms(design: Design, table: Table, coefficient: Floats, rows: NDArray[np.intp] | None = None) -> Floats:
    """Return the sum of each row's terms. The mean stands for a gap; a gap may add a coefficient of its own."""
    codes, values = design.arrays_of(table, rows)
    missing = design.arrays.missing
    coefficient = coefficient.copy()
    gaps = np.isnan(values)
    if gaps.any():
        mean = means(design)
        values = np.where(gaps, mean, values)
        values[:, missing[0]] = np.where(gaps[:, missing[0]], np.nan, values[:, missing[0]])
        coefficient[missing[1]] += coefficient[missing[0]] * mean[missing[0]]
    # Numbers are measured in standard deviations, so that no product of a large and a small one leaves the floats.
    spread = np.where(design.spread > 0, design.spread, 1.0)
    coefficient[: design.numbers] = np.ldexp(coefficient[: design.numbers] * spread, design.exponent)
    out, none = np.empty((len(codes), 1)), np.zeros(design.numbers)
    encoding = design.arrays._replace(centre=none, rest=none, scale=1.0 / spread)
    chosen, by_term = np.arange(len(codes)), np.ascontiguousarray(coefficient[:, None])
    scores(readable(codes), readable(values), chosen, 0, len(codes), encoding, by_term, out)
    return out[:, 0]
