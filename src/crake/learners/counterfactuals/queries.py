"""One row many times, each time with one cell changed, and what a model answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.learners.base.blas_threads import one_thread
from crake.learners.base.classifier import TableClassifier
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.edited_row import Edit, EditedRow
from crake.table.sources.memory import MemorySource
from crake.table.table import Table

Floats = NDArray[np.float64]

AT_ONCE = 8192
"""Rows answered together."""
COLUMNS = 100
"""About as many as a product of these rows with a model's planes has: small enough for one thread."""


@dataclass(frozen=True)
class Asked:
    """A model and the row it is asked about, coded under the model's schema."""

    model: TableClassifier
    row: Table
    memory: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)
    """What has been worked out of the row for one column and serves the others."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that the answer may depend on."""
        return self.model.schema_.features

    def cell(self, name: str) -> Any:
        """The row's value or code."""
        return self.row.column(name)[0]

    def answers(self, edits: Sequence[Edit]) -> tuple[NDArray[np.intp], Floats]:
        """The code of the answer to the row with each edit, and the probabilities."""
        parts = [self._answered(edits[at : at + AT_ONCE]) for at in range(0, len(edits), AT_ONCE)]
        if not parts:
            return np.zeros(0, np.intp), np.zeros((0, len(self.model.classes_)))
        return np.concatenate([codes for codes, _ in parts]), np.concatenate([p for _, p in parts])

    def now(self) -> tuple[int, Floats]:
        """The answer to the row as it is."""
        codes, p = self._answered([("", 0)])
        return int(codes[0]), p[0]

    def edited(self, edits: Sequence[Edit]) -> Table:
        """A table of one row for each edit."""
        source: Any = EditedRow(self._cells, edits, self.memory)  # rows taken from it are those of any source
        return Table(Schema(self.columns), source)

    @cached_property
    def _cells(self) -> MemorySource:
        kinds = {column.name: np.float64 if column.kind is Kind.NUMERIC else np.int32 for column in self.columns}
        return MemorySource({name: np.full(1, self.cell(name), kind) for name, kind in kinds.items()}, 1)

    def _answered(self, edits: Sequence[Edit]) -> tuple[NDArray[np.intp], Floats]:
        with one_thread(COLUMNS):
            p = self.model.probabilities(self.edited(edits))
        return self.model.decide(p), p
