"""Folds by a key column: the scan tells them while it reads."""

from __future__ import annotations

from dataclasses import replace

from crake.errors import ColumnNotFound, DataError
from crake.plans import HashedFolds, KeyedFolds
from crake.table.sources.keyed_rows import FoldsOfRows, KeyedFile
from crake.table.sources.scanned_table import scan_of
from crake.table.table import Table


def with_keys(table: Table, folds: HashedFolds) -> tuple[Table, HashedFolds]:
    """Return a scanned table that tells the folds of its rows, and the folds; raise if its rows have no numbers."""
    scan = scan_of(table)
    if not isinstance(folds, KeyedFolds):
        if not getattr(scan.file, "has_row_numbers", True):
            raise DataError(
                f"the rows of {table.name} have no numbers, by which folds are dealt; name a column whose values tell "
                f"them apart: plan=crake.KeyedFolds({folds.folds}, key='…')"
            )
        return table, folds
    if folds.key not in scan.names:
        raise ColumnNotFound(folds.key, scan.names)
    rows = FoldsOfRows()
    return replace(table, source=replace(scan, file=KeyedFile(scan.file, folds.hash, rows))), replace(folds, rows=rows)
