"""Rows of a scan with a number to predict: counted once, then laid out for the grower in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from crake.arrays import Codes, Floats
from crake.errors import DataError
from crake.learners.tree.growing.training_rows import Layout, Training, Whole
from crake.learners.tree.growing.weight_grid import put_on_grid
from crake.learners.tree.scanned.budget import Budget
from crake.learners.tree.scanned.layout import BESIDE_ROWS, Cells, room_for, without_units
from crake.learners.tree.scanned.rows import SEED, share_of_hashes
from crake.table.batch import Batch
from crake.table.row_hash import row_hashes
from crake.table.schema import Schema
from crake.table.sources.scanned_table import encode_scan, scan_of
from crake.table.table import Table


@dataclass(frozen=True, eq=False)
class ScannedNumbers:
    """A table whose levels are known, of which `rows` have a number to predict and `left_out` have none.

    `table` has no target: the column to predict is number `place` of its numeric ones. `schema` is that of the model,
    `sample` has the other numbers of some rows.
    """

    table: Table
    place: int
    schema: Schema
    rows: int
    left_out: int
    is_complete: bool
    sample: Floats
    budget: Budget

    @classmethod
    def of(cls, table: Table, sampled: int = 0) -> ScannedNumbers:
        """Scan the rows once; the target of the table is numeric. About `sampled` rows are kept as a sample."""
        target, limit = table.schema.target or "", scan_of(table).memory
        table = table.with_target(None)
        place = [column.name for column in table.schema.numeric].index(target)
        rows, left_out, largest, is_complete, last = 0, 0, 0, True, None
        below, kept = share_of_hashes(sampled / max(len(table), 1)), []
        for batch in table.batches():
            values, codes, y, _ = _known(batch, place)
            left_out += int(np.isnan(batch.values[:, place]).sum())
            is_complete &= not np.isnan(values).any() and not (codes < 0).any()
            kept.append(values[row_hashes(rows, len(y), SEED) <= below])
            rows, largest, last = rows + len(y), max(largest, batch.rows), batch
        if last is None or not rows:
            raise DataError("no row has a known target and a positive weight; there is nothing to learn from")
        schema = table.schema if last.scan_levels is None else last.scan_levels.schema(table.schema)
        budget = Budget.of(limit, schema, largest)
        coded = encode_scan(table, schema)
        sample = np.concatenate(kept)
        return cls(coded, place, schema.with_target(target), rows, left_out, is_complete, sample, budget)

    @contextmanager
    def laid_out(self, beside: int = BESIDE_ROWS) -> Iterator[Training]:
        """Scan the rows once more and lay them out; `beside` bytes of a row are in memory in any case."""
        name = self.table.name
        with room_for(self.budget, self.schema, self.rows, beside, name) as room:
            cells = Cells(self.schema, self.rows, room)
            response, weights = room.empty(self.rows, np.float64), room.empty(self.rows, np.float64)
            for batch in self.table.batches():
                values, codes, y, own_weights = _known(batch, self.place)
                own = cells.add(values, codes, name)
                response[own], weights[own] = y, own_weights
            cells.check_full(name)
            weights = without_units(weights)
            put_on_grid(weights)
            yield Training(
                cells.values,
                cells.codes,
                room.filled(self.rows, np.uint8, 0),
                weights,
                1,
                Layout.of(self.schema),
                response,
                whole=Whole(float(weights.sum()) if len(weights) else float(self.rows), self.is_complete),
                room=room,
            )


def _known(batch: Batch, place: int) -> tuple[Floats, Codes, Floats, Floats]:
    """Return the other numbers, codes, number to predict and weight of the rows that have a number and a weight."""
    known = np.flatnonzero(~np.isnan(batch.values[:, place]) & (batch.weights > 0))
    others = np.delete(batch.values, place, axis=1)
    return others[known], batch.codes[known], batch.values[known, place], batch.weights[known]
