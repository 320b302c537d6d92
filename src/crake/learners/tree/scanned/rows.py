"""The rows of a scan as a tree needs them: counted once, then read batch by batch with the node that each reaches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.errors import DataError
from crake.kernels.tree.arrays import Classes
from crake.learners.tree.growing.training_rows import Layout, Training, Whole
from crake.learners.tree.predicting.routing import Cases, reached_leaves
from crake.learners.tree.scanned.budget import Budget
from crake.learners.tree.tree import Tree
from crake.table.batch import Batch
from crake.table.row_hash import row_hashes
from crake.table.schema import Schema
from crake.table.sources.scanned_table import encode_scan, joined, scan_of
from crake.table.table import Table

SAMPLE = 100_000
"""Rows whose quantiles are the ends of intervals."""
SEED = 1


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of a scan and the node that each has reached."""

    batch: Batch
    node: Longs


@dataclass(frozen=True, eq=False)
class ScannedRows:
    """A table whose levels are known, with the number of rows of each class, a sample of them, and the memory to use.

    `schema` is that of the model. `left_out` counts the rows of unknown class. Rows of weight 0 are not there.
    """

    table: Table
    schema: Schema
    counts: Floats
    left_out: int
    is_complete: bool
    sample: Batch
    budget: Budget

    @classmethod
    def of(cls, table: Table) -> ScannedRows:
        """Scan the rows of known class once."""
        below = np.uint64(min(2**64 - 1, int(2**64 * min(1.0, SAMPLE / max(len(table), 1)))))
        counts, is_complete, known, largest, sampled, last = np.zeros(0), True, 0, 0, [], None
        for whole in table.batches():
            batch = of_some_weight(whole)
            known += whole.rows
            found = np.bincount(batch.target, minlength=len(counts)).astype(np.float64)
            found[: len(counts)] += counts
            counts, last, largest = found, batch, max(largest, batch.rows)
            is_complete &= not np.isnan(batch.values).any() and not (batch.codes < 0).any()
            sampled.append(batch.take(np.flatnonzero(row_hashes(batch.start, batch.rows, SEED) <= below)))
        if last is None or not counts.any():
            raise DataError(f"{table.name} has no row of known class; there is nothing to learn from")
        schema, sample, counts = _ordered(table.schema, joined(sampled), last, counts)
        left_out = len(table) - known
        budget = Budget.of(scan_of(table).memory, schema, largest)
        return cls(encode_scan(table, schema), schema, counts, left_out, is_complete, sample, budget)

    @property
    def is_weighted(self) -> bool:
        """Return whether rows have weights."""
        return scan_of(self.table).weights is not None

    def batches(self) -> Iterator[Batch]:
        """Scan the rows once more."""
        return map(of_some_weight, self.table.batches())

    def class_weights(self) -> Floats:
        """Return the weight of each class, added up row by row; where rows have weights that takes a scan."""
        if not self.is_weighted:
            return self.counts
        weights = np.zeros(self.classes)
        for batch in self.batches():
            np.add.at(weights, batch.target, batch.weights)
        return weights

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.counts)

    @property
    def class_type(self) -> Any:
        """The type of class codes, as in `Training.of`."""
        return np.uint8 if self.classes <= 256 else np.int32

    def no_rows(self) -> Training:
        """Return the training of no rows, which knows of all of them: for settings that depend on the whole table."""
        return self.training(
            np.zeros((0, len(self.schema.numeric))),
            np.zeros((len(self.schema.nominal), 0), np.int32),
            np.zeros(0, self.class_type),
        )

    def training(self, values: Floats, codes: Ints, target: Classes, layout: Layout | None = None) -> Training:
        """Return some of the rows laid out for growing; codes have a line per column."""
        whole = Whole(float(self.counts.sum()), self.is_complete)
        layout = Layout.of(self.schema) if layout is None else layout
        return Training(values, codes, target, np.zeros(0), self.classes, layout, whole=whole)

    def parts(self, tree: Tree) -> Iterator[Part]:
        """Scan the rows once more, each with the leaf of the tree that it reaches."""
        for batch in self.table.batches():
            yield Part(batch, self.reached(tree, batch))

    def reached(self, tree: Tree, batch: Batch) -> Longs:
        """Return the leaf that each row of a batch reaches."""
        if len(tree) == 1:
            return np.zeros(batch.rows, np.int64)
        return reached_leaves(tree, Cases(Layout.of(self.schema), batch.values, batch.codes))


def of_some_weight(batch: Batch) -> Batch:
    """Return the rows of a batch whose weight is positive."""
    return batch if batch.weights.all() else batch.take(np.flatnonzero(batch.weights > 0))


def _ordered(schema: Schema, sample: Batch, last: Batch, counts: Floats) -> tuple[Schema, Batch, Floats]:
    """Put the levels that the scan has met, and all codes of them, into their one order."""
    levels = last.scan_levels
    if levels is None:
        return schema, replace(sample, scan_levels=None), _padded(counts, len(schema.classes))
    codes = sample.codes.copy()
    for j, column in enumerate(levels.nominal):
        codes[:, j] = column.ordered(codes[:, j])
    schema = levels.schema(schema)
    counts = _padded(counts, len(schema.classes))
    if levels.target is not None:
        place = levels.target.ordered(np.arange(len(levels.target), dtype=np.int32))
        counts = counts[np.argsort(place)]
        sample = replace(sample, target=levels.target.ordered(sample.target))
    return schema, replace(sample, codes=codes, scan_levels=None), counts


def _padded(counts: Floats, classes: int) -> Floats:
    return np.concatenate([counts, np.zeros(classes - len(counts))])
