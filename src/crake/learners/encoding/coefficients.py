"""Coefficients with their errors, as a table: shared by linear and logistic regression."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from crake.render.format_numbers import UNDEFINED
from crake.render.grid import Grid
from crake.render.plain_text import minus, shown

MOST_FIXED = 1e6
"""A larger z or t, of an all but exact fit, is written with an exponent."""


@dataclass(frozen=True)
class Coefficient:
    """One line of a summary. `statistic` is z or t; None is not known; `aliased`: a sum of other terms."""

    term: str
    value: float | None
    standard_error: float | None = None
    statistic: float | None = None
    p_value: float | None = None
    low: float | None = None
    high: float | None = None
    aliased: bool = False

    @property
    def odds_ratio(self) -> float | None:
        """e^coefficient: by what the odds are multiplied when the term grows by 1."""
        if self.value is None:
            return None
        return math.exp(self.value) if self.value < 700 else math.inf


def grid_of(
    title: str, lines: Sequence[Coefficient], confidence: float, *, odds: bool = False, statistic: str = "z"
) -> Grid:
    """Return the table a person reads."""
    errors = any(line.standard_error is not None for line in lines)
    interval = f"{100 * confidence:g} % interval"
    header = ["term", "coefficient"]
    header += ["std. error", statistic, "p", interval] if errors else []
    header += ["odds ratio"] if odds else []
    rows = []
    for line in lines:
        cells = [shown(line.term, 50), _number(line.value)]
        if errors:
            cells += [_number(line.standard_error), _fixed(line.statistic), p_written(line.p_value), _interval(line)]
        cells += [_number(line.odds_ratio)] if odds else []
        rows.append(tuple(cells))
    return Grid(title, tuple(header), tuple(rows))


def _number(value: float | None) -> str:
    return UNDEFINED if value is None else number_written(value)


def number_written(value: float) -> str:
    """Return five digits that count; large amounts have no power of ten.

    >>> number_written(0.0123456), number_written(112620.4), number_written(4e285), number_written(math.inf)
    ('0.012346', '112620', '4e+285', '∞')
    """
    if math.isinf(value):  # e^coefficient beyond all floats
        return minus("∞" if value > 0 else "-∞")
    return minus(f"{value:.0f}" if 1e5 <= abs(value) < 1e12 else f"{value:.5g}")


def _fixed(value: float | None) -> str:
    return UNDEFINED if value is None else minus(f"{value:.2f}" if abs(value) < MOST_FIXED else f"{value:.2e}")


def p_written(p: float | None) -> str:
    """Return a p-value with three decimals, never 0.

    >>> p_written(0.0423), p_written(1e-9), p_written(None)
    ('0.042', '< 0.001', '–')
    """
    if p is None:
        return UNDEFINED
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _interval(line: Coefficient) -> str:
    if line.low is None or line.high is None:
        return ""
    return f"[{number_written(line.low)}, {number_written(line.high)}]"
