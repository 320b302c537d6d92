"""The options that commands share, each declared once."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

READING, RUNNING, SHOWING = "Reading the table", "Running", "Showing the result"


class BadRows(StrEnum):
    """What to do with rows that have too many or too few fields."""

    ERROR = "error"
    SKIP = "skip"


SourceArgument = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A file (csv, tsv, arff, also .gz; parquet, duckdb), a folder or pattern of parquet files, - for standard "
        "input, or the name of an example.",
        show_default=False,
    ),
]
TargetOption = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict.", rich_help_panel=READING),
]
NominalOption = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMNS", help="Read as names: a,b or given again.", rich_help_panel=READING),
]
NumericOption = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMNS", help="Read as numbers: a,b or given again.", rich_help_panel=READING),
]
TextOption = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMNS", help="Read as running text: a,b or given again.", rich_help_panel=READING),
]
IgnoreOption = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMNS", help="Leave out: a,b or given again.", rich_help_panel=READING),
]
MissingOption = Annotated[
    list[str] | None,
    typer.Option(metavar="TEXT", help="What stands for a missing value; may be given again.", rich_help_panel=READING),
]
DelimiterOption = Annotated[
    str | None,
    typer.Option(metavar="CHARACTER", help="Between fields; found out if not given.", rich_help_panel=READING),
]
DecimalOption = Annotated[
    str,
    typer.Option(metavar="CHARACTER", help="Before the fraction of a number: . or ,", rich_help_panel=READING),
]
EncodingOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Of the file, such as latin-1; UTF-8 if not given.", rich_help_panel=READING),
]
BadRowsOption = Annotated[BadRows, typer.Option(help="Rows with too many or too few fields.", rich_help_panel=READING)]
TableOption = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="Of a .duckdb file: this table or view.", rich_help_panel=READING),
]
QueryOption = Annotated[
    str | None,
    typer.Option("--query", metavar="SELECT", help="Of a .duckdb file: the rows of a query.", rich_help_panel=READING),
]
SampleOption = Annotated[
    int | None,
    typer.Option(min=1, metavar="ROWS", help="Only so many of the rows, drawn at random.", rich_help_panel=READING),
]
SampleSeedOption = Annotated[int, typer.Option("--seed", min=0, help="For --sample.", rich_help_panel=READING)]
MaxBytesOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="BYTES",
        help="Most a packed file may unfold to; 64 MB or 200 × its size.",
        rich_help_panel=READING,
    ),
]
UntrustedOption = Annotated[
    bool,
    typer.Option(
        "--untrusted",
        help="Read the file in a process of its own, with limits on memory and time.",
        rich_help_panel=READING,
    ),
]
MaxMemoryOption = Annotated[
    int,
    typer.Option(min=1, metavar="MB", help="With --untrusted: memory for reading the file.", rich_help_panel=READING),
]
MaxSecondsOption = Annotated[
    float,
    typer.Option(
        min=0.001, metavar="SECONDS", help="With --untrusted: time for reading the file.", rich_help_panel=READING
    ),
]
ThreadsOption = Annotated[
    int | None, typer.Option(min=1, help="At most so many; all cores if not given.", rich_help_panel=RUNNING)
]
SeedOption = Annotated[
    int, typer.Option(min=0, help="For the folds, the learners and --sample.", rich_help_panel=RUNNING)
]
PLANS = (
    "cv10 (or another number of folds), 10xcv10 (repeated), loo, holdout, subsampling10, bootstrap632+, bootstrap632, "
    "bootstrap632-lecture, bootstrap, grouped10:COLUMN, time5:COLUMN, resubstitution"
)
PlanOption = Annotated[
    str, typer.Option(metavar="PLAN", help=f"How rows are tested: {PLANS}.", rich_help_panel=RUNNING)
]
CostOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="What errors cost, as CSV: what was called in the first row, what it is in the first column.",
        rich_help_panel=RUNNING,
    ),
]
TestOption = Annotated[
    str | None,
    typer.Option(
        "--test",
        metavar="TABLE",
        help="Learn from the one table, test on this one; instead of a plan.",
        rich_help_panel=RUNNING,
    ),
]
PositiveOption = Annotated[
    str | None,
    typer.Option(metavar="CLASS", help="AUC and F1 of this class instead of all, weighted.", rich_help_panel=RUNNING),
]
ModelArgument = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file, as crake train writes it.", show_default=False)
]
MAX_MEMORY, MAX_SECONDS = 2048, 60.0
"""Megabytes and seconds that reading a file may take with --untrusted, unless told otherwise."""

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.", rich_help_panel=SHOWING)]
HtmlOption = Annotated[
    Path | None,
    typer.Option(
        "--html", metavar="FILE", help="Also write one HTML file; - prints it instead.", rich_help_panel=SHOWING
    ),
]
ReportOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Also write the report as .html, .md, .json or .txt, whichever FILE ends in.",
        rich_help_panel=SHOWING,
    ),
]
ShowRowsOption = Annotated[
    bool,
    typer.Option(
        "--show-rows",
        help="Work three rows by hand in the report, which then shows their cells.",
        rich_help_panel=SHOWING,
    ),
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="No notes on stderr, only errors.", rich_help_panel=SHOWING)
]
VerboseOption = Annotated[bool, typer.Option("--verbose", "-v", help="More notes on stderr.", rich_help_panel=SHOWING)]
NoProgressOption = Annotated[bool, typer.Option("--no-progress", help="No progress bar.", rich_help_panel=SHOWING)]
DebugOption = Annotated[bool, typer.Option("--debug", help="Print a traceback with an error.", rich_help_panel=SHOWING)]


def names(given: Iterable[str] | None) -> tuple[str, ...]:
    """Column names from an option given any number of times, each time with one or more names.

    A name that holds a comma is put in double quotes.

    >>> names(["a,b", '"last, first"', " c "])
    ('a', 'b', 'last, first', 'c')
    """
    split = csv.reader(given or (), skipinitialspace=True)
    return tuple(name.strip() for row in split for name in row if name.strip())
