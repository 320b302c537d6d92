"""What every source of rows gives, and what a file that is scanned gives to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from crake.table.batch import Batch
    from crake.table.codes import Cells
    from crake.table.schema import Kind, Schema

Array = NDArray[Any]


class Source(Protocol):
    """Where the rows of a table are. Those of a scan have no `column`, `matrix` or `take`: they are never held."""

    @property
    def in_memory(self) -> bool:
        """Whether the rows are held in memory."""

    @property
    def rows(self) -> int:
        """How many rows there are."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that can be read."""

    def column(self, name: str) -> Array:
        """One column."""

    def matrix(self, names: Sequence[str], dtype: type[np.generic]) -> Array:
        """These columns side by side, row-major."""

    def take(self, rows: NDArray[np.intp]) -> Self:
        """The rows of these numbers, in that order."""

    def with_columns(self, columns: Mapping[str, Array]) -> Self:
        """The same rows with columns added or replaced."""

    def batches(self, schema: Schema) -> Iterator[Batch]:
        """The features and the target in consecutive rows, as kernels read them."""


@dataclass(frozen=True)
class Portion:
    """Consecutive rows of a file, from row `start` on: the cells of each column asked for.

    `bytes_read` says how much of the file is behind it, as far as that is known.
    """

    start: int
    rows: int
    columns: Mapping[str, Cells]
    bytes_read: int = 0


@dataclass(frozen=True)
class FileColumn:
    """A column as a file holds it; `kind` is None for a type that is neither names nor numbers.

    `declared`: its type brings the levels in their order. `is_time`: dates, read as milliseconds.
    """

    name: str
    kind: Kind | None
    type: str = ""
    declared: bool = False
    is_time: bool = False


class File(Protocol):
    """A file, a folder of files or a query that can be scanned from its first row as often as wanted."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def columns(self) -> tuple[FileColumn, ...]:
        """The columns, in the order of the file."""

    @property
    def rows(self) -> int:
        """How many rows there are."""

    @property
    def size(self) -> int:
        """Bytes on disk."""

    @property
    def loaded_size(self) -> int:
        """Bytes, about, that the rows would take in memory."""

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        """All rows in their order, of these columns only."""
