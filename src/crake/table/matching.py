"""Columns and values of a file matched to those of a model: by name, and as they are written.

A column whose training values were 1 and x had texts for levels; a file in which it happens to hold whole numbers only
has numbers. Both write 1 the same, and mean the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from crake.errors import ColumnNotFound, SchemaError
from crake.table.codes import Coded, Positions
from crake.table.dates import TYPED
from crake.table.schema import Column, Kind, Label, Schema


def matched(labels: Sequence[Label | None], levels: Sequence[Label]) -> list[Label | None]:
    """Return each label as the level it is equal to or written like, by the rule of `Positions`; others stay.

    >>> matched([1, 2.0, "x", None], ["1", "2", "x"]), matched(["1", "True", "x"], [1, True])
    (['1', '2', 'x', None], [1, True, 'x'])
    >>> matched(["b ", "c", "d", "e"], ["b", "c ", " e", "e "])
    ['b', 'c ', 'd', ' e']
    """
    position = Positions(levels)
    codes = map(position.of, labels)
    return [label if code < 0 else levels[code] for label, code in zip(labels, codes, strict=True)]


def matched_column(column: Coded, levels: Sequence[Label]) -> Coded:
    """Return the column with each label as the level it is written like."""
    return Coded(matched(column.labels, levels), column.codes)


def same_columns(one: tuple[Column, ...], other: tuple[Column, ...]) -> bool:
    """Return True if names, kinds and levels agree; True and 1 are equal in Python but are two levels."""
    return one == other and all(
        mine.levels is its.levels or list(map(type, mine.levels)) == list(map(type, its.levels))
        for mine, its in zip(one, other, strict=True)
    )


def columns_to_match(schema: Schema, names: Sequence[str], table: str = "") -> list[Column]:
    """Return the columns of the schema to look for: all features, and the target and running text if they are there.

    A part of dates (`day.month`) that is not there can be made if its source is. `table` is the name of the table.
    """
    known = {*names, *(part.name for part in parts_to_make(schema, names))}
    absent = [
        column.source if column.is_part else column.name for column in schema.features if column.name not in known
    ]
    absent = list(dict.fromkeys(absent))
    where = f" in {table}" if table else ""
    if len(absent) == 1:
        raise ColumnNotFound(absent[0], names, where=f"{where}, which the model reads")
    if absent:
        raise SchemaError(f"columns are missing: {_listed(absent)}. Columns found: {_listed(names)}")
    return [
        column
        for column in schema.columns
        if column.name in known and (column.is_feature or column.kind is Kind.TEXT or column.name == schema.target)
    ]


def parts_to_make(schema: Schema, names: Sequence[str]) -> list[Column]:
    """Return the parts of dates among the features that are not there but whose source is."""
    known = set(names) if schema.parts else set()
    return [part for part in schema.parts if part.name not in known and part.source in known]


def source_column(schema: Schema, part: Column) -> Column:
    """Return the column that a part is made of, as the model knows it; else any dates that one rule fits."""
    known = part.source in schema and schema[part.source].is_date
    return schema[part.source] if known else Column(part.source, Kind.NUMERIC, notation=TYPED)


def left_over(schema: Schema, names: Sequence[str]) -> tuple[str, ...]:
    """Return a note on columns that the schema does not have."""
    known = set(schema.names)
    sources = {part.source for part in schema.parts}
    extra = [name for name in names if name not in known and name not in sources]
    return (f"columns the model does not know, not used: {_listed(extra)}",) if extra else ()


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
