"""Memory and time that a fit is foreseen to take, from the size of its table: raised or warned before it starts."""

from __future__ import annotations

from crake.errors import DataError, MemoryRefusal
from crake.machine import machine_memory
from crake.notices import warn
from crake.table.schema import Schema

LONGEST = 15 * 60.0
"""Processor seconds beyond which a fit that is foreseen to take so long is refused, unless an option insists."""


def refuse_too_large(needed: float, of: str, schema: Schema, instead: str = "") -> None:
    """Raise if a fit of this size, `of` in words, needs more memory than the machine has; `instead` has an option."""
    most = machine_memory()
    if needed > most:
        raise MemoryRefusal(
            f"{of} would take about {_size(needed)} of memory; expected at most the {_size(most)} of this machine: "
            f"{f'{instead}, or ' if instead else ''}{_advice(schema)}"
        )


def refuse_too_long(seconds: float, of: str, schema: Schema, instead: str) -> None:
    """Raise if a fit, `of` in words, is foreseen to take too long; `instead` has options that are quicker or insist.

    >>> refuse_too_long(3000, "a fit", Schema(()), "take fewer=True")
    Traceback (most recent call last):
    crake.errors.DataError: a fit would take about 50 minutes; expected at most 15: take fewer rows or columns; or take
    fewer=True
    """
    if seconds > LONGEST:
        raise DataError(
            f"{of} would take about {float(f'{seconds / 60:.2g}'):,.0f} minutes; expected at most {LONGEST / 60:g}: "
            f"{_advice(schema)}; or {instead}"
        )


def warn_of_long(of: str, schema: Schema) -> None:
    """Warn that a fit of this size will take long, before it starts."""
    warn(f"{of} may take many minutes: {_advice(schema)}")


def _advice(schema: Schema) -> str:
    """Return what makes the fit smaller: the column that has the most levels, where one has many, or fewer rows.

    >>> from crake.table.schema import Column, Kind
    >>> _advice(Schema((Column("id", Kind.NOMINAL, tuple(f"i{k}" for k in range(1200))),)))
    "leave out columns of many levels, as 'id' with 1,200"
    """
    widest = max(schema.nominal, key=lambda column: len(column.levels), default=None)
    if widest is None or len(widest.levels) < 100:
        return "take fewer rows or columns"
    return f"leave out columns of many levels, as {widest.name!r} with {len(widest.levels):,}"


def _size(number: float) -> str:
    return f"{number / 2**30:,.1f} GB" if number >= 2**30 else f"{number / 2**20:,.0f} MB"
