"""Counts that a source takes by itself, so that rows need not travel: how often values of some columns go together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Floats
from crake.errors import ReadError
from crake.table.codes import Cells
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.levels import Coder, OpenLevels, ScanLevels

Key = tuple[str, ...]
Keys = tuple[Key, ...]
"""Sets of columns. The rows are counted by the values of each set."""


@dataclass(frozen=True, eq=False)
class Counted:
    """Counts under a schema: for each set of columns the codes (groups of equal values, columns) and their counts.

    Codes may occur in several groups: a source may tell values apart that are one level.
    """

    schema: Schema
    counts: Mapping[Key, tuple[Codes, Floats]]

    def of(self, *columns: str) -> tuple[Codes, Floats]:
        """Return the codes and the counts of one set of columns."""
        return self.counts[columns]


@dataclass(frozen=True, eq=False)
class ValueGroups:
    """Some groups of equal values of one set of columns: the cells of each column, and the rows of each group."""

    key: Key
    cells: Mapping[str, Cells]
    rows: NDArray[np.int64]


@runtime_checkable
class CountingFile(Protocol):
    """A file that can count. `portions` must give the same cells that `count` does."""

    @property
    def name(self) -> str:
        """The name of the file in messages."""

    @property
    def rows(self) -> int:
        """The number of rows."""

    def count(self, keys: Keys) -> Iterator[ValueGroups] | None:
        """Return the groups of every key, or None if these columns cannot be counted exactly."""


def counted(
    file: CountingFile, schema: Schema, keys: Keys, coder: Callable[[Column], Coder], *, fixed: bool
) -> Counted | None:
    """Return the counts of a file under a schema, with the levels that all its rows have. None if it cannot count.

    Every nominal column is counted, so that the levels are those of a scan.
    """
    nominal = [column for column in (*schema.nominal, schema[schema.target or ""]) if column.kind is Kind.NOMINAL]
    among = {name for key in keys for name in key}
    keys = (*keys, *((column.name,) for column in nominal if column.name not in among))
    groups = file.count(keys)
    if groups is None:
        return None
    coders = {column.name: coder(column) for column in nominal}
    codes, rows = _coded(groups, keys, coders)
    for key in keys:
        if rows[key].sum() != file.rows:
            total = int(rows[key].sum())
            raise ReadError(f"{file.rows:,} rows when they were counted, {total:,} by value", file=file.name)
    if fixed:
        return Counted(schema, {key: (codes[key], rows[key]) for key in keys})
    open_levels = {name: one for name, one in coders.items() if isinstance(one, OpenLevels)}
    ordered = {
        key: np.stack([open_levels[name].ordered(codes[key][:, j]) for j, name in enumerate(key)], axis=1)
        for key in keys
    }
    levels = ScanLevels(tuple(open_levels[column.name] for column in schema.nominal), open_levels[schema.target or ""])
    return Counted(levels.schema(schema), {key: (ordered[key], rows[key]) for key in keys})


def _coded(
    groups: Iterable[ValueGroups], keys: Keys, coders: Mapping[str, Coder]
) -> tuple[dict[Key, Codes], dict[Key, Floats]]:
    codes: dict[Key, list[Codes]] = {key: [np.zeros((0, len(key)), np.int32)] for key in keys}
    rows: dict[Key, list[Floats]] = {key: [np.zeros(0)] for key in keys}
    for group in groups:
        codes[group.key].append(np.stack([coders[name].codes(group.cells[name]) for name in group.key], axis=1))
        rows[group.key].append(group.rows.astype(np.float64))
    return {key: np.concatenate(codes[key]) for key in keys}, {key: np.concatenate(rows[key]) for key in keys}
