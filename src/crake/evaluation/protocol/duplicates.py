"""Rows that are equal in all that can be learned from: one thing twice, or different things that look alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.table.describe.duplicates import row_hashes
from crake.table.describe.warnings import id_like_columns
from crake.table.schema import Column
from crake.table.table import Table


def compared_columns(table: Table) -> tuple[Column, ...]:
    """Return the columns that duplicates share; a new id does not make a row a new one."""
    ids = set(id_like_columns(table))
    return tuple(column for column in table.schema.features if column.name not in ids)


def kinds_of_rows(table: Table) -> NDArray[np.intp]:
    """Return one number per row, equal for rows that are equal in all features but ids.

    >>> from crake.table.examples import load
    >>> kinds = kinds_of_rows(load("iris"))
    >>> len(kinds), len(np.unique(kinds))                                        # one flower was measured twice
    (150, 149)
    """
    columns = compared_columns(table)
    if not columns:
        return np.arange(len(table))
    _, kinds = np.unique(row_hashes(table, columns), return_inverse=True)
    return np.asarray(kinds, np.intp)
