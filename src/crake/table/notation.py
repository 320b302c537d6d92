"""Notations of numeric columns in texts: dates, and numbers with signs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from crake.render.date_text import date_text
from crake.render.plain_text import minus
from crake.table.column_names import shortened
from crake.table.dates import TITLES, TYPED, days_of, find_dates, has_month_name
from crake.table.schema import DATES, PARTS, Column
from crake.table.signed import POINT, find_signed, numbers_of

_FIRST = {"ymd": "year", "dmy": "day", "mdy": "month", TYPED: "year"}
TWO_RULES = "may have the day or the month first"
"""Words of a note on a column of dates that two rules fit."""


@dataclass(frozen=True)
class FittedNotation:
    """The notation that fits every text of a column, and the numbers; `other` fits too, with other numbers."""

    notation: str
    values: NDArray[np.float64]
    other: str = ""

    def sentence(self, example: str) -> str:
        """Return the words of a note on the column, with one of its cells.

        >>> FittedNotation("comma", np.array([1002.5])).sentence("1.002,50 €")
        "is numeric: '1.002,50 €' is read as 1002.5 (--nominal keeps names)"
        """
        cell, keeps = shortened(example), "(--nominal keeps names)"
        if self.notation in DATES:
            order = "" if has_month_name(example) else f", {_FIRST[self.notation]} first"
            return f"holds dates{order}, such as {cell}: learners see days since 1970 {keeps}"
        values = values_of([example], self.notation)
        read = "" if values is None else f": {cell} is read as {minus(f'{values[0]:.15g}')}"
        return f"is numeric{read} {keeps}"

    def doubt(self, example: str) -> str:
        """Return the words of a note on a column that two notations fit."""
        return f"is nominal: {'dates such as ' if self.notation in DATES else ''}{example} {self.choice()}"

    def choice(self) -> str:
        """Return the two notations that fit, and the options that decide between them."""
        if self.notation in DATES:
            return f"{TWO_RULES}; say --dates dmy or --dates mdy"
        return "may have decimals or thousands after its comma; say --decimal , for decimals"


def find(texts: Sequence[str], dates: str | None, *, comma_delimits: bool) -> FittedNotation | None:
    """Return the notation that fits every text of a column, dates before numbers; None if none does.

    `dates` is the rule that decides between two that fit; "text" finds no dates.

    >>> find(["3/4/2024"], None, comma_delimits=True).other, find(["3/4/2024"], "mdy", comma_delimits=True).values
    ('mdy', array([19786.]))
    """
    if not texts or not any(sign.isdigit() for sign in texts[0]):
        return None
    result = find_dates(texts) if dates != "text" else None
    if result is not None:
        chosen = days_of(texts, dates) if dates is not None else None
        return (
            FittedNotation(result.rule, result.days, result.other)
            if chosen is None
            else FittedNotation(dates or "", chosen)
        )
    signed = find_signed(texts, comma_delimits=comma_delimits)
    return None if signed is None else FittedNotation(signed.notation, signed.numbers, signed.other)


def values_of(texts: Sequence[str], notation: str) -> NDArray[np.float64] | None:
    """Return the numbers of texts in this notation; None if one of them does not fit.

    Dates of a column whose type held them are read by the one rule that fits. Dates with the year first are read
    whatever the notation of dates.

    >>> values_of(["1970-01-03"], "time").tolist(), values_of(["1.234,5"], "comma").tolist(), values_of(["x"], "dmy")
    ([2.0], [1234.5], None)
    """
    if notation == TYPED:
        dates = find_dates(texts)
        return None if dates is None or dates.other else dates.days
    if notation not in DATES:
        return None if notation in PARTS else numbers_of(texts, notation)
    days = days_of(texts, notation)
    return days_of(texts, "ymd") if days is None else days  # the year first is never taken for another rule


def notation_title(notation: str) -> str:
    """Return what an error expects of a cell in this notation.

    >>> notation_title("dmy"), notation_title("comma")
    ('a date as dd.mm.yyyy (day first)', 'a number as 1.234,5')
    """
    if notation in DATES:
        return f"a date as {TITLES[notation]}"
    return f"a number as {'1,234.5' if notation == POINT else '1.234,5'}"


def value_text(column: Column, value: float, plain: str) -> str:
    """Return a number of a column as it is shown: a date, or the plain text."""
    return date_text(value) if column.is_date else plain


def mean_text(column: Column, value: float, plain: str) -> str:
    """Return a mean of a column as it is shown: a date to the minute, or the plain text.

    >>> from crake.table.schema import Kind
    >>> mean_text(Column("day", Kind.NUMERIC, notation="ymd"), 19783.123456, "1.978e+04")
    '2024-03-01 02:58'
    """
    return date_text(round(value * 1440) / 1440) if column.is_date and isfinite(value) else plain


def width_text(column: Column, plain: str) -> str:
    """Return a difference of two values of a column as it is shown: a number, of days between dates."""
    return f"{plain} days" if column.is_date else plain
