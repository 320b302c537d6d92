"""A schema as arrays and labels, whatever the number of its columns: names, kinds, and all levels in one list."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from crake.learners.base.state.reader import Labels, State, StateReader, are_distinct
from crake.table.schema import NOTATIONS, PARTS, YEAR, Column, Kind, Schema

KINDS = (Kind.NOMINAL, Kind.NUMERIC, Kind.TEXT, Kind.IGNORED)
"""A kind is stored as its place in this list, to which new kinds are only ever appended."""


def schema_state(schema: Schema) -> State:
    """`levels` holds those of the first column, then those of the second …; `widths` says how many each has."""
    columns = schema.columns
    notations = [NOTATIONS.index(column.notation) for column in columns]
    return {
        "names": Labels(schema.names),
        "kinds": np.array([KINDS.index(column.kind) for column in columns], np.uint8),
        "declared": np.array([column.declared for column in columns], np.uint8),
        "widths": np.array([len(column.levels) for column in columns], np.int64),
        "levels": Labels(tuple(chain.from_iterable(column.levels for column in columns))),
        **({"notations": np.array(notations, np.uint8)} if any(notations) else {}),
        "target": schema.names.index(schema.target) if schema.target is not None else -1,
    }


def schema_of(reader: StateReader) -> Schema:
    """Read the schema; raise unless names and levels are distinct and only nominal columns have levels."""
    names, levels = reader.names("names"), reader.labels("levels")
    if not are_distinct(names):
        raise reader.refusal("names", "holds a name twice", "a name of its own for every column")
    n = len(names)
    kinds = reader.integers("kinds", np.uint8, (n,), 0, len(KINDS) - 1)
    declared = reader.integers("declared", np.uint8, (n,), 0, 1)
    widths = reader.integers("widths", np.int64, (n,), 0, len(levels))
    ends = np.cumsum(widths)
    if (int(ends[-1]) if n else 0) != len(levels) or np.any(widths[kinds != 0]) or np.any(np.diff(ends) < 0):
        raise reader.refusal("widths", "does not share out the levels", f"{len(levels)} levels over nominal columns")
    columns = []
    notations = _notations(reader, kinds)
    for name, kind, is_declared, notation, width, end in zip(
        names, kinds.tolist(), declared.tolist(), notations, widths.tolist(), ends.tolist(), strict=True
    ):
        own = levels[end - width : end]
        if not are_distinct(own):
            raise reader.refusal("levels", f"holds a level of column {name[:100]!r} twice", "each level once")
        columns.append(Column(name, KINDS[kind], own, bool(is_declared), NOTATIONS[notation]))
    target = reader.whole("target", -1, n - 1)
    return Schema(tuple(columns), names[target] if target >= 0 else None)


def _notations(reader: StateReader, kinds: NDArray[np.uint8]) -> list[int]:
    """Return the notation of each column; models of columns in plain notation store none."""
    if "notations" not in reader:
        return [0] * len(kinds)
    notations = reader.integers("notations", np.uint8, (len(kinds),), 0, len(NOTATIONS) - 1)
    is_part = np.isin(notations, [NOTATIONS.index(part) for part in PARTS if part != YEAR])
    if np.any(notations[(kinds != KINDS.index(Kind.NUMERIC)) & ~(is_part & (kinds == KINDS.index(Kind.NOMINAL)))]):
        raise reader.refusal("notations", "has a notation of a column that is not numeric", "numeric ones only")
    return [int(each) for each in notations]


def schema_with_classes(reader: StateReader) -> Schema:
    """Return the schema of a classifier: a nominal target with classes, and columns to predict it from."""
    schema = schema_of(reader)
    if schema.target is None or schema[schema.target].kind is not Kind.NOMINAL or not schema.classes:
        raise reader.refusal("target", "is not a nominal column with levels", "the classes to predict")
    if not schema.features and not schema.texts:
        raise reader.refusal("names", "has no column to predict from", "at least one")
    return schema


def schema_with_numbers(reader: StateReader) -> Schema:
    """Return the schema of a regressor: a numeric target, and columns to predict it from."""
    schema = schema_of(reader)
    if schema.target is None or schema[schema.target].kind is not Kind.NUMERIC:
        raise reader.refusal("target", "is not a numeric column", "the numbers to predict")
    if not schema.features:
        raise reader.refusal("names", "has no column to predict from", "at least one")
    return schema
