"""From the rows of a table to the cuts of each of its numeric columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.errors import ColumnNotFound, CrakeError, SchemaError
from crake.learners.discretize.cuts import equal_frequency_cuts, equal_width_cuts, mdl_cuts, two_way_cuts
from crake.statistics.distinct_counts import DistinctValues
from crake.table.batch import Batch
from crake.table.schema import Column, Kind, Schema
from crake.table.table import Table

SUPERVISED = ("mdl", "two-way")
"""The methods that look at the classes."""


def cuts_of(counts: DistinctValues, method: str, bins: int, criterion: str, encoding: str) -> Floats:
    """Return the cuts of one column by the method of that name."""
    cells = (counts.value, counts.class_, counts.count, len(counts.classes))
    if method == "mdl":
        return mdl_cuts(*cells, criterion, encoding)
    if method == "two-way":
        return two_way_cuts(*cells)
    # Without classes every cell is a distinct value.
    if method == "width":
        return equal_width_cuts(counts.value, bins)
    return equal_frequency_cuts(counts.value, counts.count, bins)


class Unlabelled:
    """The rows of a table as if all were of one class: what methods that do not look at the classes gather from."""

    def __init__(self, table: Table) -> None:
        self._table = table.select([column.name for column in table.schema.features])
        name = "class"
        while name in table.schema:
            name = f"_{name}"
        self.schema = Schema((*table.schema.features, Column(name, Kind.NOMINAL, ("any",))), name)

    def batches(self) -> Iterator[Batch]:
        """Yield the table's batches, every row in the one class."""
        for batch in self._table.batches():
            yield replace(batch, target=np.zeros(batch.rows, np.int32))


def checked_cuts(cuts: Mapping[Any, Any] | None, features: Sequence[Column]) -> dict[str, Floats]:
    """Return the user's cuts by column name. Raise unless they are finite, ascending and of numeric columns.

    >>> checked_cuts({0: [1, 2.5]}, [Column("x0", Kind.NUMERIC)])
    {'x0': array([1. , 2.5])}
    """
    return {_named(key, features): _ascending(key, values) for key, values in (cuts or {}).items()}


def _named(key: Any, features: Sequence[Column]) -> str:
    names = [column.name for column in features]
    if isinstance(key, str):
        if key not in names:
            raise ColumnNotFound(key, names)
        column = features[names.index(key)]
    else:
        if not isinstance(key, int | np.integer) or not -len(names) <= key < len(names):
            raise ColumnNotFound(key, names)
        column = features[int(key)]
    if column.kind is not Kind.NUMERIC:
        raise SchemaError(f"column {column.name!r} is {column.kind}; only numbers can be cut")
    return column.name


def _ascending(key: Any, values: Any) -> Floats:
    try:
        cuts = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CrakeError(f"the cuts of {key!r} are {values!r}; expected a list of numbers") from error
    if cuts.ndim != 1 or not np.all(np.isfinite(cuts)) or np.any(np.diff(cuts) <= 0):
        raise CrakeError(
            f"the cuts of {key!r} are {values!r}; expected finite numbers, each larger than the one before"
        )
    return cuts
