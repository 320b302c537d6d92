"""`crake predict`: the predicted class with probabilities, or the number, of each row, to CSV or Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crake.cli import option_values
from crake.cli import options as o
from crake.cli.output import Output, reader_gone, stdout_bytes, write_stdout
from crake.cli.progress import working
from crake.cli.table_options import reads_table
from crake.workbench.table import TableRequest

KeepOption = Annotated[
    bool, typer.Option("--keep", help="Repeat the table's columns before the predictions.", rich_help_panel=o.SHOWING)
]
RawOption = Annotated[
    bool,
    typer.Option(
        "--raw", help="Do not guard text that a spreadsheet would run as a formula.", rich_help_panel=o.SHOWING
    ),
]
FileOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write a .csv, .csv.gz or .parquet file [default: CSV to standard output].",
        rich_help_panel=o.SHOWING,
    ),
]


@reads_table(columns=False)
def predict(
    model: o.ModelArgument,
    table: TableRequest,
    seed: o.SampleSeedOption = 1,
    threads: o.ThreadsOption = None,
    keep: KeepOption = False,
    raw: RawOption = False,
    output: FileOption = None,
    python: o.PythonOption = False,
    quiet: o.QuietOption = False,
    verbose: o.VerboseOption = False,
    no_progress: o.NoProgressOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """Predict the rows of a table with a model file: the probability of each class, then the predicted class.

    A regressor's file gives one number per row. Columns are found by their names, in any order. Values that the model
    never saw in training are counted on stderr.
    """
    from crake.workbench.predict import PredictRequest  # noqa: PLC0415 (not for --help)

    show = Output(as_json=False, html=None, quiet=quiet, verbose=verbose)
    request = PredictRequest(model, table, keep, raw, option_values.text(output), seed)
    if python:
        write_stdout(request.python())
        return
    with working(show, has_bar=not no_progress, threads=threads) as progress:
        result = request.run(progress)
        if output is None:
            try:
                out = stdout_bytes()
                result.to_csv(out, progress)
                out.flush()
            except BrokenPipeError:
                reader_gone()
    progress.notes(result.warnings(), "warning")
    show.note(result.sentence())
