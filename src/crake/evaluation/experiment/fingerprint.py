"""The fingerprint of a table: a hash of all that a learner can see of it."""

from __future__ import annotations

import hashlib
import json

import numpy as np
from numpy.typing import NDArray

from crake.table.schema import Column, Kind
from crake.table.table import Table


def table_fingerprint(table: Table) -> str:
    """SHA-256 of the target, the features in their order (names, kinds, levels and their types), cells and weights.

    The table's name and the columns that are not read do not matter.

    >>> from crake.table.examples import load
    >>> golf = table_fingerprint(load("golf"))
    >>> golf == table_fingerprint(load("golf")), golf == table_fingerprint(load("weather"))
    (True, False)
    """
    table.require_memory("an experiment")
    columns = [table.schema[table.schema.target or table.class_column], *table.schema.features]
    digest = hashlib.sha256(json.dumps([len(table), *map(_described, columns)]).encode())
    for column in columns:
        digest.update(_bytes(table.column(column.name), column))
    if table.weights is not None and (table.weights != 1).any():
        digest.update(_canonical(table.weights).tobytes())
    return digest.hexdigest()


def _described(column: Column) -> list[object]:
    levels = [[type(level).__name__, level if isinstance(level, str) else repr(level)] for level in column.levels]
    return [column.name, column.kind.value, levels]


def _bytes(cells: NDArray[np.generic], column: Column) -> bytes:
    if column.kind is Kind.NOMINAL:
        return np.ascontiguousarray(cells, dtype="<i4").tobytes()
    return _canonical(cells).tobytes()


def _canonical(values: NDArray[np.generic]) -> NDArray[np.float64]:
    """Little-endian floats with one pattern for every missing value and one zero."""
    numbers = np.asarray(values, dtype="<f8") + 0.0
    return np.ascontiguousarray(np.where(np.isnan(numbers), np.nan, numbers))
