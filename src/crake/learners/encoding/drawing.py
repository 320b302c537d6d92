"""Coefficients of a design made ready to be drawn: on one scale, largest first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crake.errors import CrakeError
from crake.learners.encoding.coefficients import Coefficient, number_written
from crake.learners.encoding.design import Design
from crake.render.drawing.coefficients import CoefficientRow, Estimated
from crake.render.format_numbers import amount
from crake.render.plain_text import visible


def deviations(design: Design, places: Sequence[int]) -> list[float]:
    """Return the factor of each term in a drawing: the standard deviation of a number, 1 for a level."""
    spread = np.ldexp(design.spread, design.exponent)
    return [float(spread[at]) if at < design.numbers else 1.0 for at in places]


def coefficient_rows(
    design: Design,
    places: Sequence[int],
    series: Sequence[Sequence[Coefficient]],
    *,
    most: int,
    standardised: bool,
) -> tuple[tuple[CoefficientRow, ...], int]:
    """Return one row a term but the intercept, the largest first; and how many are left out."""
    if most < 1:
        raise CrakeError(f"most={most}; expected how many terms to draw, 1 or more")
    factors = deviations(design, places) if standardised else [1.0] * len(places)
    rows = []
    for k, at in enumerate(places):
        if design.terms[at].is_intercept:
            continue
        estimates = tuple(_scaled(lines[k], factors[k]) for lines in series)
        if any(each is not None for each in estimates):
            rows.append(CoefficientRow(visible(design.terms[at]), estimates, _said(series, k)))
    rows.sort(key=lambda row: -max(abs(each.value) for each in row.estimates if each is not None))
    return tuple(rows[:most]), max(0, len(rows) - most)


def _scaled(line: Coefficient, factor: float) -> Estimated | None:
    if line.value is None or not np.isfinite(line.value * factor):
        return None
    if line.low is None or line.high is None or not np.isfinite([line.low * factor, line.high * factor]).all():
        return Estimated(line.value * factor)
    return Estimated(line.value * factor, line.low * factor, line.high * factor)


def _said(series: Sequence[Sequence[Coefficient]], k: int) -> str:
    """Return the coefficients as the table has them."""
    written = [number_written(value) for lines in series if (value := lines[k].value) is not None]
    return f"{series[0][k].term}: {', '.join(written)} in its own units"


def largest_effect(rows: Sequence[CoefficientRow]) -> str:
    """Return a sentence about the first row, and how many intervals leave 0 out."""
    if not rows:
        return "No term has a coefficient."
    first = max((each for each in rows[0].estimates if each is not None), key=lambda each: abs(each.value))
    text = f"The largest is {rows[0].name}, {amount(first.value, 3)}."
    known = [row for row in rows if row.estimates[0] is not None and row.estimates[0].low is not None]
    if known:
        away = sum(not row.estimates[0].crosses_zero for row in known if row.estimates[0] is not None)
        text += f" {away} of {len(known)} intervals leave 0 out."
    return text


def interval_text(rows: Sequence[CoefficientRow], confidence: float) -> str:
    """Return a text about the intervals that are drawn; empty if there are none."""
    known = any(each is not None and each.low is not None for row in rows for each in row.estimates)
    return f"; {100 * confidence:g} % intervals" if known else ""
