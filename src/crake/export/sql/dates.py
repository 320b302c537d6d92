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


def part_expression(column: Column, source: str, dialect: str = "standard") -> str:
    """Write a part of a date as a number, January and Monday as 1; `source` is the quoted name of the dates.

    >>> from crake.table.date_parts import part_column
    >>> print(part_expression(part_column("day", "weekday"), '"day"'))
    EXTRACT(ISODOW FROM "day")
    >>> print(part_expression(part_column("day", "month"), '"day"', "sqlite"))
    CAST(STRFTIME('%m', "day") AS INTEGER)
    """
    if dialect == "sqlite":
        letter = {WEEKDAY: "w", "month": "m"}.get(column.notation, "Y")
        number = f"CAST(STRFTIME('%{letter}', {source}) AS INTEGER)"
        return f"(({number} + 6) % 7 + 1)" if column.notation == WEEKDAY else number
    if dialect == "postgres":  # which would take the part in the time zone of the session
        source = f"(to_timestamp(extract(epoch from {source})) at time zone 'UTC')"
    field = "ISODOW" if column.notation == WEEKDAY else column.notation.upper()
    return f"EXTRACT({field} FROM {source})"


def days_since_1970(source: str, dialect: str) -> str:
    """Write the days since 1970 of a date or a point in time.

    >>> print(days_since_1970('"day"', "sqlite"))
    (JULIANDAY("day") - 2440587.5)
    """
    if dialect == "sqlite":
        return f"(JULIANDAY({source}) - 2440587.5)"
    if dialect == "postgres":  # of a date, a timestamp and a timestamptz alike, in any time zone
        return f"(extract(epoch from {source})::float8 / 86400)"
    if dialect == "standard":
        raise CrakeError("standard SQL has no number of days in a date; name a dialect: 'duckdb', 'postgres', 'sqlite'")
    return f"(EXTRACT(EPOCH FROM CAST({source} AS TIMESTAMP)) / 86400)"


def on_dates(schema: Schema) -> str:
    """Return a comment on the type that columns of dates must have; "" without dates."""
    names = dict.fromkeys([c.name for c in schema.features if c.is_date] + [part.source for part in schema.parts])
    listed = ", ".join(" ".join(name.split()) for name in names)
    return f"-- expected: dates or points in time (DATE, TIMESTAMP) in {listed}\n" if names else ""
