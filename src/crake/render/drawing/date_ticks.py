"""Ticks of an axis of dates: first days of years or months, or whole days."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence

from crake.render.date_text import date_text

_EPOCH = dt.date(1970, 1, 1).toordinal()
_FIRST, _LAST = 1 - _EPOCH, dt.date.max.toordinal() - _EPOCH
_MONTH = 365.2425 / 12
_DAYS, _MONTHS = (1, 2, 7, 14), (1, 2, 3, 6)
_YEARS = tuple(first * 10**power for power in range(4) for first in (1, 2, 5))


def calendar_ticks(low: float, high: float, most: int = 6) -> tuple[float, ...]:
    """Return about `most` days since 1970 from `low` to `high`; none if the range is too short for whole days.

    >>> [date_text(tick) for tick in calendar_ticks(18631, 19528, 5)]
    ['2021-07-01', '2022-01-01', '2022-07-01', '2023-01-01']
    >>> calendar_ticks(0.0, 0.5)
    ()
    """
    step = (high - low) / most
    if not _FIRST <= low <= high < _LAST or step < 0.9:
        return ()
    days = next((own for own in _DAYS if own >= 0.9 * step), None)
    if days is not None:
        return tuple(float(days * k) for k in range(math.ceil(low / days), math.floor(high / days) + 1))
    months = next((own for own in (*_MONTHS, *(12 * year for year in _YEARS)) if own * _MONTH >= 0.9 * step), 120_000)
    first, last = (dt.date.fromordinal(math.floor(day) + _EPOCH) for day in (low, high))
    starts = range(-(-(first.year * 12 + first.month - 1) // months) * months, last.year * 12 + last.month, months)
    ticks = (float(dt.date(at // 12, at % 12 + 1, 1).toordinal() - _EPOCH) for at in starts if at >= 12)
    return tuple(tick for tick in ticks if low <= tick <= high)


def calendar_words(ticks: Sequence[float]) -> tuple[str, ...]:
    """Return years if all ticks begin one, months if all begin one, and dates otherwise.

    >>> calendar_words((18628.0, 18993.0)), calendar_words((18628.0, 18659.0)), calendar_words((18629.0,))
    (('2021', '2022'), ('2021-01', '2021-02'), ('2021-01-02',))
    """
    words = tuple(map(date_text, ticks))
    for ending in ("-01-01", "-01"):
        if words and all(word.endswith(ending) and len(word) == 10 for word in words):
            return tuple(word.removesuffix(ending) for word in words)
    return words
