"""Columns that nobody should learn from: ids, constants and copies of the target. Columns that repeat each other."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from crake.table.describe.ids import has_id_name, id_like_columns, known_values
from crake.table.describe.warnings import constant_columns, copied_columns, named
from crake.table.schema import Column, Kind
from crake.table.table import Table

_FEWEST_ROW_NUMBERS = 20
"""In a shorter table, whole numbers from 1 on are a row number only if the column is named like one."""


@dataclass(frozen=True)
class UselessColumns:
    """The names of the columns that a command leaves out, by the reason."""

    ids: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    constant: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    single: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return all columns that are left out; a constant copy is named once."""
        return tuple(dict.fromkeys((*self.ids, *self.empty, *self.constant, *self.copies, *self.single)))

    def note(self) -> str:
        """Return what is left out and why, and the option that keeps a column.

        >>> UselessColumns(ids=("customer",)).note()
        "left out: 'customer' (an id). --keep customer keeps it"
        >>> UselessColumns(ids=("customer",), constant=("currency", "bank")).note()
        "left out: 'customer' (an id); 'currency', 'bank' (constant). --keep customer keeps that one"
        """
        reasons = {"an id": self.ids, "no value": self.empty, "constant": self.constant}
        reasons |= {"a copy of the target": self.copies, "most rows have a name of their own": self.single}
        parts = [f"{named(columns)} ({reason})" for reason, columns in reasons.items() if columns]
        one = "it" if len(self.names) == 1 else "that one"
        return f"left out: {'; '.join(parts)}. --keep {shlex.quote(self.names[0])} keeps {one}"


def useless_columns(table: Table, keep: Collection[str] = ()) -> UselessColumns:
    """Return the columns of a table in memory from which nothing can be learned that holds for a new row.

    Numbers that differ in every row are ids only if the column is named like one or counts the rows: a measurement may
    differ in every row, too. Names that mostly occur once are nearly ids: a tree that tells them apart learns rows by
    heart. A column with one value and gaps stays: gaps may tell something. If no column would remain, none is left out.
    """
    empty, constant, _ = constant_columns(table)
    features = {column.name for column in table.schema.features}.difference(keep)
    ids = [name for name in id_like_columns(table) if name in features and is_id(table, table.schema[name])]
    copies = [name for name in copied_columns(table) if name not in ids]
    single = [column.name for column in table.schema.nominal if column.name not in ids and _is_single(table, column)]
    result = UselessColumns(
        *(tuple(name for name in names if name in features) for names in (ids, empty, constant, copies, single))
    )
    return UselessColumns() if len(result.names) == len(table.schema.features) else result


def _is_single(table: Table, column: Column) -> bool:
    """Return True if more than half of the rows with a name have one that no other row has."""
    codes = known_values(table, column)
    rows = np.bincount(codes.astype(np.intp)) if len(codes) else np.zeros(0, np.intp)
    return len(codes) >= _FEWEST_ROW_NUMBERS and 2 * int((rows == 1).sum()) > len(codes)


def is_id(table: Table, column: Column) -> bool:
    """Return True if a column whose values differ in every row is an id: names, row numbers, or numbers named so."""
    if column.kind is Kind.NOMINAL or has_id_name(column.name):
        return True
    values = known_values(table, column)
    is_counted = len(values) >= _FEWEST_ROW_NUMBERS and values[0] in (0, 1)
    return is_counted and bool((np.diff(values) == 1).all())


def one_to_one_columns(table: Table) -> Iterator[tuple[str, ...]]:
    """Yield the features that go with each other one to one, as class (First) and pclass (1) do; ids are no such.

    Two columns are one to one if they are equal once each value is replaced by the row in which it first stands.
    """
    same: dict[bytes, list[str]] = defaultdict(list)
    for column in table.schema.features:
        values = np.ascontiguousarray(table.column(column.name))
        _, first, place, counts = np.unique(
            values, return_index=True, return_inverse=True, return_counts=True, equal_nan=True
        )
        if len(counts) > 1 and counts.max() > 1:
            same[first[place].tobytes()].append(column.name)
    yield from (tuple(names) for names in same.values() if len(names) > 1)
