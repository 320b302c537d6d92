"""A short number just beyond a boundary: what a person would type in."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

DIGITS = 17
CLOSE = 0.01
"""The share by which a change may become longer for the sake of a short number."""


def beyond(boundary: float, now: float, *, whole: bool) -> list[float]:
    """Return numbers beyond the boundary as seen from `now`, the shortest first, then the boundary itself.

    If the value is missing (`now` is NaN), return numbers on both sides of it.

    >>> beyond(4.84271, 4.4, whole=False)[:2], beyond(3.5, 3.0, whole=True)[0], beyond(1.65, 1.8, whole=False)[0]
    ([4.843, 4.8428], 4.0, 1.65)
    >>> beyond(77.38, float("nan"), whole=True)[:2]
    [78.0, 77.0]
    """
    if not math.isfinite(boundary):
        return []
    sides = [ROUND_CEILING if boundary >= now else ROUND_FLOOR] if not math.isnan(now) else [ROUND_CEILING, ROUND_FLOOR]
    exact = Decimal(repr(boundary))  # as it is written: 1.65, not the double below it
    numbers = [float(exact.to_integral_value(towards)) for towards in sides] if whole else []
    allowed = CLOSE * abs(boundary - now) if math.isfinite(now) else CLOSE * abs(boundary)
    first = exact.adjusted()
    for digits in range(1, DIGITS + 1):
        for towards in sides:
            rounded = float(exact.quantize(Decimal(1).scaleb(first - digits + 1), towards)) if boundary else 0.0
            if abs(rounded - boundary) <= allowed and rounded not in numbers:
                numbers.append(rounded)
    return [*numbers, boundary]
