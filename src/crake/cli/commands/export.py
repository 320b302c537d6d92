"""`crake export`: a model written as SQL, Python, C, JavaScript, ONNX or PMML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crake.cli import option_values
from crake.cli import options as o
from crake.cli.output import Output, write_stdout
from crake.cli.progress import working

ToOption = Annotated[
    str,
    typer.Option(
        "--to",
        metavar="TARGET",
        help="Write sql, python, c, javascript, onnx or pmml.",
        show_default=False,
        rich_help_panel=o.RUNNING,
    ),
]
DialectOption = Annotated[
    str | None,
    typer.Option(
        "--dialect",
        metavar="NAME",
        help="Write the SQL of duckdb, postgres or sqlite [default: standard].",
        rich_help_panel=o.RUNNING,
    ),
]
TableNameOption = Annotated[
    str | None,
    typer.Option(
        "--table-name",
        metavar="NAME",
        help="Name the table that SQL reads [default: t].",
        rich_help_panel=o.RUNNING,
    ),
]
NameOption = Annotated[
    str | None,
    typer.Option(
        "--name", metavar="NAME", help="Begin the names of the C header so [default: model].", rich_help_panel=o.RUNNING
    ),
]
MissingOption = Annotated[
    str | None,
    typer.Option(
        "--missing-text",
        metavar="TEXT",
        help="Let this text stand for a missing name in ONNX [default: the empty text].",
        rich_help_panel=o.RUNNING,
    ),
]
FileOption = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write a file [default: standard output].", rich_help_panel=o.SHOWING
    ),
]


def export(
    model: o.ModelArgument,
    to: ToOption,
    dialect: DialectOption = None,
    table_name: TableNameOption = None,
    name: NameOption = None,
    missing_text: MissingOption = None,
    output: FileOption = None,
    python: o.PythonOption = False,
    quiet: o.QuietOption = False,
    verbose: o.VerboseOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """Write a model for another program: a query, a file of code that needs no crake, or a model of a standard.

    It answers as `crake predict` does. A model that the target cannot express is refused with the reason.
    """
    from crake.workbench.export import ExportRequest  # noqa: PLC0415 (not for --help)

    show = Output(as_json=False, html=None, quiet=quiet, verbose=verbose)
    request = ExportRequest(model, to, option_values.text(output), dialect, table_name, name, missing_text)
    if python:
        write_stdout(request.python())
        return
    with working(show, has_bar=False) as progress:
        data = request.run(progress)
    if output is None:
        write_stdout(data.decode())
    else:
        show.note(f"written: {output} ({len(data):,} bytes)")
