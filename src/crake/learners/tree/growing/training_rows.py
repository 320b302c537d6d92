"""The rows a tree is grown from, laid out for growing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Ints
from crake.kernels import readable
from crake.kernels.tree.arrays import Classes, RowArrays
from crake.kernels.tree.sorting import Sorted, sorted_lists
from crake.learners.tree.growing.room import IN_MEMORY, Room
from crake.learners.tree.growing.shared_columns import SharedColumns, is_complete
from crake.learners.tree.growing.sorting_in_parts import sorted_in_parts
from crake.learners.tree.growing.weight_grid import NO_GRID, anchor_of, with_exact_sums
from crake.table.batch import Batch
from crake.table.schema import Kind, Schema
from crake.table.table import Table


@dataclass(frozen=True, eq=False)
class Layout:
    """The place of each feature: whether it is numeric, its position among its kind, and its number of levels."""

    is_numeric: Flags
    place: Ints
    levels: Ints

    @classmethod
    def of(cls, schema: Schema) -> Layout:
        """Lay out the features in the order of the table. The members of an ensemble ask for the same one again."""
        global _latest  # noqa: PLW0603 (threads may both make it, and take either)
        latest = _latest
        if latest is None or latest[0] is not schema:
            latest = _latest = schema, cls._made(schema)
        return latest[1]

    @classmethod
    def _made(cls, schema: Schema) -> Layout:
        numeric = np.array([column.kind is Kind.NUMERIC for column in schema.features], bool)
        place = np.where(numeric, np.cumsum(numeric) - 1, np.cumsum(~numeric) - 1)
        levels = np.array([len(column.levels) for column in schema.features])
        return cls(numeric, place.astype(np.int32), levels.astype(np.int32))

    def __len__(self) -> int:
        return len(self.place)


_latest: tuple[Schema, Layout] | None = None
"""The layout that was made last."""


class Whole(NamedTuple):
    """The table that the rows are a part of: the weight of all its rows, and whether none of its values is missing.

    `values` are the numeric columns of all rows, where C4.5 places thresholds among them; None: among the rows grown.
    """

    total: float
    is_complete: bool
    values: Floats | None = None


@dataclass(frozen=True, eq=False)
class Training:
    """Numeric columns (rows, numeric), codes (nominal, rows), class codes and weights.

    A nominal column is read many times, so codes are turned over once. `weights` is empty where every row weighs 1, so
    that they need not be looked at. With `has_grid` they are on a grid, so that any sum of them is exact. For
    regression there is one class, and `response` holds one number per row. `shared` keeps what several trees of the
    same rows need. `whole` is the table of rows that are grown apart from it. `room` makes arrays as long as these.
    """

    values: Floats
    codes: Ints
    target: Classes
    weights: Floats
    classes: int
    layout: Layout
    response: Floats = field(default_factory=lambda: np.zeros(0))
    shared: SharedColumns | None = None
    whole: Whole | None = None
    room: Room = IN_MEMORY
    has_grid: bool = True

    @classmethod
    def of(cls, schema: Schema, batch: Batch, *, has_grid: bool = True) -> Training:
        """Lay out the rows of a batch; all must be of a known class."""
        classes = len(schema.classes)
        # A byte a class keeps the classes of a million rows in the cache.
        target: Classes = batch.target.astype(np.uint8) if classes <= 256 else batch.target
        weights = np.zeros(0) if bool(np.all(batch.weights == 1.0)) else batch.weights
        return cls(
            batch.values,
            np.ascontiguousarray(batch.codes.T),
            target,
            with_exact_sums(weights) if has_grid else weights,
            classes,
            Layout.of(schema),
            has_grid=has_grid,
        )

    @classmethod
    def of_numbers(cls, table: Table, y: Floats) -> Training:
        """Lay out the rows of a table and the numbers to predict; there is one class."""
        weights = table.weights if table.weights is not None else np.zeros(0)
        return cls(
            np.ascontiguousarray(table.matrix([c.name for c in table.schema.numeric], np.float64)),
            np.ascontiguousarray(table.matrix([c.name for c in table.schema.nominal], np.int32).T),
            np.zeros(len(y), np.uint8),
            with_exact_sums(np.zeros(0) if np.all(weights == 1.0) else weights),
            1,
            Layout.of(table.schema),
            y,
        )

    def __len__(self) -> int:
        return len(self.target)

    def take(self, rows: NDArray[np.intp]) -> Training:
        """Return only these rows, in this order."""
        room = self.room
        codes: Ints = room.empty((len(self.codes), len(rows)), np.int32)
        for own, column in zip(codes, self.codes, strict=True):
            own[:] = column[rows]
        return replace(
            self,
            shared=None,
            whole=None,
            values=room.entries_at(self.values, rows),
            codes=codes,
            target=room.entries_at(self.target, rows),
            weights=room.entries_at(self.weights, rows) if len(self.weights) else self.weights,
            response=room.entries_at(self.response, rows) if len(self.response) else self.response,
        )

    def with_shared_lists(self, trees: int) -> Training:
        """Return the same rows, whose sorted columns are kept for `trees` trees of them under other weights."""
        return replace(self, shared=SharedColumns(self.values, self.codes, trees))

    def with_weights(self, weights: Floats) -> Training:
        """Return the same rows under other weights; a row of weight 0 is as if it were not there."""
        weights = np.zeros(0) if np.all(weights == 1.0) else weights
        is_whole = weights.dtype != np.float64  # copies, in bytes
        return replace(self, weights=with_exact_sums(weights) if self.has_grid and not is_whole else weights)

    def sorted(self, gap: float = 0.0) -> Sorted:
        """Return the rows by each numeric column; values within the gap will count as equal."""
        if self.room.sorted_at_once is not None:
            return sorted_in_parts(self.values, gap, self.room, self.room.sorted_at_once)
        return sorted_lists(self.values, gap) if self.shared is None else self.shared.sorted(gap)

    @property
    def row_weights(self) -> Floats:
        """The weight of every row, also where each weighs 1."""
        return self.weights if len(self.weights) else self.room.filled(len(self), np.float64, 1.0)

    @cached_property
    def cells(self) -> RowArrays:
        """The cells as kernels take them; codes lie column by column."""
        layout, codes = self.layout, readable(self.codes).reshape(-1)
        return RowArrays(readable(self.values), codes, 1, len(self), layout.is_numeric, layout.place)

    @property
    def total(self) -> float:
        """The weight of all rows: a row of weight k counts as k rows."""
        if self.whole is not None:
            return self.whole.total
        return float(self.weights.sum()) if len(self.weights) else float(len(self))

    @property
    def anchor(self) -> float:
        """The anchor of the grid of weights, for parts of rows."""
        return anchor_of(self.total) if self.has_grid else NO_GRID

    @property
    def is_complete(self) -> bool:
        """Return whether no value is missing."""
        if self.whole is not None:
            return self.whole.is_complete
        if self.shared is not None:
            return self.shared.is_complete
        return is_complete(self.values, self.codes)
