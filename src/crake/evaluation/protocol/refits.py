"""Learners that need rows and can put them into files: one fit per fold, from a scan that leaves the fold out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from crake.learners.base.scikit_learn import clone
from crake.plans import HashedFolds
from crake.table.batch import MISSING, Batch
from crake.table.schema import Schema
from crake.table.sources.counting import Counted, Keys
from crake.table.sources.scan import Scan, known_part
from crake.table.sources.scanned_table import encode_scan, scan_of
from crake.table.table import Table


@dataclass(frozen=True)
class ScanWithoutFold(Scan):
    """A scan in which the rows of one fold have no target, so that learners pass over them.

    `numbers` names a numeric target, which is among the features of the batches; classes are the target of the batches.
    """

    folds: HashedFolds | None = None
    fold: int = 0
    numbers: str = ""

    def batches(self, schema: Schema) -> Iterator[Batch]:
        """Yield the batches; the numbers of rows by which folds are dealt are those of the file."""
        start = 0
        for batch in Scan.batches(replace(self, known_only=False), schema):
            kept = self._without_fold(batch, schema)
            if self.known_only:
                kept = known_part(kept, start)
                start += kept.rows
            yield kept

    def _without_fold(self, batch: Batch, schema: Schema) -> Batch:
        if self.folds is None:
            return batch
        is_left_out = self.folds[batch.start : batch.start + batch.rows] == self.fold
        names = [column.name for column in schema.numeric]
        if not self.numbers:
            return replace(batch, target=np.where(is_left_out, np.int32(MISSING), batch.target))
        if self.numbers not in names:
            return batch
        values = np.array(batch.values)
        values[is_left_out, names.index(self.numbers)] = np.nan
        return replace(batch, values=values)

    @property
    def engine(self) -> None:
        """Return None: what the file gathers or counts by itself knows no folds."""

    def count(self, schema: Schema, keys: Keys) -> Counted | None:
        """Return None, as `engine` does."""
        del schema, keys
        return None


def without_fold(table: Table, folds: HashedFolds, fold: int, numbers: str = "") -> Table:
    """Return a scanned table in which the rows of one fold have no target."""
    scan = scan_of(table)
    plain = {each.name: getattr(scan, each.name) for each in fields(Scan) if each.name != "progress"}
    return replace(table, source=ScanWithoutFold(**plain, folds=folds, fold=fold, numbers=numbers))


def is_refitted(learner: Any, table: Table, sample_rows: int) -> bool:
    """Return whether a learner is fitted to all rows of the other folds, not to a sample of them.

    Where there is a sample, a limit to the memory asks for it.
    """
    return getattr(learner, "scans_rows", False) and (not sample_rows or scan_of(table).memory is not None)


def refitted_models(learner: Any, table: Table, schema: Schema, folds: HashedFolds) -> Iterator[Any]:
    """Yield for every fold the model of the rows of all others; the schema has the levels of all rows."""
    coded = encode_scan(table, schema)
    return (clone(learner).fit(without_fold(coded, folds, fold)) for fold in range(folds.folds))
