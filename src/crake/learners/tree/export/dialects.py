"""Dialects of SQL: how a column, a cut of it and an answer are written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from crake.errors import CrakeError

STANDARD, POSTGRES = "standard", "postgres"
DIALECTS = (STANDARD, POSTGRES)

_dialect: ContextVar[str] = ContextVar("crake_sql_dialect", default=STANDARD)


@contextmanager
def written_in(dialect: str) -> Iterator[None]:
    """Write SQL of this dialect inside the block."""
    if dialect not in DIALECTS:
        raise CrakeError(f"dialect={dialect!r}; expected one of {', '.join(map(repr, DIALECTS))}")
    token = _dialect.set(dialect)
    try:
        yield
    finally:
        _dialect.reset(token)


def is_postgres() -> bool:
    """Return True while SQL of PostgreSQL is written."""
    return _dialect.get() == POSTGRES


def number_column(name: str) -> str:
    """Write a column of numbers, given its quoted name; NaN is missing to crake, and above all numbers to PostgreSQL.

    >>> with written_in("postgres"):
    ...     print(number_column('"age"'))
    nullif("age"::float8, 'NaN')
    """
    return f"nullif({name}::float8, 'NaN')" if is_postgres() else name


def days_column(name: str) -> str:
    """Write a column of dates as days since 1970: of a date, a timestamp and a timestamptz alike, in any time zone."""
    return f"extract(epoch from {name})::float8 / 86400"


def moment_column(name: str) -> str:
    """Write a column of dates of which a part is taken; PostgreSQL would take it in the time zone of the session."""
    return f"(to_timestamp(extract(epoch from {name})) at time zone 'UTC')" if is_postgres() else name


def answer(number: str) -> str:
    """Write a number that is an answer; PostgreSQL reads 0.25 as a decimal.

    >>> answer("0.25")
    '0.25'
    """
    return f"{number}::float8" if is_postgres() else number
