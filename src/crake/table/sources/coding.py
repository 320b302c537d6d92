"""The cells of a portion as arrays that kernels read: all of its rows, or only some of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from crake.arrays import Codes
from crake.kernels import threads
from crake.table import cells
from crake.table.batch import MISSING, Batch
from crake.table.codes import Cells, Coded
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.levels import Coder, OpenLevels, ScanLevels
from crake.table.sources.protocol import Array, Portion

Places = NDArray[np.intp]

FEW = 8
"""Coding a cell costs less than a kernel spends on one: of few rows, a column is done before a thread has taken it."""


class Coding:
    """The coders of one scan, one for each nominal column; `fixed`: the levels are known before the scan."""

    def __init__(
        self, schema: Schema, coder: Callable[[Column], Coder], *, fixed: bool, with_texts: bool = False
    ) -> None:
        self.nominal = [coder(column) for column in schema.nominal]
        self.numeric = schema.numeric
        target = None if schema.target is None else schema[schema.target]
        self.target = None if target is None or target.kind is not Kind.NOMINAL else coder(target)
        self.texts = schema.texts if with_texts else ()
        target_column = () if self.target is None else (self.target.column,)
        self.columns = (*schema.nominal, *self.numeric, *target_column, *self.texts)
        self.scan_levels = None if fixed else ScanLevels(_open_levels(self.nominal), _open_level(self.target))

    def batch(self, portion: Portion) -> Batch:
        """Return the portion as arrays; threads share out its columns."""
        target = np.full(portion.rows, MISSING, np.int32)
        own = [] if self.target is None else [(target, self.target)]
        codes, values = self._features(portion, None, own)
        texts = tuple(cells.texts(portion.columns[column.name]) for column in self.texts)
        return Batch(portion.start, codes, values, target, np.ones(portion.rows), self.scan_levels, texts)

    def classes(self, portion: Portion) -> Codes:
        """Return the target alone, of all rows of the portion."""
        if self.target is None:
            return np.full(portion.rows, MISSING, np.int32)
        return self.target.codes(portion.columns[self.target.column.name])

    def batch_of(self, portion: Portion, places: Places, classes: Codes) -> Batch:
        """Return only the rows at these places of the portion, given the classes of all its rows."""
        codes, values = self._features(portion, places, [])
        texts = tuple(cells.texts(cells_at(portion.columns[column.name], places)) for column in self.texts)
        return Batch(portion.start, codes, values, classes[places], np.ones(len(places)), self.scan_levels, texts)

    def _features(
        self, portion: Portion, places: Places | None, besides: list[tuple[Array, Coder]]
    ) -> tuple[Codes, NDArray[np.float64]]:
        """Return the features at these places (None: of all rows); `besides` are further tasks with their arrays."""
        rows = portion.rows if places is None else len(places)
        codes = np.empty((rows, len(self.nominal)), np.int32)
        values = np.empty((rows, len(self.numeric)))

        def code(task: tuple[Array, Coder | Column]) -> None:
            into, how = task
            name = how.column.name if isinstance(how, Coder) else how.name
            cells_of_rows = portion.columns[name] if places is None else cells_at(portion.columns[name], places)
            into[:] = (
                how.codes(cells_of_rows)
                if isinstance(how, Coder)
                else cells.numbers(cells_of_rows, name, portion.start, how.notation)
            )

        tasks: list[tuple[Array, Coder | Column]] = [
            *((codes[:, j], coder) for j, coder in enumerate(self.nominal)),
            *((values[:, j], column) for j, column in enumerate(self.numeric)),
            *besides,
        ]
        threads.each(code, tasks, rows * FEW)
        return codes, values


def cells_at(values: Cells, places: Places) -> Cells:
    """Return some cells of a column, in the order of their places.

    >>> cells_at(pa.array(["a", None, "b"]), np.array([2, 0])).to_pylist()
    ['b', 'a']
    """
    if isinstance(values, Coded):
        return replace(values, codes=values.codes[places], ordered=False)
    return values[places] if isinstance(values, np.ndarray) else values.take(pa.array(places))


def _open_levels(coders: list[Coder]) -> tuple[OpenLevels, ...]:
    return tuple(coder for coder in coders if isinstance(coder, OpenLevels))


def _open_level(coder: Coder | None) -> OpenLevels | None:
    return coder if isinstance(coder, OpenLevels) else None
