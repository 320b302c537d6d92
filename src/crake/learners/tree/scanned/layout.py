"""The rows of a scan laid out for the grower in memory: in memory if they fit there, otherwise in mapped files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np

from crake.arrays import Floats, Ints
from crake.errors import DataError
from crake.learners.base.class_weights import check_labels, class_factors
from crake.learners.tree.growing.room import IN_MEMORY, SORTING, Room
from crake.learners.tree.growing.training_rows import Layout, Training, Whole
from crake.learners.tree.growing.weight_grid import put_on_grid
from crake.learners.tree.scanned.budget import MOST_PARTS, Budget, row_bytes
from crake.learners.tree.scanned.mapped_room import MappedRoom
from crake.learners.tree.scanned.rows import ScannedRows
from crake.statistics.statistic import HEAVIEST
from crake.table.schema import Schema

PRUNING = 80
"""Bytes of a row while a tree is pruned on rows in memory."""
BESIDE_ROWS, BESIDE_PARTS = 24, 80
"""Bytes of a row that are in memory while its cells and lists are in files: usually, and if rows are held out."""


@contextmanager
def laid_out(rows: ScannedRows, factors: Floats, beside: int = BESIDE_ROWS) -> Iterator[Training]:
    """Scan the rows once more and lay them out; `factors` are the weights of the classes, `beside` bytes of a row."""
    number = int(rows.counts.sum())
    with room_for(rows.budget, rows.schema, number, beside, rows.table.name) as room:
        cells = Cells(rows.schema, number, room)
        target, weights = room.empty(number, rows.class_type), room.empty(number, np.float64)
        for batch in rows.batches():
            own = cells.add(batch.values, batch.codes, rows.table.name)
            target[own] = batch.target
            weights[own] = of_classes(batch.weights, factors[batch.target])
        cells.check_full(rows.table.name)
        weights = without_units(weights)
        put_on_grid(weights)
        total = float(weights.sum()) if len(weights) else float(number)
        yield Training(
            cells.values,
            cells.codes,
            target,
            weights,
            rows.classes,
            Layout.of(rows.schema),
            whole=Whole(total, rows.is_complete),
            room=room,
        )


def without_units(weights: Floats) -> Floats:
    """Return the weights, or none where each row weighs 1.

    >>> without_units(np.ones(3)), without_units(np.array([1.0, 2.0]))
    (array([], dtype=float64), array([1., 2.]))
    """
    return np.zeros(0) if weights.min() == weights.max() == 1.0 else weights


def class_factors_of(class_weight: Any, rows: ScannedRows) -> Floats:
    """Return the weight of each class as the parameter `class_weight` has it."""
    if class_weight is None:
        return np.ones(rows.classes)
    if isinstance(class_weight, Mapping):
        check_labels(class_weight, rows.schema.classes, "declared")
    return class_factors(class_weight, rows.class_weights(), rows.schema.classes)


def of_classes(weights: Floats, factors: Floats) -> Floats:
    """Return the weights of rows times those of their classes; raise if one is too large to be added and multiplied.

    >>> of_classes(np.array([1e30, 2.0]), np.array([3.0, 1.0]))
    Traceback (most recent call last):
    crake.errors.DataError: a row has the weight 3e+30 with that of its class; expected at most 1e+30
    """
    with np.errstate(over="ignore"):
        found = weights * factors
    if found.max(initial=0.0) > HEAVIEST:
        raise DataError(f"a row has the weight {found.max():g} with that of its class; expected at most {HEAVIEST:g}")
    return found


def bytes_beside(pruning: str | None, *, deals_rows: bool = False) -> int:
    """Return the bytes of a row that are in memory in any case; rows that are dealt to parts have their numbers there.

    >>> bytes_beside(None), bytes_beside("reduced-error")
    (24, 80)
    """
    return BESIDE_PARTS if deals_rows or pruning not in (None, "pessimistic") else BESIDE_ROWS


def room_for(budget: Budget, schema: Schema, rows: int, beside: int, name: str) -> AbstractContextManager[Room]:
    """Return room for as many rows: memory, or files; raise if even files take more memory than there is."""
    if rows * (budget.each(schema, row_bytes(schema)) + PRUNING) <= budget.free:
        return nullcontext(IN_MEMORY)
    part = SORTING * -(-rows // MOST_PARTS)
    budget.check(beside * rows + part, f"a tree of {rows:,} rows")
    return MappedRoom(budget.most, max(1, (budget.free - beside * rows) // (2 * SORTING)), name)


class Cells:
    """The numbers and codes of rows, filled batch by batch."""

    def __init__(self, schema: Schema, rows: int, room: Room) -> None:
        self.values: Floats = room.empty((rows, len(schema.numeric)), np.float64)
        self.codes: Ints = room.empty((len(schema.nominal), rows), np.int32)
        self.rows, self.filled = rows, 0

    def add(self, values: Floats, codes: Ints, name: str) -> slice:
        """Fill in the next rows and return their places; codes have a line per row."""
        own = slice(self.filled, self.filled + len(values))
        if own.stop > self.rows:
            raise changed(name, is_longer=True)
        self.values[own], self.codes[:, own] = values, codes.T
        self.filled = own.stop
        return own

    def check_full(self, name: str) -> None:
        """Raise if there were fewer rows than in the scan before."""
        if self.filled < self.rows:
            raise changed(name, is_longer=False)


def changed(name: str, *, is_longer: bool) -> DataError:
    """Return the error of a table whose scans do not give the same rows."""
    return DataError(
        f"{name} gave {'more' if is_longer else 'fewer'} rows than in the scan before: expected the same rows every "
        "time; read a copy of it, or a sample, table.sample(100_000)"
    )
