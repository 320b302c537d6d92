"""Tables with year, month and weekday of their dates as columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from crake.errors import SchemaError
from crake.table.column_options import as_tuple
from crake.table.date_parts import part_array, part_column, reasons_against
from crake.table.schema import PARTS, Column, Schema
from crake.table.sources.scanned_table import scan_with_parts
from crake.table.table import Table


def with_date_parts(table: Table, columns: Iterable[str] | None = None) -> Table:
    """Return the table with year, month and weekday of its dates as columns, and a note on each column of dates.

    Of all features that hold dates, or of these `columns`; a part whose values do not come again is left out, and named
    (`date_parts.reasons_against`). A scan gets all parts: no row is read to decide.
    """
    names = [c.name for c in table.schema.features if c.is_date] if columns is None else as_tuple(columns)
    parts: list[Column] = []
    notes: list[str] = []
    for name in names:
        if not table.schema[name].is_date:
            raise SchemaError(f"column {name!r} is {table.schema[name].kind}; expected dates, whose parts are columns")
        against = reasons_against(table.column(name)) if table.in_memory else dict.fromkeys(PARTS, "")
        against |= {part: "there is such a column" for part in PARTS if f"{name}.{part}" in table.schema}
        own = [part_column(name, part) for part in PARTS if not against[part]]
        parts += own
        if own or columns is not None:
            notes.append(_note(name, own, {part: reason for part, reason in against.items() if reason}))
    return _added(table, parts) if not notes else replace(_added(table, parts), notes=(*table.notes, *notes))


def with_parts_of(table: Table, schema: Schema) -> Table:
    """Return the table with the parts of dates that a model has and the table has not."""
    return _added(table, [part for part in schema.parts if part.name not in table.schema])


def _added(table: Table, parts: Sequence[Column]) -> Table:
    parts = [part for part in parts if part.source in table.schema and table.schema[part.source].is_date]
    if not parts:
        return table
    if not table.in_memory:
        return scan_with_parts(table, parts)
    arrays = {part.name: part_array(table.column(part.source), part.notation) for part in parts}
    source = table.require_memory().with_columns(arrays)
    return replace(table, schema=table.schema.with_parts(parts), source=source)


def _note(name: str, parts: Sequence[Column], against: dict[str, str]) -> str:
    """Return what was added of a column, what was not and why, and the option that leaves it out."""
    added = ", ".join(part.name for part in parts)
    what = f"added of {name!r}: {added}" if parts else f"nothing is added of {name!r}"
    reasons = "".join(f"; no {part} ({reason})" for part, reason in against.items())
    return f"{what}{reasons}{'; --date-parts none leaves them out' if parts else ''}"
