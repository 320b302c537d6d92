"""Bonferroni's multiplier: in how many ways the values of a column could have been merged."""

from __future__ import annotations

import math
from functools import cache
from typing import Literal

MOST_EXACT = 400
"""Values up to which the ways are counted exactly."""


@cache
def log_multiplier(values: int, groups: int, order: Literal["nominal", "ordinal", "floating"]) -> float:
    """The logarithm of the number of ways to merge c values into r groups (Kass 1980).

    nominal: Σ_i (−1)^i (r − i)^c / (i! (r − i)!), Stirling's number S(c, r); ordinal: C(c − 1, r − 1); floating, where
    one of the c values may join any group: C(c − 2, r − 2) + r · C(c − 2, r − 1).

    >>> [round(math.exp(log_multiplier(5, 3, order))) for order in ("nominal", "ordinal", "floating")]
    [25, 6, 12]
    """
    c, r = values, groups
    if r < 2 or c < 2:
        return 0.0
    if order == "ordinal":
        return math.log(math.comb(c - 1, r - 1))
    if order == "floating":
        return math.log(math.comb(c - 2, r - 2) + r * math.comb(c - 2, r - 1))
    if c <= MOST_EXACT:
        ways = sum((-1) ** i * math.comb(r, i) * (r - i) ** c for i in range(r)) // math.factorial(r)
        return math.log(ways)
    # Of c values dealt out to r groups hardly a deal leaves a group empty: S(c, r) ≈ r^c / r!, which is never less.
    return c * math.log(r) - math.lgamma(r + 1)
