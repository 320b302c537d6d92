"""Memory and time that a fit is foreseen to take, from the size of its table: raised or warned before it starts."""

from __future__ import annotations

from crake.errors import MemoryRefusal
from crake.machine import machine_memory
from crake.notices import warn
from crake.table.schema import Schema


def refuse_too_large(needed: float, of: str, schema: Schema) -> None:
    """Raise if a fit of this size, `of` in words, needs more memory than the machine has."""
    most = machine_memory()
    if needed > most:
        raise MemoryRefusal(
            f"{of} would take about {_size(needed)} of memory; expected at most the {_size(most)} of this machine: "
            f"{_advice(schema)}"
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
