"""Progress on a terminal: one line that is gone when the work is done."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from crake.render.plain_text import visible
from crake.workbench.progress import Progress

if TYPE_CHECKING:
    from crake.cli.output import Output


class Terminal(Progress):
    """Notes on stderr and, where a person watches, a bar that begins with the first step."""

    def __init__(self, output: Output, stack: ExitStack, *, has_bar: bool) -> None:
        self.output, self.stack = output, stack
        self.bar: Any = None
        self.task: Any = None
        if has_bar:
            self.steps = self._step

    def note(self, text: str) -> None:
        """Write a note to stderr."""
        self.output.note(text)

    def detail(self, text: str) -> None:
        """Write a note to stderr if `--verbose` is set."""
        self.output.detail(text)

    def _step(self, text: str, done: int, total: int) -> None:
        if self.bar is None:
            self.bar = self.stack.enter_context(_bar())
            self.task = self.bar.add_task("", total=None)
        self.bar.update(self.task, description=visible(text), completed=done, total=total)


@contextmanager
def working(output: Output, *, has_bar: bool = True, threads: int | None = None) -> Iterator[Terminal]:
    """Yield the progress of a run, with at most `threads` threads; the bar is gone afterwards."""
    with ExitStack() as stack:
        if threads is not None:
            from crake.kernels.threads import limited  # noqa: PLC0415 (numba only when there is work)

            stack.enter_context(limited(threads))
        yield Terminal(output, stack, has_bar=has_bar and not output.quiet and sys.stderr.isatty())


def _bar() -> Any:
    from rich.console import Console  # noqa: PLC0415 (only a terminal needs it)
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    columns = (
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    return Bar(*columns, console=Console(stderr=True), transient=True)
