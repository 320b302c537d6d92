"""Protocols of a table's rows (`Source`) and of a file that can be scanned (`File`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from numpy.typing import NDArray

if TYPE_CHECKING:
    from crake.table.batch import Batch
    from crake.table.codes import Cells
    from crake.table.schema import Kind, Schema

Array = NDArray[Any]


class Source(Protocol):
    """The rows of a table, read batch by batch. `MemorySource` also gives columns and rows by number; a scan cannot."""

    @property
    def rows(self) -> int:
        """Return the number of rows."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns that can be read."""

    def batches(self, schema: Schema) -> Iterator[Batch]:
        """Yield the features and the target in consecutive rows, as kernels read them."""


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

    `declared`: its type brings the levels in their order. `is_time`: its type holds dates.
    `notation`: how its numbers are written, see `Column`.
    """

    name: str
    kind: Kind | None
    type: str = ""
    declared: bool = False
    is_time: bool = False
    notation: str = ""


class File(Protocol):
    """A file, a folder of files or a query that can be scanned from its first row as often as wanted."""

    @property
    def name(self) -> str:
        """Return the name for messages."""

    @property
    def columns(self) -> tuple[FileColumn, ...]:
        """Return the columns, in the order of the file."""

    @property
    def rows(self) -> int:
        """Return the number of rows."""

    @property
    def size(self) -> int:
        """Return the bytes on disk."""

    @property
    def loaded_size(self) -> int:
        """Return about how many bytes the rows would take in memory."""

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        """Yield all rows in their order, of these columns only."""
