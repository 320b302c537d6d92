"""Kinds of the columns of a delimited text that is scanned, by the rules of a text that is loaded."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from crake.kernels.csv import cells
from crake.table.formats.csv.chunks import Chunk
from crake.table.formats.csv.columns import SEED, CodedColumn, NumericColumn
from crake.table.formats.csv.kinds import Columns
from crake.table.inference import MissingTokens, parse
from crake.table.sources.levels import refuse_many_levels


class Survey(Columns):
    """Decides every column as `Columns` does, but keeps only tallies and distinct texts."""

    def _numbers(self, index: int) -> NumericColumn:
        return TalliedColumn(index, self.options.missing)

    def _texts(self, index: int) -> CodedColumn:
        return CountedColumn(index, self.names[index])


class TalliedColumn(NumericColumn):
    """Tallies of a numeric column; the numbers themselves are forgotten."""

    def __init__(self, index: int, missing: MissingTokens) -> None:
        super().__init__(index, 0, missing)

    def add(self, chunk: Chunk) -> None:
        """Look at the cells of a chunk."""
        scratch = np.empty(chunk.rows)
        tally = parse(chunk.column(self.index), self.missing, scratch, np.empty(chunk.rows, np.uint8))
        with self._lock:
            self.tally.add(tally, chunk.first_row)

    def finish(self, rows: int) -> None:
        """Do nothing: no memory was used for rows."""


class CountedColumn(CodedColumn):
    """The distinct texts of a column, how often each occurs, and where first."""

    def __init__(self, index: int, name: str) -> None:
        super().__init__(index, 0)
        self._name = name
        self._found: dict[bytes, list[int]] = {}
        self._counting = threading.Lock()

    def add(self, chunk: Chunk) -> None:
        """Count the cells of a chunk: first among themselves, then among those of the whole column."""
        column = chunk.column(self.index)
        codes, firsts = np.empty(chunk.rows, np.int32), np.empty(chunk.rows, np.int32)
        distinct = cells.code_texts(column.data, column.starts, column.lengths, SEED, codes, firsts)
        texts = chunk.texts(self.index, firsts[:distinct])
        counts = np.bincount(codes, minlength=distinct).tolist()
        rows = (firsts[:distinct] + chunk.first_row).tolist()
        with self._counting:
            for text, count, row in zip(texts, counts, rows, strict=True):
                count_and_row = self._found.setdefault(text, [0, row])
                count_and_row[0] += count
                count_and_row[1] = min(count_and_row[1], row)
        refuse_many_levels(self._name, len(self._found))

    def finish(self, rows: int) -> None:
        """Return every text gets its code."""
        del rows
        self.distinct = list(self._found)

    def drop_missing(self, missing: MissingTokens) -> None:
        """Leave out the texts that mean missing."""
        self._found = {text: count_and_row for text, count_and_row in self._found.items() if text not in missing.texts}
        self.finish(0)

    def counts(self) -> NDArray[np.int64]:
        """Return the count of each distinct text."""
        return np.fromiter((count for count, _ in self._found.values()), np.int64, len(self._found))

    def first_row(self, chosen: NDArray[np.bool_]) -> int:
        """Return the first row whose text is among the chosen ones."""
        rows = [row for (_, row), is_chosen in zip(self._found.values(), chosen, strict=True) if is_chosen]
        return min(rows, default=-1)
