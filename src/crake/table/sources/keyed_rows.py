"""Folds by a key: the fold of a row follows from its value in one column, wherever and whenever the row is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from crake.table.codes import Cells
from crake.table.row_hash import hashes_of
from crake.table.sources.cell_hashes import label_numbers
from crake.table.sources.engine import PartitionTask
from crake.table.sources.file_around import FileAround
from crake.table.sources.protocol import FileColumn, Portion

Folds = NDArray[np.int32]


@dataclass(frozen=True)
class KeyHash:
    """The fold of a key: hash(key, seed) mod folds. Equal keys are in one fold; rows without a key are in one, too."""

    key: str
    folds: int
    seed: int

    def folds_of(self, cells: Cells) -> Folds:
        """Return the fold of each cell.

        >>> KeyHash("id", 3, 1).folds_of(np.array(["a", "b", "a", None], dtype=object)).tolist()
        [2, 1, 2, 2]
        >>> import pyarrow as pa
        >>> by_number = KeyHash("id", 10, 1)
        >>> by_number.folds_of(pa.array([7, 8, 7])).tolist() == by_number.folds_of(np.array([7.0, 8.0, 7.0])).tolist()
        True
        """
        hashes = hashes_of(label_numbers(cells), self.seed)
        return (hashes % np.uint64(self.folds)).astype(np.int32)


@dataclass(frozen=True, eq=False)
class FoldsOfRows:
    """The folds of the rows that were read, by their numbers: two bytes a row, four of more than 32,768 folds."""

    parts: list[tuple[int, NDArray[np.int16] | Folds]] = field(default_factory=list)

    def add(self, start: int, folds: Folds) -> None:
        """Keep the folds of the rows from `start` on; a scan that begins anew replaces those of the last."""
        if start == 0:
            self.parts.clear()
        self.parts.append((start, folds.astype(np.int16) if folds.max(initial=0) < 1 << 15 else folds))

    def __getitem__(self, rows: slice) -> Folds:
        """Return the folds of consecutive rows, all of which have been read."""
        fold = np.empty(rows.stop - rows.start, np.int32)
        for start, part in reversed(self.parts):
            first, last = max(start, rows.start), min(start + len(part), rows.stop)
            if first < last:
                fold[first - rows.start : last - rows.start] = part[first - start : last - start]
            if start <= rows.start:
                break
        return fold


@dataclass(frozen=True, eq=False)
class KeyedFile(FileAround):
    """A file whose scans tell the fold of each row by a key, which may be a column that learners do not read."""

    hash: KeyHash
    folds: FoldsOfRows

    @property
    def columns(self) -> tuple[FileColumn, ...]:
        """Return the columns of the file."""
        return self.file.columns

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        """Yield all rows in their order, of these columns and the key; their folds are kept."""
        for portion in self.file.portions(list(dict.fromkeys([*names, self.hash.key]))):
            self.folds.add(portion.start, self.hash.folds_of(portion.columns[self.hash.key]))
            yield portion

    @property
    def map_statistics(self) -> Callable[[PartitionTask, Sequence[str]], Sequence[bytes] | None] | None:
        """Return what runs a task where the rows are; None if the file runs none."""
        return getattr(self.file, "map_statistics", None)
