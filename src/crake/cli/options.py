"""The options that commands share, each declared once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from crake.plans.forms import FORMS

READING, RUNNING, SHOWING = "Reading the table", "Running", "Showing the result"


class BadRows(StrEnum):
    """Choices for rows that have too many or too few fields."""

    ERROR = "error"
    SKIP = "skip"


SourceArgument = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A file (csv, tsv, arff, json, jsonl, also packed: gz, bz2, xz, zst, zip; xlsx, ods, parquet, feather, "
        "sqlite, duckdb), a folder or pattern of parquet files, an "
        "address (postgresql://host/shop), - for standard input, or the name of an example.",
        show_default=False,
    ),
]
OptionalSourceArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="TABLE",
        help="The table that the model was fitted on, named as for other commands. Only --split needs it.",
        show_default=False,
    ),
]
TargetOption = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COLUMN",
        help="Predict this column: a name, last, or a position (1 is the first) [the last column, if it can be one].",
        rich_help_panel=READING,
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="Read the file as csv, arff, xlsx, ods, json, parquet, arrow, sqlite or duckdb [default: by its ending].",
        rich_help_panel=READING,
    ),
]
NominalOption = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMNS", help="Read these columns as names: a,b or repeat it.", rich_help_panel=READING),
]
NumericOption = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMNS", help="Read these columns as numbers: a,b or repeat it.", rich_help_panel=READING),
]
TextOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS", help="Read these columns as running text: a,b or repeat it.", rich_help_panel=READING
    ),
]
IgnoreOption = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMNS", help="Leave these columns out: a,b or repeat it.", rich_help_panel=READING),
]
KeepOption = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="COLUMNS",
        help="Keep these columns, even ids, constants and copies of the target: a,b or repeat it.",
        rich_help_panel=READING,
    ),
]
DatePartsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--date-parts",
        metavar="COLUMNS",
        help="Add year, month and weekday of these dates as columns, or none [default: those that come again].",
        rich_help_panel=READING,
    ),
]
MissingOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT", help="Read this text as a missing value; repeat it for more.", rich_help_panel=READING
    ),
]
DelimiterOption = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER",
        help="Split fields at this character, or at runs of blanks [default: detected].",
        rich_help_panel=READING,
    ),
]
DecimalOption = Annotated[
    str,
    typer.Option(
        metavar="CHARACTER", help="Read this character, . or , as the decimal point.", rich_help_panel=READING
    ),
]
EncodingOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Decode the file so, for example latin-1 [default: UTF-8].", rich_help_panel=READING
    ),
]
BadRowsOption = Annotated[
    BadRows, typer.Option(help="Stop at, or skip, rows with too many or too few fields.", rich_help_panel=READING)
]
HeaderOption = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Take the first row as names, or as data [default: found out].",
        rich_help_panel=READING,
    ),
]
NamesOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", help="Name the columns: a,b,c or repeat it.", rich_help_panel=READING),
]
SkipRowsOption = Annotated[
    int, typer.Option(min=0, metavar="LINES", help="Pass over the first LINES lines.", rich_help_panel=READING)
]
CommentOption = Annotated[
    str | None,
    typer.Option(metavar="CHARACTER", help="Pass over lines that begin with this character.", rich_help_panel=READING),
]
QuoteOption = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER",
        help="Read fields inside these quotes, \" or ' [default: detected].",
        rich_help_panel=READING,
    ),
]
WidthsOption = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBERS",
        help="Cut each line into columns of these numbers of characters: 3,5,2.",
        rich_help_panel=READING,
    ),
]
DatesOption = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        help="Read dates by ymd, dmy or mdy; text keeps them as names [default: found out].",
        rich_help_panel=READING,
    ),
]
TableOption = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="Read this table or view of a database.", rich_help_panel=READING),
]
QueryOption = Annotated[
    str | None,
    typer.Option(
        "--query", metavar="SELECT", help="Read the rows of this query on a database.", rich_help_panel=READING
    ),
]
SheetOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Read this sheet of a workbook, by name or number [default: the first].",
        rich_help_panel=READING,
    ),
]
MemberOption = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Read this file of a zip archive.", rich_help_panel=READING),
]
SampleOption = Annotated[
    int | None, typer.Option(min=1, metavar="ROWS", help="Use a random sample of ROWS rows.", rich_help_panel=READING)
]
MemoryOption = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Scan the table and keep the process below this memory, such as 2GB [default: tables up to 1 GB are "
        "loaded].",
        rich_help_panel=RUNNING,
    ),
]
SampleSeedOption = Annotated[
    int, typer.Option("--seed", min=0, help="Seed of the random sample.", rich_help_panel=READING)
]
MaxBytesOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="BYTES",
        help="Maximum size of a compressed file after unpacking [default: 64 MB or 200 × its size].",
        rich_help_panel=READING,
    ),
]
UntrustedOption = Annotated[
    bool,
    typer.Option(
        "--untrusted",
        help="Read the file in a separate process, with limits on memory and time.",
        rich_help_panel=READING,
    ),
]
MaxMemoryOption = Annotated[
    int, typer.Option(min=1, metavar="MB", help="Maximum memory of --untrusted.", rich_help_panel=READING)
]
MaxSecondsOption = Annotated[
    float, typer.Option(min=0.001, metavar="SECONDS", help="Maximum time of --untrusted.", rich_help_panel=READING)
]
ThreadsOption = Annotated[
    int | None, typer.Option(min=1, help="Number of threads [default: all cores].", rich_help_panel=RUNNING)
]
SeedOption = Annotated[
    int, typer.Option(min=0, help="Seed of the folds, the learners and --sample.", rich_help_panel=RUNNING)
]
FailUnderOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MEASURE=NUMBER",
        help="Exit with 1 if a measure is below this, such as recall=0.8; repeat it for more.",
        rich_help_panel=RUNNING,
    ),
]
FailOverOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MEASURE=NUMBER",
        help="Exit with 1 if a loss or cost is above this, such as brier=0.2; repeat it for more.",
        rich_help_panel=RUNNING,
    ),
]
PlanOption = Annotated[str, typer.Option(metavar="PLAN", help=f"Test rows by {FORMS}.", rich_help_panel=RUNNING)]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set a parameter of the learner, or of an ensemble's members: estimator=cart, estimator.max_depth=3; "
        "repeat it for more.",
        rich_help_panel=RUNNING,
    ),
]
CostOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Read the costs of errors from a CSV file: one row per actual class, one column per predicted class.",
        rich_help_panel=RUNNING,
    ),
]
MeasureOption = Annotated[
    str | None,
    typer.Option(
        "--measure",
        metavar="NAME",
        help="Rank by this measure, such as auc, average-precision, f1, balanced-accuracy, mcc, log-loss, brier or "
        "cost [default: accuracy; AUC if a class is rare; cost if costs are given].",
        rich_help_panel=RUNNING,
    ),
]
SelectOption = Annotated[
    str | None,
    typer.Option(
        "--select",
        metavar="METHOD",
        help="Choose columns within each training part: cfs, mutual-information, chi-square or wrapper "
        "[default: all columns].",
        rich_help_panel=RUNNING,
    ),
]
BalanceOption = Annotated[
    str | None,
    typer.Option(
        "--balance",
        metavar="SAMPLER",
        help="Balance the classes of each training part: under, over, weights, smote, perturb or gan; tested rows stay "
        "as they are [default: none].",
        rich_help_panel=RUNNING,
    ),
]
TestOption = Annotated[
    str | None,
    typer.Option("--test", metavar="TABLE", help="Test on this table, instead of by a plan.", rich_help_panel=RUNNING),
]
PositiveOption = Annotated[
    str | None,
    typer.Option(
        metavar="CLASS",
        help="Measure AUC, F1, precision and recall of this class [default: the mean of all, weighted].",
        rich_help_panel=RUNNING,
    ),
]
ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model file, written by crake train.", show_default=False)
]

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.", rich_help_panel=SHOWING)]
PythonOption = Annotated[
    bool,
    typer.Option(
        "--python", help="Print the Python lines that do the same, instead of running.", rich_help_panel=SHOWING
    ),
]
HtmlOption = Annotated[
    Path | None,
    typer.Option(
        "--html", metavar="FILE", help="Write one HTML file too; - prints it instead.", rich_help_panel=SHOWING
    ),
]
ReportOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Write the report too, as .html, .md, .json or .txt; repeat it for more.",
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
    bool, typer.Option("--quiet", "-q", help="Print no notes on stderr, only errors.", rich_help_panel=SHOWING)
]
VerboseOption = Annotated[
    bool, typer.Option("--verbose", "-v", help="Print more notes on stderr.", rich_help_panel=SHOWING)
]
NoProgressOption = Annotated[bool, typer.Option("--no-progress", help="Show no progress bar.", rich_help_panel=SHOWING)]
DebugOption = Annotated[bool, typer.Option("--debug", help="Print a traceback with an error.", rich_help_panel=SHOWING)]


def learner_names(incomplete: str) -> list[str]:
    """Return the learners' names that complete a word, also the last of several: "1r,na" becomes "1r,naive-bayes".

    >>> learner_names("ch"), learner_names("1r,na")
    (['chaid'], ['1r,naive-bayes'])
    """
    from crake.learners.registry import names, regressor_names  # noqa: PLC0415 (for the shell's completion only)

    before, comma, begin = incomplete.rpartition(",")
    every = dict.fromkeys((*names(), *regressor_names()))
    return [f"{before}{comma}{name}" for name in every if name.startswith(begin.lower())]
