"""The base of files that change the columns or portions of another file."""

from __future__ import annotations

from dataclasses import dataclass

from crake.table.sources.protocol import File


@dataclass(frozen=True, eq=False)
class FileAround:
    """A file whose columns or portions are changed on their way; its name and sizes stay."""

    file: File

    @property
    def name(self) -> str:
        """Return the name for messages."""
        return self.file.name

    @property
    def has_row_numbers(self) -> bool:
        """Return whether the rows come in one order, by which they have numbers."""
        return getattr(self.file, "has_row_numbers", True)

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return self.file.rows

    @property
    def size(self) -> int:
        """Return the bytes on disk."""
        return self.file.size

    @property
    def loaded_size(self) -> int:
        """Return about how many bytes the rows would take in memory."""
        return self.file.loaded_size
