"""Numbers and quotients as they stand in a hand calculation."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import exp, floor, isfinite, isnan, log, log10

from crake.render.plain_text import minus

LOG_10 = log(10.0)
ROUNDING = 1e-9
"""A sum that exceeds 1 by no more is 1, but for rounding."""


def number(value: float) -> str:
    """Return a number as people write it: four significant digits, whole numbers plain.

    >>> [number(value) for value in (0.0052910, 9, 0.2046, 1234.5, 146718.4, 3.2e-11)]
    ['0.005291', '9', '0.2046', '1234', '146718', '3.2e-11']

    What is not quite 1 does not look like 1.

    >>> number(0.9999973), number(1.0000038)
    ('0.9999973', '1.0000038')
    """
    if not isfinite(value):
        return "undefined" if isnan(value) else "∞" if value > 0 else "−∞"
    if value == int(value) and abs(value) < 1e15:
        return minus(str(int(value)))
    if 0.99995 <= value < 1:
        return f"{value:.{min(16, 1 - floor(log10(1 - value)))}f}"[:18]
    if ROUNDING < value - 1 < 0.0005:
        return f"{value:.{1 - floor(log10(value - 1))}f}"
    return minus(f"{value:.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}")


def fraction(above: float, below: float) -> str:
    """Return a quotient of counts, kept as the counts: 2/9, not 0.2222.

    >>> fraction(2, 9), fraction(0.5, 10), fraction(1 + 2/3, 4)
    ('2/9', '0.5/10', '1.667/4')
    """
    return f"{number(above)}/{number(below)}"


def added_up(values: Iterable[float]) -> str:
    """Terms of a sum with their signs between them.

    >>> added_up([-21.37, 33.23, -25.76])
    '−21.37 + 33.23 − 25.76'
    """
    first, *others = values
    return number(first) + "".join(f" {'−' if value < 0 else '+'} {number(abs(value))}" for value in others)


def bracketed(value: float) -> str:
    """Return a number that stands after another sign: 3.649, (−36).

    >>> bracketed(3.649), bracketed(-36.0)
    ('3.649', '(−36)')
    """
    return f"({number(value)})" if value < 0 else number(value)


def exact(value: float) -> Fraction:
    """Return the float as the fraction with the smallest denominator that rounds to it: 0.1 is 1/10."""
    return Fraction(str(value))


def scientific(log_value: float) -> str:
    """Return exp(log_value) with four digits, also beyond the range of floats: a product of hundreds of factors.

    >>> scientific(-5.2417468), scientific(-2000.0), scientific(2000.0), scientific(float("-inf"))
    ('0.005291', '2.577e-869', '3.881e868', '0')
    >>> scientific(-1e300)
    '10^-4.343e+299'
    """
    if log_value == float("-inf"):
        return "0"
    if abs(log_value) < 600:
        return number(exp(log_value))
    tens = log_value / LOG_10
    if abs(tens) > 1e6:
        return f"10^{tens:.4g}"
    exponent = floor(tens)
    return f"{10.0 ** (tens - exponent):.3f}e{exponent}"
