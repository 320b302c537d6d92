"""The first run compiles the kernels: a note says why it takes long."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crake.table.table import Table
    from crake.workbench.progress import Progress

READING_SECONDS = 5
COMPARING_SECONDS = 40
"""Measured once on two cores, rounded up; the next run starts at once."""


def note_compiling(progress: Progress, seconds: int = COMPARING_SECONDS) -> None:
    """Note that kernels are compiled, if no earlier run left compiled ones and this one needs any."""
    from crake.kernels import before_numba, cache  # noqa: PLC0415 (numpy only when there is work)

    def note() -> None:
        if not cache.is_compiled():
            _note(progress, seconds)

    before_numba(note)


def compile_for_comparing(progress: Progress, table: Table) -> None:
    """Compile the kernels of all learners for such a table, in two processes, before any time is taken."""
    from crake.evaluation.protocol import first_compile  # noqa: PLC0415 (numpy only when there is work)

    kinds = first_compile.missing_kinds(table.schema)
    if kinds:
        _note(progress, COMPARING_SECONDS)
        first_compile.compile_in_two(kinds)


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
