"""Dates in SQL: cuts are points in time, and year, month and weekday are taken of the date where it is."""

from __future__ import annotations

from math import floor

import numpy as np

from crake.errors import CrakeError
from crake.table.dates import are_calendar_days
from crake.table.schema import WEEKDAY, Column, Schema

_DAY = 86_400_000_000
"""Microseconds of a day."""


def moment_literal(days: float, column: str) -> str:
    """Write the last point in time, to the microsecond, that is no later than a number of days since 1970.

    A date is compared as its midnight, so that one literal serves columns of dates and of points in time.

    >>> moment_literal(19783.5, "day"), moment_literal(-0.25, "day")
    ("TIMESTAMP '2024-03-01 12:00:00'", "TIMESTAMP '1969-12-31 18:00:00'")
    """
    if not are_calendar_days(np.array([days])):
        raise CrakeError(
            f"column {column!r} is cut at day {days:.6g} since 1970, which no calendar has; expected the years 1000 to "
            "9999: read the column with numeric=[...] as a number"
        )
    ticks = floor(days * _DAY) + 1
    while ticks / _DAY > days:  # at most a few: the product may have been rounded
        ticks -= 1
    moment = np.datetime64(ticks, "us")
    is_whole = ticks % 1_000_000 == 0
    text = str(moment.astype("datetime64[s]") if is_whole else moment)
    return f"TIMESTAMP '{text.replace('T', ' ')}'"


def part_expression(column: Column, source: str) -> str:
    """Write a part of a date as a number, January and Monday as 1; `source` is the quoted name of the dates.

    >>> from crake.table.date_parts import part_column
    >>> print(part_expression(part_column("day", "weekday"), '"day"'))
    EXTRACT(ISODOW FROM "day")
    """
    field = "ISODOW" if column.notation == WEEKDAY else column.notation.upper()
    return f"EXTRACT({field} FROM {source})"


def on_dates(schema: Schema) -> str:
    """Return a comment on the type that columns of dates must have; "" without dates."""
    names = dict.fromkeys([c.name for c in schema.features if c.is_date] + [part.source for part in schema.parts])
    listed = ", ".join(" ".join(name.split()) for name in names)
    return f"-- expected: dates or points in time (DATE, TIMESTAMP) in {listed}\n" if names else ""
