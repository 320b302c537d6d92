"""The words of a query: names, constants, numbers, and columns of the table, in each dialect."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crake.errors import CrakeError
from crake.export.sql.dates import days_since_1970, moment_literal, part_expression
from crake.table.schema import Column, Kind, Label

DIALECTS = ("standard", "duckdb", "postgres", "sqlite")
MOST_BYTES = 63
"""PostgreSQL cuts longer names."""
TINY = 1e-150
"""A number whose square is below all doubles."""
IMPOSSIBLE = -1e300
"""The score of a class that cannot be: engines differ in infinities."""


class Words:
    """Names, numbers and columns as one dialect writes them."""

    def __init__(self, dialect: str, names: Sequence[str]) -> None:
        if dialect not in DIALECTS:
            raise CrakeError(f"dialect={dialect!r}; expected one of {', '.join(map(repr, DIALECTS))}")
        self.dialect = dialect
        self._used = {self._short(name).casefold() for name in names}
        if len(self._used) < len({name.casefold() for name in names}):
            raise CrakeError(
                f"two columns agree in their first {MOST_BYTES} bytes, and PostgreSQL reads no more: rename one"
            )

    def new_name(self, wanted: str) -> str:
        """Return a quoted name for a new column: none of the table's, and none that was given out."""
        fresh, number = self._short(wanted), 1
        while fresh.casefold() in self._used:
            number += 1
            end = "_" if number == 2 else f"_{number}"
            fresh = self._short(wanted, MOST_BYTES - len(end)) + end
        self._used.add(fresh.casefold())
        return quoted(fresh)

    def _short(self, name: str, most: int = MOST_BYTES) -> str:
        """Return as much of a name as the dialect reads."""
        if self.dialect != "postgres":
            return name
        return name.encode()[:most].decode(errors="ignore")

    def number(self, value: float) -> str:
        """Write a double with all its digits; −∞ as the score of what cannot be."""
        if np.isneginf(value):
            value = IMPOSSIBLE
        text = double_text(value)
        return f"float8 '{text}'" if self.dialect == "postgres" else text

    def value(self, column: Column) -> str:
        """Write the number of a numeric column: of dates the days since 1970."""
        if column.is_date:
            return days_since_1970(quoted(column.name), self.dialect)
        return self.column(column)

    def factor(self, column: Column) -> str:
        """Write the number of a column for a product; PostgreSQL raises an error where a product underflows."""
        value = self.value(column)
        if self.dialect != "postgres":
            return value
        return f"CASE WHEN ABS({value}) < {self.number(TINY)} THEN {self.number(0.0)} ELSE {value} END"

    def column(self, column: Column) -> str:
        """Write a column, or the part of a date that it is.

        NaN is missing to crake, and above all numbers to PostgreSQL.
        """
        if column.is_part:
            return part_expression(column, quoted(column.source), self.dialect)
        if column.kind is Kind.NUMERIC and not column.is_date and self.dialect == "postgres":
            return f"nullif({quoted(column.name)}::float8, 'NaN')"
        return quoted(column.name)

    def compared(self, column: Column, sign: str, value: float) -> str:
        """Write a comparison of a column of numbers or dates with a constant."""
        if not column.is_date or self.dialect in ("sqlite", "postgres"):
            return f"{self.value(column)} {sign} {self.number(value)}"
        if sign in ("<", ">="):  # the literal is the last moment that is no later
            value = float(np.nextafter(value, -np.inf))
            sign = "<=" if sign == "<" else ">"
        return f"{quoted(column.name)} {sign} {moment_literal(value, column.name)}"

    def level(self, column: Column, code: int) -> str:
        """Write a level; that of a part of a date is its number."""
        return str(code + 1) if column.is_part else literal(column.levels[code])

    def greatest(self, numbers: Sequence[str]) -> str:
        """Write the largest of some numbers."""
        if len(numbers) == 1:
            return numbers[0]
        return f"{'MAX' if self.dialect == 'sqlite' else 'GREATEST'}({', '.join(numbers)})"


def quoted(name: str) -> str:
    """Write an identifier of standard SQL.

    >>> print(quoted('a"b'))
    "a""b"
    """
    return '"' + _printable(name).replace('"', '""') + '"'


def literal(label: Label) -> str:
    """Write a constant of standard SQL.

    >>> print(literal("it's"), literal(True), literal(3), literal(2.5))
    'it''s' TRUE 3 2.5e0
    """
    if isinstance(label, bool):
        return "TRUE" if label else "FALSE"
    if isinstance(label, str):
        return "'" + _printable(label).replace("'", "''") + "'"
    return str(label) if isinstance(label, int) else double_text(label)


def double_text(value: float) -> str:
    """Write a float with all its digits and an exponent, so that no engine reads it as a decimal.

    >>> double_text(0.4), double_text(0.1 + 0.2)
    ('4e-1', '3.0000000000000004e-1')
    """
    return np.format_float_scientific(value, unique=True, trim="-", exp_digits=1).replace("e+", "e")


def one_of(constants: Sequence[str]) -> str:
    """Write the second half of a comparison with one constant, or with several."""
    return f"= {constants[0]}" if len(constants) == 1 else f"IN ({', '.join(constants)})"


def _printable(text: str) -> str:
    if "\0" in text:
        raise CrakeError(f"{text!r} has a character of code 0, which SQL cannot hold; rename it")
    return text
