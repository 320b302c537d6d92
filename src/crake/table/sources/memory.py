"""Rows in memory: one array per column, stacked row-major once a kernel asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.table.batch import MISSING, Batch
from crake.table.schema import Kind, Schema

Array = NDArray[Any]

BLOCK = 4096
"""Rows stacked together, so that a line of the cache is fetched once for all its columns."""


def stacked(columns: Sequence[Array], rows: int, dtype: type[np.generic]) -> Array:
    """Return the columns side by side, row-major."""
    matrix = np.empty((rows, len(columns)), dtype)
    for start in range(0, rows, BLOCK):
        for j, column in enumerate(columns):
            matrix[start : start + BLOCK, j] = column[start : start + BLOCK]
    return matrix


def code_type(levels: int) -> type[np.signedinteger[Any]]:
    """Return the narrowest type for the codes of this number of levels, and for MISSING and UNSEEN.

    >>> code_type(50).__name__, code_type(200).__name__, code_type(100_000).__name__
    ('int8', 'int16', 'int32')
    """
    return np.int8 if levels <= 2**7 else np.int16 if levels <= 2**15 else np.int32


class MemorySource:
    """Columns by name: int32 codes for nominal, float64 for numeric, objects (str or None) for text.

    Codes may be held narrower (see `code_type`); a matrix of them has the type that is asked for.
    """

    def __init__(self, columns: Mapping[str, Array], rows: int) -> None:
        self._columns = dict(columns)
        self._matrices: dict[tuple[str, ...], Array] = {}
        self.rows = rows

    @classmethod
    def of_matrix(cls, names: Sequence[str], matrix: Array) -> MemorySource:
        """Return a source that reads a row-major matrix in place; its columns are views."""
        source = cls({name: matrix[:, j] for j, name in enumerate(names)}, len(matrix))
        source._matrices[tuple(names)] = matrix
        return source

    @classmethod
    def of_matrices(cls, matrices: Mapping[tuple[str, ...], Array], rows: int) -> MemorySource:
        """Return a source that reads row-major matrices in place, each with the names of its columns."""
        columns = {name: matrix[:, j] for names, matrix in matrices.items() for j, name in enumerate(names)}
        source = cls(columns, rows)
        source._matrices.update(matrices)
        return source

    def with_matrix(self, names: Sequence[str], matrix: Array) -> MemorySource:
        """Return the rows with these columns read in place from a row-major matrix."""
        source = MemorySource({**self._columns, **{name: matrix[:, j] for j, name in enumerate(names)}}, self.rows)
        kept = {key: own for key, own in self._matrices.items() if not set(key) & set(names)}
        source._matrices = {**kept, tuple(names): matrix}
        return source

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return tuple(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def column(self, name: str) -> Array:
        """Return one column."""
        return self._columns[name]

    def matrix(self, names: Sequence[str], dtype: type[np.generic]) -> Array:
        """Return these columns side by side, row-major; stacked once, then the columns are views into it."""
        key = tuple(names)
        matrix = self.existing_matrix(names)
        if matrix is None or matrix.dtype != dtype:
            matrix = stacked([self._columns[name] for name in key], self.rows, dtype)
            self._columns.update({name: matrix[:, j] for j, name in enumerate(key)})
            self._matrices[key] = matrix
        return matrix

    def existing_matrix(self, names: Sequence[str]) -> Array | None:
        """Return the matrix in which these columns lie side by side, of whatever type; None if they do not."""
        return self._matrices.get(tuple(names))

    def batches(self, schema: Schema) -> Iterator[Batch]:
        """Yield all rows in one batch, weights of 1."""
        has_classes = schema.target is not None and schema[schema.target].kind is Kind.NOMINAL
        target = self.column(schema.target or "") if has_classes else np.full(self.rows, MISSING, np.int32)
        yield Batch(
            start=0,
            codes=self.matrix([column.name for column in schema.nominal], np.int32),
            values=self.matrix([column.name for column in schema.numeric], np.float64),
            target=np.ascontiguousarray(target),
            weights=np.ones(self.rows),
            texts=tuple(self._columns[c.name] for c in schema.texts if c.name in self._columns),
        )

    def take(self, rows: NDArray[np.intp]) -> MemorySource:
        """Return the rows of these numbers, in that order; columns that lie in one matrix stay in one."""
        columns_taken: dict[str, Array] = {}
        matrices: dict[tuple[str, ...], Array] = {}
        for key, matrix in sorted(self._matrices.items(), key=lambda item: -len(item[0])):
            if columns_taken.keys().isdisjoint(key):
                matrices[key] = matrix.take(rows, axis=0)  # many times as quick as matrix[rows]
                columns_taken.update({name: matrices[key][:, j] for j, name in enumerate(key)})
        columns = {n: columns_taken[n] if n in columns_taken else column[rows] for n, column in self._columns.items()}
        source = MemorySource(columns, len(rows))
        source._matrices = matrices
        return source

    def with_columns(self, columns: Mapping[str, Array]) -> MemorySource:
        """Return the rows with columns added or replaced."""
        source = MemorySource({**self._columns, **columns}, self.rows)
        source._matrices = {key: matrix for key, matrix in self._matrices.items() if not set(key) & set(columns)}
        return source
