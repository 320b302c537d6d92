"""Progress of a run: steps for a bar, notes for a person. The default keeps silent."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crake.table.table import Table

Steps = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


class Progress:
    """Receiver of what a run has to say before its result; a subclass shows it.

    `steps` is None where nobody watches, so that nothing is counted in vain.
    """

    steps: Steps | None = None

    def note(self, text: str) -> None:
        """Receive a sentence that everybody should read."""

    def detail(self, text: str) -> None:
        """Receive a sentence for those who want to know more."""

    def notes(self, texts: Iterable[str], kind: str = "note") -> None:
        """Pass on several notes or warnings, each with its kind in front."""
        for text in texts:
            self.note(f"{kind}: {text}")

    def begin(self, text: str) -> None:
        """Say what is being done where nothing can be counted."""
        if self.steps is not None:
            self.steps(text, 0, 1)

    def over(self, name: str) -> Callable[[int, int], None] | None:
        """Return a function that counts under this name, or None where nobody watches."""
        steps = self.steps
        return None if steps is None else lambda done, total: steps(name, done, total)

    def watching(self, table: Table) -> Table:
        """Return the table; a scanned one reports how many rows were read."""
        steps = self.steps
        if steps is None or table.in_memory:
            return table
        return also_watched(table, lambda rows, total, *_: steps(f"rows of {table.name}", rows, total))


class Scans:
    """Counts how often the rows of a scan are read from the first to the last; a Spark session may read them itself.

    >>> scans = Scans()
    >>> for rows in (50, 100, 50, 100):
    ...     scans(rows, 100, 0, 0)
    >>> scans.number
    2
    """

    def __init__(self) -> None:
        self.number, self._last = 0, 0

    def __call__(self, rows: int, *_: int) -> None:
        """Receive how many rows have been read, and what else is reported."""
        self.number += rows <= self._last or not self._last
        self._last = rows


def also_watched(table: Table, watch: Callable[[int, int, int, int], None]) -> Table:
    """Return a scanned table that reports to this function, too."""
    from crake.table.sources.scanned_table import scan_of  # noqa: PLC0415 (only for scans)

    before = scan_of(table).progress
    if before is None:
        return table.with_progress(watch)

    def both(*what: int) -> None:
        before(*what)
        watch(*what)

    return table.with_progress(both)


def peak_of_process() -> int | None:
    """Return the most bytes that this process has held in memory, or None where the system does not tell."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), None)


SILENT = Progress()
