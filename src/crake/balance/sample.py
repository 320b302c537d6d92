"""A balanced sample of training rows: row numbers, weights, rows made up, and the table of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Rows
from crake.table.batch import MISSING
from crake.table.schema import Kind, Schema
from crake.table.sources.memory import MemorySource
from crake.table.table import Table

CELLS: dict[Kind, tuple[Any, type[Any]]] = {
    Kind.NUMERIC: (np.nan, np.float64),
    Kind.NOMINAL: (MISSING, np.int32),
    Kind.TEXT: (None, object),
}
"""A missing cell and the type of the cells, by the kind of a column."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows of the training table, and rows that were made up.

    `rows` are row numbers, which may occur several times. `weights` are factors of the weights of `rows`, one each;
    None if all are 1. `made` holds made-up rows under the same schema, with their classes. `origin` names, for each of
    them, the training row that it was made from; None if there is none. `notes` are sentences to
    warn of, `remarks` are others to show. `is_distinct` says that row numbers ascend and none occurs twice.
    """

    rows: Rows
    weights: Floats | None = None
    made: Table | None = None
    origin: Rows | None = None
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    is_distinct: bool = False

    @property
    def made_rows(self) -> int:
        """The number of made-up rows."""
        return 0 if self.made is None else len(self.made)

    def counts(self, rows: int) -> Floats:
        """Return the factor of each row of a table of this many rows: its copies, times their weights."""
        return np.bincount(self.rows, self.weights, minlength=rows).astype(np.float64)


def balanced_table(table: Table, sample: Sample) -> Table:
    """Return the rows to learn from: copies of a row are its weight, rows without a copy are left out.

    The table is not copied where all rows stay; made-up rows follow the others.

    >>> from crake.table.examples import load
    >>> rows = balanced_table(load("golf"), Sample(np.array([0, 0, 3])))
    >>> len(rows), rows.weights.tolist()
    (2, [2.0, 1.0])
    """
    if sample.is_distinct and sample.weights is None:
        kept = table if len(sample.rows) == len(table) else table.take(sample.rows)
    else:
        factors = sample.counts(len(table))
        present = factors > 0
        kept = table if present.all() else table.take(np.flatnonzero(present))
        factors = factors[present]
        if not np.all(factors == 1):
            kept = kept.with_weights(factors if kept.weights is None else kept.weights * factors)
    return kept if not sample.made_rows else appended(kept, _weighed(table, sample))


def copied_table(table: Table, sample: Sample) -> Table:
    """Return the rows with every copy a row of its own, then the made-up ones."""
    rows = table.take(sample.rows)
    if sample.weights is not None:
        rows = rows.with_weights(sample.weights if rows.weights is None else rows.weights * sample.weights)
    return rows if not sample.made_rows else appended(rows, _weighed(table, sample))


def table_of_columns(schema: Schema, columns: Mapping[str, NDArray[Any]], rows: int) -> Table:
    """Return rows under a schema: codes by name of nominal columns, numbers of numeric ones.

    The target is one of the columns. A column that is not given is missing in every row.

    >>> from crake.table.examples import load
    >>> made = table_of_columns(load("golf").schema, {"play": np.zeros(2, np.int32)}, 2)
    >>> made.target.tolist(), made.column("humidity").tolist()
    ([0, 0], [-1, -1])
    """
    arrays: dict[str, NDArray[Any]] = {}
    for column in schema.columns:
        if column.kind in CELLS:
            missing, kind = CELLS[column.kind]
            given = columns.get(column.name)
            arrays[column.name] = np.asarray(np.full(rows, missing) if given is None else given, kind)
    return Table(schema, MemorySource(arrays, rows), "made-up rows")


def appended(table: Table, more: Table) -> Table:
    """Return the rows of one table, then those of another under the same schema."""
    first, second = table.require_memory(), more.require_memory()
    arrays = {name: np.concatenate([first.column(name), second.column(name)]) for name in first.names if name in second}
    weights = None
    if table.weights is not None or more.weights is not None:
        both = (table, more)
        weights = np.concatenate([np.ones(len(each)) if each.weights is None else each.weights for each in both])
    return replace(table, source=MemorySource(arrays, len(table) + len(more)), weights=weights, notes=())


def mean_weights(table: Table) -> Floats:
    """Return the mean weight of the rows of each class, which a made-up row of it gets; 1 for a class without rows.

    >>> from crake.table.examples import load
    >>> table = load("golf")
    >>> mean_weights(table.with_weights(np.where(table.target == 0, 3.0, 1.0))).tolist()
    [3.0, 1.0]
    """
    classes = len(table.schema.classes)
    totals = np.bincount(table.target, table.weights, minlength=classes)
    means = totals / np.maximum(np.bincount(table.target, minlength=classes), 1)
    return np.where(means > 0, means, 1.0)


def _weighed(table: Table, sample: Sample) -> Table:
    """Return the made-up rows; where training rows have weights, each weighs as much as the mean row of its class."""
    assert sample.made is not None  # noqa: S101 (asked for by the callers)
    if table.weights is None or sample.made.weights is not None:
        return sample.made
    return sample.made.with_weights(mean_weights(table)[sample.made.target])
