"""The first run compiles the kernels: a note says why it takes long."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from crake.workbench.models import has_numeric_target

if TYPE_CHECKING:
    from crake.table.table import Table
    from crake.workbench.progress import Progress

READING_SECONDS = 5
COMPARING_SECONDS = 15
LARGE_SECONDS = 25
"""Measured on two cores, rounded up, for all learners: small and large tables. The next run starts at once."""


def note_compiling(progress: Progress, seconds: int = COMPARING_SECONDS) -> None:
    """Note that kernels are compiled, if no earlier run left compiled ones and this one needs any."""
    from crake.kernels import before_numba, cache  # noqa: PLC0415 (numpy only when there is work)

    def note() -> None:
        if not cache.is_compiled():
            _note(progress, seconds)

    before_numba(note)


def compile_for_comparing(progress: Progress, table: Table, learners: Sequence[str]) -> None:
    """Compile the kernels of these learners for such a table, in two processes, before any time is taken."""
    from crake.evaluation.protocol import first_compile  # noqa: PLC0415 (numpy only when there is work)

    if has_numeric_target(table):  # regressors compile less, each when it is fitted
        return
    tasks = first_compile.missing_tasks(table, learners)
    if tasks:
        _note(progress, LARGE_SECONDS if any(task.is_hot for task in tasks) else COMPARING_SECONDS)
        first_compile.compile_in_two(tasks)


def note_predicting_compiles(progress: Progress) -> None:
    """Note that reading a table and predicting its rows compiles kernels, if they do."""
    note_compiling(progress, READING_SECONDS)


def note_reading_compiles(progress: Progress, source: str) -> None:
    """Note that reading compiles kernels, if it does; bundled examples, ARFF and Parquet are read without any."""
    name = source.lower().removesuffix(".gz")
    if source == "-" or (Path(source).is_file() and not name.endswith((".arff", ".parquet"))):
        note_compiling(progress, READING_SECONDS)


def _note(progress: Progress, seconds: int) -> None:
    progress.note(f"first run: compiling kernels, about {seconds} s")
