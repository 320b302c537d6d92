"""Rows of a scan: read portion by portion, coded, handed on as batches, forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

import numpy as np
import pyarrow as pa

from crake.arrays import Codes
from crake.table.batch import Batch, Values
from crake.table.schema import Column, Schema
from crake.table.sources.coding import Coding, Places
from crake.table.sources.counting import Counted, CountingFile, Keys, counted
from crake.table.sources.levels import Coder, FixedLevels, OpenLevels, WholeNumbers
from crake.table.sources.protocol import File, Portion
from crake.table.sources.read_ahead import ahead

Progress = Callable[[int, int, int, int], None]
"""Called with the rows read, all rows, the bytes read, all bytes."""


class HasPlaces(Protocol):
    """A choice of rows of a portion, with whatever else the one who chose them wants to remember."""

    @property
    def places(self) -> Places:
        """Return the places of the rows in the portion."""


Choice = TypeVar("Choice", bound=HasPlaces)


@dataclass(frozen=True)
class Scan:
    """A file as the source of a table.

    While the levels are not `fixed` each scan meets them on its way, and its batches hold them (`Batch.scan_levels`);
    under the schema of a model they are fixed. `whole` names a numeric target whose few whole numbers are classes.
    With `texts` the batches have the text columns too.
    `memory` is the most bytes that the process may take while a learner goes through the rows; None leaves it to crake.
    With `known_only` rows of unknown class are left out and the others numbered anew, as if the file had not had them.
    `weights` has one weight for each row of the file; without it all weigh 1.
    """

    file: File
    fixed: bool = False
    whole: str | None = None
    known_only: bool = False
    progress: Progress | None = None
    texts: bool = False
    memory: int | None = None
    weights: Values | None = field(default=None, compare=False)

    @property
    def rows(self) -> int:
        """Return the number of rows of the file."""
        return self.file.rows

    @property
    def names(self) -> tuple[str, ...]:
        """Return the columns of the file."""
        return tuple(column.name for column in self.file.columns)

    def batches(self, schema: Schema) -> Iterator[Batch]:
        """Yield the rows under this schema, in batches of the sizes the file gives."""
        start = 0
        for portion, batch in ahead(self._coded(schema)):
            if self.weights is not None:
                batch = replace(batch, weights=self.weights[batch.start : batch.start + batch.rows])  # noqa: PLW2901
            if self.known_only:
                batch = known_part(batch, start)  # noqa: PLW2901
                start += batch.rows
            yield batch
            self._tell(portion)
        if self.memory is not None:  # threads that end leave what they read in; scan after scan it would add up
            pa.default_memory_pool().release_unused()

    def chosen(self, schema: Schema, choose: Callable[[int, Codes], Choice]) -> Iterator[tuple[Choice, Batch]]:
        """Yield some rows only: `choose` sees the first row's number and the classes of a portion before it is coded.

        Where few rows are wanted, most of what a scan costs beside reading is saved.
        """
        for portion, choice, batch in ahead(self._chosen(schema, choose)):
            yield choice, batch
            self._tell(portion)

    @property
    def engine(self) -> File | None:
        """Return the file, which may do more than give its rows (see `Engine`); None where its rows come anyway."""
        return self.file

    def count(self, schema: Schema, keys: Keys) -> Counted | None:
        """Return counts that the file takes by itself, under this schema, or None if rows must be read."""
        if not isinstance(self.file, CountingFile):
            return None
        result = counted(self.file, schema, keys, lambda column: _coder(self, column), fixed=self.fixed)
        if result is not None and self.progress is not None:
            self.progress(self.rows, self.rows, self.file.size, self.file.size)
        return result

    def _coded(self, schema: Schema) -> Iterator[tuple[Portion, Batch]]:
        coding = self._coding(schema)
        for portion in self._portions(coding):
            yield portion, coding.batch(portion)

    def _chosen(
        self, schema: Schema, choose: Callable[[int, Codes], Choice]
    ) -> Iterator[tuple[Portion, Choice, Batch]]:
        coding, start = self._coding(schema), 0
        for portion in self._portions(coding):
            classes = coding.classes(portion)
            known = np.flatnonzero(classes >= 0) if self.known_only else np.arange(portion.rows)
            choice = choose(start, classes[known])
            yield portion, choice, coding.batch_of(portion, known[choice.places], classes)
            start += len(known)

    def _portions(self, coding: Coding) -> Iterator[Portion]:
        """Read while the portion before is coded, as that is coded while the one before it is used."""
        return ahead(self.file.portions([column.name for column in coding.columns]))

    def _coding(self, schema: Schema) -> Coding:
        return Coding(schema, lambda column: _coder(self, column), fixed=self.fixed, with_texts=self.texts)

    def _tell(self, portion: Portion) -> None:
        if self.progress is not None:
            self.progress(portion.start + portion.rows, self.rows, portion.bytes_read, self.file.size)


def _coder(scan: Scan, column: Column) -> Coder:
    if scan.fixed:
        return FixedLevels(column)
    return WholeNumbers(column) if column.name == scan.whole else OpenLevels(column)


def known_part(batch: Batch, start: int) -> Batch:
    """Return the rows of a batch whose class is known, numbered from `start` on."""
    known = batch.target >= 0
    if known.all():
        return replace(batch, start=start)
    return replace(batch.take(np.flatnonzero(known)), start=start)
