"""Year, month and weekday of dates as columns of their own, named after their source: day.month.

A part is a function of its source. A model that was trained with `day.month` makes that column of the dates of new
rows, wherever they come from.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Floats
from crake.table.batch import MISSING
from crake.table.codes import Cells, Coded
from crake.table.dates import are_calendar_days
from crake.table.schema import MONTH, PARTS, WEEKDAY, YEAR, Column, Kind

LEVELS = {
    MONTH: ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    WEEKDAY: ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
}
LEAST_ROWS = 60
LEAST_YEARS = 3


def part_column(source: str, part: str) -> Column:
    """Return the column of a part: the year is a number, month and weekday are names in the order of the calendar.

    >>> part_column("day", "weekday").levels[5:], part_column("day", "year").name
    (('Sat', 'Sun'), 'day.year')
    """
    name = f"{source}.{part}"
    if part == YEAR:
        return Column(name, Kind.NUMERIC, notation=part)
    return Column(name, Kind.NOMINAL, LEVELS[part], declared=True, notation=part)


def part_values(days: Floats, part: str) -> NDArray[np.int64]:
    """Return the part of each day since 1970, from 0 on: months from January, weekdays from Monday, and the year.

    >>> days = np.array([19783.75])  # the evening of 2024-03-01, a Friday
    >>> [part_values(days, part).tolist() for part in ("year", "month", "weekday")]
    [[2024], [2], [4]]
    """
    whole = np.floor(days).astype(np.int64)
    if part == WEEKDAY:
        return (whole + 3) % 7
    dates = whole.astype("datetime64[D]")
    if part == MONTH:
        return dates.astype("datetime64[M]").astype(np.int64) % 12
    return dates.astype("datetime64[Y]").astype(np.int64) + 1970


def part_array(days: Floats, part: str) -> Codes | Floats:
    """Return the cells of a part as a table holds them; missing where the date is, or lies beyond the calendar."""
    days = np.asarray(days, np.float64)
    is_known = ~np.isnan(days)
    if not are_calendar_days(days):
        is_known &= np.array([are_calendar_days(days[[row]]) for row in range(len(days))], bool)
    values = part_values(np.where(is_known, days, 0.0), part)
    if part == YEAR:
        return np.where(is_known, values, np.nan)
    return np.where(is_known, values, MISSING).astype(np.int32)


def part_cells(days: Floats, part: str) -> Cells:
    """Return the cells of a part as a source gives them."""
    array = part_array(days, part)
    return array if part == YEAR else Coded(LEVELS[part], array.astype(np.int32), declared=True)


def reasons_against(days: Floats) -> dict[str, str]:
    """Return for each part why it would not help a learner, "" where it may: its values must come again.

    At least half of the rows must share their month with rows of another year, and their weekday with rows of another
    week. A year is only a coarser date: three of them at least make it a simpler one.

    >>> reasons_against(np.arange(19000.0, 19100.0))["month"]
    'no month comes again in another year'
    """
    known = days[~np.isnan(days)]
    if len(known) < LEAST_ROWS or not are_calendar_days(known):
        reason = f"fewer than {LEAST_ROWS} dates" if len(known) < LEAST_ROWS else "days beyond the calendar"
        return dict.fromkeys(PARTS, reason)
    years, weekdays = part_values(known, YEAR), part_values(known, WEEKDAY)
    months = part_values(known, MONTH)
    month_repeats = _share_again(months, years)
    week_repeats = _share_again(weekdays, (np.floor(known).astype(np.int64) + 3) // 7)
    return {
        YEAR: "" if len(np.unique(years)) >= LEAST_YEARS else f"fewer than {LEAST_YEARS} years",
        MONTH: "all are of one month"
        if len(np.unique(months)) == 1
        else ""
        if month_repeats >= 0.5
        else "no month comes again in another year"
        if month_repeats == 0
        else "too few months come again in another year",
        WEEKDAY: "" if week_repeats >= 0.5 and len(np.unique(weekdays)) > 1 else "too few weekdays come again",
    }


def _share_again(values: NDArray[np.int64], periods: NDArray[np.int64]) -> float:
    """Return the share of rows whose value also occurs in another period."""
    pairs = np.unique(np.stack([values, periods]), axis=1)
    again = np.bincount(pairs[0]) > 1
    return float(again[values].mean())
