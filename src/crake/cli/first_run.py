"""The first run compiles the kernels; whoever waits is told why."""

from __future__ import annotations

from pathlib import Path

from crake.cli.output import Output
from crake.cli.requests.table import Reading

READING_SECONDS = 5
COMPARING_SECONDS = 20
"""Measured once on two cores, rounded up; the next run starts at once."""


def say_if_compiling(output: Output, seconds: int) -> None:
    """One note if no earlier run left compiled kernels."""
    from crake import kernels  # noqa: PLC0415 (numba only when there is work)

    if not kernels.are_compiled():
        _say(output, seconds)


def compile_for_comparing(output: Output) -> None:
    """On the first run the kernels of all learners, in two processes at the same time; before any time is taken."""
    from crake import kernels  # noqa: PLC0415
    from crake.evaluation.protocol import first_compile  # noqa: PLC0415

    if not (kernels.are_compiled() and first_compile.is_complete()):
        _say(output, COMPARING_SECONDS)
        first_compile.compile_in_two()


def _say(output: Output, seconds: int) -> None:
    output.note(f"first run: compiling kernels, about {seconds} s")


def say_if_reading_compiles(output: Output, reading: Reading) -> None:
    """The same for reading alone: bundled examples, ARFF and Parquet are read without kernels."""
    name = reading.source.lower().removesuffix(".gz")
    if reading.source == "-" or (Path(reading.source).is_file() and not name.endswith((".arff", ".parquet"))):
        say_if_compiling(output, READING_SECONDS)
