"""Σ terms × coefficient, in the users' units."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.export.forms import Additive
from crake.kernels import readable
from crake.kernels.linear.encoding import Encoding, scores
from crake.learners.encoding import Design
from crake.learners.encoding.form import design_form
from crake.learners.linear.response import means
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
    encoding, by_term = _in_deviations(design, coefficient)
    out, chosen = np.empty((len(codes), 1)), np.arange(len(codes))
    scores(readable(codes), readable(values), chosen, 0, len(codes), encoding, by_term, out)
    return out[:, 0]


def terms_form(design: Design, coefficient: Floats) -> Additive:
    """Return the sum of terms as the exports write it."""
    encoding, by_term = _in_deviations(design, coefficient)
    return design_form(design.schema, encoding, by_term, fill=means(design) * encoding.unit * encoding.scale)


def _in_deviations(design: Design, coefficient: Floats) -> tuple[Encoding, Floats]:
    """Measure numbers in standard deviations, so that no product of a large and a small one leaves the floats."""
    coefficient = coefficient.copy()
    spread = np.where(design.spread > 0, design.spread, 1.0)
    coefficient[: design.numbers] = np.ldexp(coefficient[: design.numbers] * spread, design.exponent)
    none = np.zeros(design.numbers)
    encoding = design.arrays._replace(centre=none, rest=none, scale=1.0 / spread)
    return encoding, np.ascontiguousarray(coefficient[:, None])
