"""Progress on a terminal: one line that is gone when the work is done."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from crake.render.plain_text import shown, visible
from crake.workbench.progress import Progress

if TYPE_CHECKING:
    from crake.cli.output import Output

_TIMES, _PLACE, _SHORT_PLACE = 24, len(": learner 14 of 14, fold 10 of 10"), len(": 14/14, fold 10/10")
_LEAST_NAME, _LEAST_BAR, _BAR = 12, 3, 24
"""Cells of the times, of the words for the learner's place, and those that its name and the bar have in any case."""


class Steps:
    """The line of a run: what is being worked on, how far it is, the time that went by and the time left.

    >>> steps = Steps(ExitStack())
    >>> steps.learner(7, 11)
    >>> steps.line("logistic regression", 3, 10), Steps(ExitStack()).line("rows of a.csv", 1000, 5000)
    ('logistic regression: learner 7 of 11, fold 4 of 10', 'rows of a.csv: 1,000 of 5,000')
    """

    def __init__(self, stack: ExitStack) -> None:
        self.stack = stack
        self.number, self.of, self.room, self.is_narrow = 1, 1, 60, False
        self.bar: Any = None
        self.task: Any = None

    def learner(self, number: int, of: int) -> None:
        """Hear which learner of a comparison begins."""
        self.number, self.of = number, of

    def __call__(self, text: str, done: int, total: int) -> None:
        """Show how much is done; of a comparison, of all learners together."""
        if self.bar is None:
            from rich.console import Console  # noqa: PLC0415 (only a terminal needs it)

            self.bar = self.stack.enter_context(self.bar_on(Console(stderr=True)))
            self.task = self.bar.add_task("", total=None)
        # A bar at its end would stop the clock, while the work may go on.
        overall, most = (self.number - 1) * total + done, self.of * total
        line = visible(self.line(text, done, total))
        self.bar.update(self.task, description=line, completed=min(overall, most - 1e-6), total=most, refresh=True)

    def bar_on(self, console: Any) -> Any:
        """Return a bar and words that fit into a line, so that the times are not cut."""
        self.is_narrow = console.width < _TIMES + _PLACE + _LEAST_NAME + _LEAST_BAR
        beside = _TIMES + self.place
        cells = min(_BAR, max(_LEAST_BAR, console.width - beside - 20))
        self.room = max(_LEAST_NAME, console.width - beside - cells)
        return _bar(console, cells)

    @property
    def place(self) -> int:
        """Return the cells of the words for the learner's place."""
        return _SHORT_PLACE if self.is_narrow else _PLACE

    def line(self, text: str, done: int, total: int) -> str:
        """Return the words of the line; a fold is worked on while it is not done. A test table is no fold."""
        if self.of == 1:
            count = f": {done:,} of {total:,}" if total > 1 else ""
            return f"{shown(text, self.room + self.place - len(count))}{count}"
        if self.is_narrow:
            fold = f", fold {min(done + 1, total)}/{total}" if total > 1 else ""
            return f"{shown(text, self.room)}: {self.number}/{self.of}{fold}"
        fold = f", fold {min(done + 1, total)} of {total}" if total > 1 else ""
        return f"{shown(text, self.room)}: learner {self.number} of {self.of}{fold}"


class Terminal(Progress):
    """Notes on stderr and, where a person watches, a bar that begins with the first step."""

    def __init__(self, output: Output, stack: ExitStack, *, has_bar: bool) -> None:
        self.output = output
        if has_bar:
            self.steps = Steps(stack)

    def note(self, text: str) -> None:
        """Write a note to stderr."""
        self.output.note(text)

    def begin(self, text: str) -> None:
        """Show what is being done, with the clock; a comparison before it is over."""
        if isinstance(self.steps, Steps):
            self.steps.learner(1, 1)
        super().begin(text)

    def detail(self, text: str) -> None:
        """Write a note to stderr if `--verbose` is set."""
        self.output.detail(text)


@contextmanager
def working(output: Output, *, has_bar: bool = True, threads: int | None = None) -> Iterator[Terminal]:
    """Yield the progress of a run, with at most `threads` threads; the bar is gone afterwards."""
    with ExitStack() as stack:
        if threads is not None:
            from crake.kernels.threads import limited  # noqa: PLC0415 (numba only when there is work)

            stack.enter_context(limited(threads))
        yield Terminal(output, stack, has_bar=has_bar and not output.quiet and sys.stderr.isatty())


def _bar(console: Any, cells: int) -> Any:
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    columns = (
        BarColumn(bar_width=cells),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        TextColumn("· left"),
        TimeRemainingColumn(),
    )
    return Bar(*columns, console=console, transient=True)
