"""Numbers as people read them in a table."""

from __future__ import annotations

import math
from collections.abc import Iterable

from crake.render.leaderboard import Figure, MeasureColumn
from crake.render.plain_text import minus

UNDEFINED = "–"
ROUNDING = 1e-9
"""A narrower interval is a single number that was added up."""


def decimals_for(figures: Iterable[Figure]) -> int:
    """Decimals that still show the narrowest interval: 3, or 4 where intervals are under 0.004 wide.

    More, 6 at most, where both ends of an interval would look the same.

    >>> decimals_for([Figure(0.9, 0.85, 0.93)]), decimals_for([Figure(0.99931, 0.99925, 0.99937)])
    (3, 4)
    >>> decimals_for([Figure(0.99998, 0.99997, 0.99999)])                           # not 1.0000 [1.0000, 1.0000]
    5
    """
    ends = [(f.low, f.high) for f in figures if f.low is not None and f.high is not None]
    ends = [(low, high) for low, high in ends if high - low > ROUNDING]
    decimals = 4 if ends and min(high - low for low, high in ends) < 0.004 else 3
    while decimals < 6 and any(f"{low:.{decimals}f}" == f"{high:.{decimals}f}" for low, high in ends):
        decimals += 1
    return decimals


def figure(value: float | None, decimals: int = 3) -> str:
    """Return a measure, or a dash where it is undefined.

    >>> figure(0.8571), figure(None), figure(float("nan")), figure(-0.00001)
    ('0.857', '–', '–', '0.000')
    """
    return UNDEFINED if value is None or math.isnan(value) else minus(f"{value:z.{decimals}f}")


def interval(measure: Figure, decimals: int = 3) -> str:
    """[low, high], or nothing where there is none.

    >>> interval(Figure(0.857, 0.601, 0.960)), interval(Figure(None))
    ('[0.601, 0.960]', '')
    """
    if measure.low is None or measure.high is None:
        return ""
    return minus(f"[{measure.low:z.{decimals}f}, {measure.high:z.{decimals}f}]")


def measure(value: float | None, column: MeasureColumn, decimals: int = 3) -> str:
    """Return a measure of a leaderboard as its column shows it: a share with decimals, another amount with digits.

    >>> measure(12961.4, MeasureColumn("rmse", "RMSE", is_share=False)), measure(0.5, MeasureColumn("auc", "AUC"))
    ('12,961', '0.500')
    """
    if column.is_share or value is None or math.isnan(value):
        return figure(value, decimals)
    return amount(value)


def measure_interval(figure: Figure, column: MeasureColumn, decimals: int = 3) -> str:
    """Return the interval of a measure as its column shows it."""
    if column.is_share or figure.low is None or figure.high is None:
        return interval(figure, decimals)
    return amount_interval(figure.value, figure.low, figure.high)


def seconds(value: float | None) -> str:
    """Return a duration with about three digits, or a dash where there is none.

    >>> [seconds(value) for value in (0.0004, 0.0123, 1.234, 45.67, 1234.5, None)]
    ['0.000', '0.012', '1.23', '45.7', '1234', '–']
    """
    if value is None:
        return UNDEFINED
    decimals = 3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{decimals}f}"


def percent(share: float) -> str:
    """Return a share in percent; never rounded to 0 % or 100 % unless it is, but for the rounding of sums of weights.

    >>> print(*map(percent, (0.5, 0.999, 0.99996, 1.0, 0.00004, -0.0, 1 + 2e-16)), sep=", ")
    50.0 %, 99.9 %, > 99.9 %, 100 %, < 0.1 %, 0 %, 100 %
    """
    if share == 0 or 1 <= share < 1 + 1e-9:
        text = f"{100 * share:z.0f} %"
    elif share > 0.9995:
        text = "> 99.9 %"
    else:
        text = "< 0.1 %" if share < 0.0005 else f"{100 * share:.1f} %"
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def with_share(name: str, share: float, between: str = "\N{NO-BREAK SPACE}") -> str:
    """Return a name with its share; a colon parts them where the name ends in a digit.

    >>> print(with_share("yes", 0.25), with_share("-1", 0.75), sep=", ")
    yes 25.0 %, -1: 75.0 %
    """
    return f"{name}{':' if name[-1:].isdigit() else ''}{between}{percent(share)}"


def count(value: float) -> str:
    """Return a count in groups of three; weights keep their fraction.

    >>> count(494020), count(12), count(2.5), count(-0.0)
    ('494,020', '12', '2.5', '0')
    """
    return f"{value:z,.0f}" if float(value).is_integer() else f"{value:z,.1f}"


def compact(value: float) -> str:
    """Return a count in at most five characters.

    >>> [compact(value) for value in (12, 2.5, 1402, 107201, 4898431)]
    ['12', '2.5', '1402', '107k', '4898k']
    """
    return count(value).replace(",", "") if value < 10_000 else f"{value / 1000:.0f}k"


def quantity(value: float) -> str:
    """Return a value of a column: whole numbers as they are, others with five digits.

    >>> quantity(60.0), quantity(5.8433333), quantity(1e-7), quantity(float(2**53))
    ('60', '5.8433', '1e-07', '9007199254740992')
    """
    return minus(f"{value:z.0f}" if float(value).is_integer() and abs(value) < 1e17 else f"{value:.5g}")


def rounded(value: float) -> str:
    """Four digits that count; zero has no sign.

    >>> rounded(2.52341), rounded(-0.0)
    ('2.523', '0')
    """
    return minus(f"{value:z.4g}")


def summary(value: float) -> str:
    """Return a mean or a median: four digits that count, large ones without a power of ten.

    >>> summary(2.52341), summary(10604.7), summary(-1362.4)
    ('2.523', '10605', '−1362')
    """
    return minus(f"{value:z.0f}") if 1e4 <= abs(value) < 1e15 else rounded(value)


def amount(value: float, digits: int = 4) -> str:
    """Return a number as people write it: `digits` significant digits, in groups of three, no power of ten.

    >>> [amount(value) for value in (12961.4, 0.84993, -1513.26, 5.0, 3.2e-7, 0.0, 4.5e15)]
    ['12,961', '0.8499', '−1,513', '5', '3.2e-07', '0', '4.5e+15']
    """
    if value == 0 or not math.isfinite(value) or not 1e-4 <= abs(value) < 1e12:
        return minus(f"{value:z.{digits}g}")
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return minus(text)


def amount_interval(value: float | None, low: float, high: float) -> str:
    """Return [low, high] with the decimals that `amount` shows of the value between them.

    A value of one or two digits leaves each end its own.

    >>> amount_interval(9.4432, 8.57, 10.514), amount_interval(12961.4, 11200.3, 14000.9)
    ('[8.570, 10.514]', '[11,200, 14,001]')
    >>> amount_interval(5, 4.213, 6.1)
    '[4.213, 6.1]'
    """
    text = UNDEFINED if value is None else amount(value)
    decimals = len(text.partition(".")[2])
    if "e" in text or sum(map(str.isdigit, text.lstrip("\N{MINUS SIGN}0."))) < 3:
        return f"[{amount(low)}, {amount(high)}]"
    return minus(f"[{low:z,.{decimals}f}, {high:z,.{decimals}f}]")
