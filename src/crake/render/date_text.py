"""Dates as text: days since 1970."""

from __future__ import annotations

import datetime as dt
import math

_EPOCH = dt.date(1970, 1, 1).toordinal()


def date_text(days: float) -> str:
    """Return days since 1970 as a date, with the time where it is not midnight.

    >>> date_text(19783.0), date_text(19783.4375), date_text(1e9)
    ('2024-03-01', '2024-03-01 10:30', '1e+09 days since 1970')
    """
    if not math.isfinite(days) or not 1 - _EPOCH <= days < dt.date.max.toordinal() - _EPOCH:
        return f"{days:g} days since 1970"
    whole = math.floor(days)
    date = str(dt.date.fromordinal(whole + _EPOCH))
    seconds = round((days - whole) * 86_400)
    if seconds == 0:
        return date
    if seconds == 86_400:
        return str(dt.date.fromordinal(whole + 1 + _EPOCH))
    hours, minutes, seconds = seconds // 3600, seconds // 60 % 60, seconds % 60
    return f"{date} {hours:02}:{minutes:02}" + (f":{seconds:02}" if seconds else "")
