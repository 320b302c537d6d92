"""Intervals for proportions, and the proportion with its interval as an Estimate."""

from __future__ import annotations

import math
from statistics import NormalDist

from crake.errors import CrakeError
from crake.metrics.estimate import Estimate


def wilson(successes: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval: the p for which |s/n − p| ≤ z·√(p(1 − p)/n).

    Its ends are [s + z²/2 ± z·√(s(n − s)/n + z²/4)] / (n + z²). Unlike s/n ± z·√(…) it stays within 0 … 1 and
    has a width even where s is 0 or n.

    >>> low, high = wilson(81, 263)                          # Newcombe (1998), table I
    >>> round(low, 4), round(high, 4)
    (0.2553, 0.3662)
    >>> wilson(0, 20)[0], round(wilson(0, 20)[1], 4)
    (0.0, 0.1611)

    Wilson (1927), Probable inference, the law of succession, and statistical inference.
    """
    if not (math.isfinite(n) and n > 0 and 0 <= successes <= n):
        raise CrakeError(f"{successes} successes in {n} trials; expected n > 0 and 0 ≤ successes ≤ n")
    if not 0 < level < 1:
        raise CrakeError(f"level = {level}; expected a number between 0 and 1, such as 0.95")
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = (successes + z**2 / 2) / (n + z**2)
    half = z / (n + z**2) * math.sqrt(successes * ((n - successes) / n) + z**2 / 4)
    # The interval holds s/n and the ends at s = 0 and s = n are exact; a rounding must not change that.
    low, high = min(max(0.0, centre - half), successes / n), max(min(1.0, centre + half), successes / n)
    return low, high


def proportion(successes: float, failures: float, *, otherwise: str) -> Estimate:
    """The share successes / (successes + failures) with its Wilson interval; `otherwise` says why there is none.

    Counts may be sums of weights: a row of weight 2 counts as two rows.

    >>> print(proportion(9, 5, otherwise="no rows"))
    0.643 [0.388, 0.837]
    >>> print(proportion(0, 0, otherwise="no rows"))
    undefined (no rows)
    """
    n = successes + failures
    if n == 0:
        return Estimate.undefined(otherwise)
    return Estimate(float(successes / n), wilson(float(successes), float(n)), "Wilson 95 %")
