"""One row queried many times, each time with one cell changed: the basis of counterfactuals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.blas_threads import one_thread
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.edited_row import Edit, EditedRow
from crake.table.sources.memory import MemorySource
from crake.table.table import Table

Range = tuple[float, float]

AT_ONCE = 8192
"""Rows predicted together."""
COLUMNS = 100
"""About as many as a product of these rows with a model's planes has: small enough for one thread."""


@dataclass(frozen=True)
class RowQuery:
    """A classifier and one row, coded under the classifier's schema."""

    model: Any
    row: Table
    memory: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)
    """Results about the row that were computed for one column and serve the others."""

    def to(self, model: Any) -> RowQuery:
        """Return the query of the same row to another model, which shares the memory."""
        return RowQuery(model, self.row, self.memory)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that the prediction may depend on."""
        features: tuple[Column, ...] = self.model.schema_.features
        return features

    def cell(self, name: str) -> Any:
        """Return the row's value or code."""
        return self.row.column(name)[0]

    def predictions(self, edits: Sequence[Edit]) -> tuple[NDArray[np.intp], Floats]:
        """Return the predicted class code and the probabilities of the row after each edit."""
        parts = [self._predicted(edits[at : at + AT_ONCE]) for at in range(0, len(edits), AT_ONCE)]
        if not parts:
            return np.zeros(0, np.intp), np.zeros((0, len(self.model.classes_)))
        return np.concatenate([codes for codes, _ in parts]), np.concatenate([p for _, p in parts])

    def prediction(self) -> tuple[int, Floats]:
        """Return the predicted class code and the probabilities of the row as it is."""
        codes, p = self._predicted([("", 0)])
        return int(codes[0]), p[0]

    def edited(self, edits: Sequence[Edit]) -> Table:
        """Return a table with one row per edit."""
        source: Any = EditedRow(self._cells, edits, self.memory)  # rows taken from it are those of any source
        return Table(Schema((*self.columns, *self._texts)), source)

    @cached_property
    def _cells(self) -> MemorySource:
        kinds = {column.name: np.float64 if column.kind is Kind.NUMERIC else np.int32 for column in self.columns}
        cells: dict[str, NDArray[Any]] = {name: np.full(1, self.cell(name), kind) for name, kind in kinds.items()}
        for column in self._texts:
            cells[column.name] = np.full(1, self.cell(column.name), object)
        return MemorySource(cells, 1)

    @property
    def _texts(self) -> tuple[Column, ...]:
        """The columns of running text that the model reads; they stay as they are."""
        texts: tuple[Column, ...] = self.model.schema_.texts if self.model.reads_text else ()
        return tuple(column for column in texts if column.name in self.row.schema)

    def _predicted(self, edits: Sequence[Edit]) -> tuple[NDArray[np.intp], Floats]:
        with one_thread(COLUMNS):
            p = self.model.probabilities(self.edited(edits))
        return self.model.decide(p), p


def range_of(values: Floats) -> Range | None:
    """Return the least and the largest finite value; None if there is none.

    >>> range_of(np.array([2.0, np.inf, 1.0])), range_of(np.zeros(0))
    ((1.0, 2.0), None)
    """
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if len(known) else None
