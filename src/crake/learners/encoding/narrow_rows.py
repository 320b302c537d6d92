"""Rows held in little room: wide codes and weights of 1 are made of a few rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes
from crake.statistics.statistic import is_whole
from crake.table.batch import Batch, Values
from crake.table.schema import Schema
from crake.table.sources.memory import code_type, stacked
from crake.table.table import Table

BLOCK = 4096
"""The number of rows of which portions are multiples: sums go over whole blocks of rows."""
CELLS = 2**20
"""Cells a portion has, about."""


LARGEST_EXACT = 2.0**53
"""Sums of whole weights are exact below it."""


@dataclass(frozen=True, eq=False)
class NarrowRows:
    """`codes` (rows, nominal columns) has the fewest bytes that the levels need; `weights` None: all 1."""

    schema: Schema
    codes: NDArray[np.signedinteger[Any]]
    values: Values
    target: Codes
    weights: Values | None

    @classmethod
    def of(cls, table: Table) -> Self:
        """Return the rows of a table in memory, its own arrays where they lie side by side already."""
        schema, source = table.schema, table.require_memory()
        names = [column.name for column in schema.nominal]
        widest = max((len(column.levels) for column in schema.nominal), default=0)
        codes = source.existing_matrix(names)
        if codes is None:
            codes = stacked([source.column(name) for name in names], source.rows, code_type(widest))
        values = source.matrix([column.name for column in schema.numeric], np.float64)
        return cls(schema, codes, values, np.ascontiguousarray(table.target), table.weights)

    def __len__(self) -> int:
        return len(self.target)

    def batches(self) -> Iterator[Batch]:
        """Portions of the rows, as every kernel reads them."""
        rows = max(1, CELLS // BLOCK // max(1, self.codes.shape[1] + self.values.shape[1])) * BLOCK
        for start in range(0, max(1, len(self)), rows):
            some = slice(start, start + rows)
            codes, target = self.codes[some].astype(np.int32, copy=False), self.target[some]
            weights = np.ones(len(target)) if self.weights is None else self.weights[some]
            yield Batch(start, codes, self.values[some], target, weights)

    def batch(self) -> Batch:
        """Return all rows with narrow codes, for readers of a few rows at a time."""
        ones: Values = np.broadcast_to(np.float64(1.0), len(self))
        return Batch(0, self.codes, self.values, self.target, ones if self.weights is None else self.weights)

    def in_order_of_weights(self) -> NarrowRows:
        """Return the rows in an order in which sums of their weights do not depend on the order they have.

        Whole weights, and those that are the same for all rows of a class, add up to the same sums in any order.
        """
        weights = self.weights
        if weights is None or (weights.sum() < LARGEST_EXACT and is_whole(weights)):
            return self
        own = (weights[self.target == k] for k in range(int(self.target.max(initial=-1)) + 1))
        if all(each.min(initial=np.inf) >= each.max(initial=0.0) for each in own):
            return self
        return self.take(np.argsort(weights))

    def take(self, rows: NDArray[np.intp]) -> NarrowRows:
        """Return the rows of these numbers."""
        weights = None if self.weights is None else self.weights[rows]
        return NarrowRows(self.schema, self.codes[rows], self.values[rows], self.target[rows], weights)
