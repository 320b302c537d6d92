"""The terms of a design beside the numbers to predict, as cross-products take them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Ints
from crake.kernels.linear.encoding import NO_PLACE
from crake.learners.encoding import Design
from crake.learners.linear.rows import RowsInMemory, RowsScanned
from crake.table.batch import Batch
from crake.table.schema import Column, Kind, Schema


def raw_terms(design: Design, batch: Batch, *, intercept: bool) -> tuple[Floats, NDArray[np.int32]]:
    """Return the terms of a batch: numbers as the table has them (the mean for a gap), places of levels."""
    gap = np.isnan(batch.values)
    dense = np.empty((batch.rows, design.numbers + 1))
    dense[:, : design.numbers] = np.where(gap, means(design), batch.values) if gap.any() else batch.values
    dense[:, design.numbers] = 1.0 if intercept else 0.0
    arrays = design.arrays
    place = np.full((batch.codes.shape[1] + arrays.missing.shape[1], batch.rows), NO_PLACE, np.int32)
    for j, codes in enumerate(batch.codes.T):
        place[j] = arrays.places[arrays.offsets[j] + 2 + codes]
    for line, (column, term) in enumerate(arrays.missing.T.tolist(), batch.codes.shape[1]):
        place[line, gap[:, column]] = term
    return dense, place


def means(design: Design) -> Floats:
    """Return the means of the numbers, which stand for missing values."""
    means: Floats = np.ldexp(design.centre + design.rest, design.exponent)
    return means


@dataclass(frozen=True)
class ResponseLast:
    """The rows with the numbers to predict as the last numeric column."""

    rows: RowsInMemory | RowsScanned

    @property
    def schema(self) -> Schema:
        """The features, the response and one class."""
        schema = self.rows.schema
        response = Column(self.rows.target, Kind.NUMERIC)
        return replace(schema, columns=(*schema.columns, response))

    def batches(self) -> Iterator[Batch]:
        """Yield the batches of the features with the response beside them."""
        for batch, y in self.rows.with_response():
            yield replace(batch, values=np.column_stack([batch.values, y]))


@dataclass(frozen=True)
class DesignTerms:
    """The terms of a design for cross-products, with the response in place of the intercept."""

    design: Design

    @property
    def numbers(self) -> int:
        """The number of numeric terms, and the response."""
        return self.design.numbers + 1

    @property
    def places(self) -> int:
        """The number of 0/1 terms."""
        return len(self.design) - self.numbers

    def encode(self, batch: Batch) -> tuple[Floats, Ints]:
        """Return the terms, whose gaps are filled, and the response."""
        features = replace(batch, values=batch.values[:, :-1])
        dense, place = raw_terms(self.design, features, intercept=True)
        dense[:, self.design.numbers] = batch.values[:, -1]
        return dense, place

    def complete(self, batch: Batch) -> Flags:
        """Return all rows: gaps are filled."""
        return np.ones(batch.rows, bool)
