"""Intervals by their cuts: which one a value falls in, and what it is called."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from crake.arrays import Codes, Floats
from crake.render.date_text import date_text
from crake.table.batch import MISSING


def interval_of(values: Floats, cuts: Floats) -> Codes:
    """Return the first interval whose upper cut is at least the value; MISSING where the value is.

    >>> interval_of(np.array([2.0, 2.45, 2.5, 9.0, np.nan]), np.array([2.45, 4.75])).tolist()
    [0, 0, 1, 2, -1]
    """
    codes = np.searchsorted(cuts, values, side="left").astype(np.int32)
    codes[np.isnan(values)] = MISSING
    return codes


def interval_names(cuts: Floats, *, is_date: bool = False) -> tuple[str, ...]:
    """Return the names of the intervals; x ≤ cut is below. At least six digits, and enough to tell cuts apart.

    Cuts of days since 1970 (`is_date`) are written as dates where that tells them apart.

    >>> interval_names(np.array([2.45, 4.75]))
    ('≤ 2.45', '2.45 … 4.75', '> 4.75')
    >>> interval_names(np.array([1.517065, 1.517315])), interval_names(np.zeros(0))
    (('≤ 1.51707', '1.51707 … 1.51731', '> 1.51731'), ('any value',))
    """
    if len(cuts) == 0:
        return ("any value",)
    dates = [date_text(float(cut)) for cut in cuts] if is_date else []
    written = dates if len(set(dates)) == len(cuts) else _written(cuts)
    return (f"≤ {written[0]}", *(f"{low} … {high}" for low, high in pairwise(written)), f"> {written[-1]}")


def _written(cuts: Floats) -> list[str]:
    for digits in range(6, 18):
        texts = [_number(float(cut), digits) for cut in cuts]
        if len(set(texts)) == len(texts):
            return texts
    return [repr(float(cut)) for cut in cuts]


def _number(value: float, digits: int) -> str:
    """Write whole numbers plain, others with `digits` significant digits, at least one after the point."""
    if abs(value) >= 1e15 or abs(value) < 1e-4:
        return f"{value:.{digits}g}"
    before_the_point = len(str(int(abs(value))))
    return str(int(value)) if value == int(value) else f"{value:.{max(digits, before_the_point + 1)}g}"
