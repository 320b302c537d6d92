"""Progress on a terminal: one line that is gone when the work is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from crake.render.plain_text import visible

if TYPE_CHECKING:
    from crake.table.table import Table

Report = Callable[[str, int, int], None]


@contextmanager
def reported(*, wanted: bool) -> Iterator[Report | None]:
    """A function to report progress to, or None where nobody would see it."""
    if not wanted or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 (only a terminal needs it)
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)

        def report(text: str, done: int, total: int) -> None:
            progress.update(task, description=visible(text), completed=done, total=total)

        yield report


def telling(table: Table, report: Report | None) -> Table:
    """A table that is scanned tells how far it is."""
    if report is None or table.in_memory:
        return table
    return table.with_progress(lambda rows, total, *_: report(f"rows of {table.name}", rows, total))
