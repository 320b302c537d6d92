"""Progress of a run: steps for a bar, notes for a person. The default keeps silent."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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

    def over(self, name: str) -> Callable[[int, int], None] | None:
        """Return a function that counts under this name, or None where nobody watches."""
        steps = self.steps
        return None if steps is None else lambda done, total: steps(name, done, total)

    def watching(self, table: Table) -> Table:
        """Return the table; a scanned one reports how many rows were read."""
        steps = self.steps
        if steps is None or table.in_memory:
            return table
        return table.with_progress(lambda rows, total, *_: steps(f"rows of {table.name}", rows, total))


SILENT = Progress()
