"""Rows that are never held: read portion by portion, coded, handed on as batches, forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from crake.errors import DataError
from crake.kernels import threads
from crake.table import cells
from crake.table.batch import MISSING, Batch
from crake.table.levels_met import Coder, FixedLevels, LevelsMet, Met, WholeNumbers
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.ahead import ahead
from crake.table.sources.source import Array, File, Portion

Progress = Callable[[int, int, int, int], None]
"""Called with the rows read, all rows, the bytes read, all bytes."""


@dataclass(frozen=True)
class Scan:
    """A file as the source of a table.

    While the levels are not `fixed` each scan meets them on its way and its batches say so (`Batch.met`); under the
    schema of a model they are fixed. `whole` names a numeric target whose few whole numbers are classes.
    With `known_only` rows of unknown class are left out and the others numbered anew, as if the file had not had them.
    """

    file: File
    fixed: bool = False
    whole: str | None = None
    known_only: bool = False
    progress: Progress | None = None
    in_memory: bool = False

    @property
    def rows(self) -> int:
        """How many rows the file has."""
        return self.file.rows

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the file."""
        return tuple(column.name for column in self.file.columns)

    def column(self, name: str) -> Array:
        """Refused: a column may be larger than memory."""
        self._refuse(f"the whole column {name!r}")

    def matrix(self, names: Sequence[str], dtype: type[np.generic]) -> Array:
        """Refused."""
        del names, dtype
        self._refuse("all rows at once")

    def take(self, rows: NDArray[np.intp]) -> Self:
        """Refused."""
        del rows
        self._refuse("rows by their numbers")

    def with_columns(self, columns: Mapping[str, Array]) -> Self:
        """Refused."""
        self._refuse(f"the whole column {next(iter(columns), '')!r}")

    def batches(self, schema: Schema) -> Iterator[Batch]:
        """The rows under this schema, in batches of the sizes the file gives."""
        start = 0
        for portion, batch in ahead(self._coded(schema)):
            if self.known_only:
                batch = _known(batch, start)  # noqa: PLW2901
                start += batch.rows
            yield batch
            if self.progress is not None:
                self.progress(portion.start + portion.rows, self.rows, portion.bytes_read, self.file.size)

    def _coded(self, schema: Schema) -> Iterator[tuple[Portion, Batch]]:
        coding = _Coding(self, schema)
        for portion in self.file.portions([column.name for column in coding.columns]):
            yield portion, coding.batch(portion)

    def _refuse(self, what: str) -> NoReturn:
        raise DataError(
            f"{self.file.name} is scanned, not held in memory, and this needs {what}; take a sample of the rows: "
            "table.sample(100_000), or read it with in_memory=True if it fits"
        )


class _Coding:
    """The coders of one scan, one for each nominal column."""

    def __init__(self, scan: Scan, schema: Schema) -> None:
        self.nominal = [_coder(scan, column) for column in schema.nominal]
        self.numeric = schema.numeric
        target = None if schema.target is None else schema[schema.target]
        self.target = None if target is None or target.kind is not Kind.NOMINAL else _coder(scan, target)
        self.columns = (*schema.nominal, *self.numeric, *([] if self.target is None else [self.target.column]))
        self.met = None if scan.fixed else Met(_levels_met(self.nominal), _one_met(self.target))

    def batch(self, portion: Portion) -> Batch:
        """The portion as arrays; threads share out its columns."""
        rows = portion.rows
        codes = np.empty((rows, len(self.nominal)), np.int32)
        values = np.empty((rows, len(self.numeric)))
        target = np.full(rows, MISSING, np.int32)

        def code(task: tuple[Array, Coder | Column]) -> None:
            into, how = task
            if isinstance(how, Coder):
                into[:] = how.codes(portion.columns[how.column.name])
            else:
                into[:] = cells.numbers(portion.columns[how.name], how.name, portion.start)

        tasks: list[tuple[Array, Coder | Column]] = [
            *((codes[:, j], coder) for j, coder in enumerate(self.nominal)),
            *((values[:, j], column) for j, column in enumerate(self.numeric)),
            *([] if self.target is None else [(target, self.target)]),
        ]
        threads.each(code, tasks)
        return Batch(portion.start, codes, values, target, np.ones(rows), self.met)


def _coder(scan: Scan, column: Column) -> Coder:
    if scan.fixed:
        return FixedLevels(column)
    return WholeNumbers(column) if column.name == scan.whole else LevelsMet(column)


def _levels_met(coders: list[Coder]) -> tuple[LevelsMet, ...]:
    return tuple(coder for coder in coders if isinstance(coder, LevelsMet))


def _one_met(coder: Coder | None) -> LevelsMet | None:
    return coder if isinstance(coder, LevelsMet) else None


def _known(batch: Batch, start: int) -> Batch:
    known = batch.target >= 0
    if known.all():
        return replace(batch, start=start)
    return replace(
        batch,
        start=start,
        codes=batch.codes[known],
        values=batch.values[known],
        target=batch.target[known],
        weights=batch.weights[known],
    )
