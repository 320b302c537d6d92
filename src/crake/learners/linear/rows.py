"""The rows of a regression as batches: features beside the numbers to predict, in memory or scanned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.statistics.blocks import refuse_bad_weights
from crake.table.batch import Batch
from crake.table.schema import Column, Kind, Schema
from crake.table.table import Table

ALL = Column("", Kind.NOMINAL, ("rows",))
"""The one class of all rows, for statistics that are gathered by class."""


def _in_one_class(schema: Schema, target: str) -> Schema:
    columns = tuple(column for column in schema.columns if column.name != target and column.is_feature)
    return Schema((*columns, ALL), ALL.name)


class _WithResponse:
    """The features under one class, batch by batch: the base of rows in memory and rows of a scan."""

    table: Table
    target: str

    @property
    def schema(self) -> Schema:
        """The features, and one class."""
        return _in_one_class(self.table.schema, self.target)

    def batches(self) -> Iterator[Batch]:
        """Yield the batches of the features."""
        for batch, _ in self.with_response():
            yield batch

    def with_response(self) -> Iterator[tuple[Batch, Floats]]:
        """Yield each batch and its numbers."""
        raise NotImplementedError


@dataclass
class RowsInMemory(_WithResponse):
    """Rows in memory with their numbers. `dropped` counts those left out for their gaps in the last pass."""

    table: Table
    response: Floats
    target: str
    drop: bool = False
    dropped: int = 0

    def with_response(self) -> Iterator[tuple[Batch, Floats]]:
        """Yield the batch and its numbers."""
        features = self.table.select([column.name for column in self.schema.columns if column.name])
        for batch in features.batches():
            unlabelled = replace(batch, target=np.zeros(batch.rows, np.int32))
            whole, y = _whole(unlabelled, self.response) if self.drop else (unlabelled, self.response)
            self.dropped = batch.rows - whole.rows
            yield whole, y


@dataclass
class RowsScanned(_WithResponse):
    """Rows of a table that is scanned; those without a number are left out and the others numbered anew.

    `dropped` counts the rows with a number that were left out for their gaps in the last pass.
    """

    table: Table
    target: str
    drop: bool = False
    dropped: int = 0

    def with_response(self) -> Iterator[tuple[Batch, Floats]]:
        """Yield each batch and its numbers."""
        # Without a target the column to predict is one of the numbers.
        rows = self.table.with_target(None)
        rows = rows.select([column.name for column in rows.schema.features])
        at = [column.name for column in rows.schema.numeric].index(self.target)
        start = self.dropped = 0
        for batch in rows.batches():
            y = batch.values[:, at]
            known = ~np.isnan(y)
            features = _taken(replace(batch, values=np.delete(batch.values, at, axis=1)), known)
            features, y = _whole(features, y[known]) if self.drop else (features, y[known])
            self.dropped += int(known.sum()) - features.rows
            yield replace(features, start=start, target=np.zeros(features.rows, np.int32)), np.ascontiguousarray(y)
            start += features.rows


def _whole(batch: Batch, y: Floats) -> tuple[Batch, Floats]:
    """Return the rows without gaps."""
    keep = ~(np.any(batch.codes == -1, axis=1) | np.any(np.isnan(batch.values), axis=1))
    return _taken(batch, keep), np.ascontiguousarray(y[keep])


def _taken(batch: Batch, keep: NDArray[np.bool_]) -> Batch:
    if keep.all():
        return batch
    refuse_bad_weights(batch.weights)
    return batch.take(np.flatnonzero(keep))
