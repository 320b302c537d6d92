"""`crake experiment`: tables × learners × repeats as a TOML file says, resumable."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crake.cli import option_values
from crake.cli import options as o
from crake.cli.output import Output
from crake.cli.progress import working

GridArgument = Annotated[
    str,
    typer.Argument(metavar="GRID", help="A TOML file with the tables, the learners and the plan.", show_default=False),
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Keep the results in this file [default: the grid's output, or beside the grid].",
        rich_help_panel=o.RUNNING,
    ),
]
MeasureOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Show this measure [default: the grid's].", rich_help_panel=o.SHOWING),
]
BaselineOption = Annotated[
    str | None,
    typer.Option(
        metavar="LEARNER",
        help="Mark the others against this learner [default: the grid's].",
        rich_help_panel=o.SHOWING,
    ),
]
JobsOption = Annotated[
    int, typer.Option(min=1, metavar="NUMBER", help="Number of cells worked on at a time.", rich_help_panel=o.RUNNING)
]
CsvOption = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", help="Write every fold as CSV too.", rich_help_panel=o.SHOWING),
]


def experiment(
    grid: GridArgument,
    output_file: OutputOption = None,
    jobs: JobsOption = 1,
    threads: o.ThreadsOption = None,
    measure: MeasureOption = None,
    baseline: BaselineOption = None,
    as_json: o.JsonOption = False,
    html: o.HtmlOption = None,
    csv: CsvOption = None,
    quiet: o.QuietOption = False,
    verbose: o.VerboseOption = False,
    no_progress: o.NoProgressOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """Run an experiment: every learner on every table, repeated; stop it at any time, run it again, it goes on."""
    from crake.workbench.experiment import ExperimentRequest  # noqa: PLC0415 (not for --help)

    output = Output(as_json=as_json, html=html, quiet=quiet, verbose=verbose)
    output.check()
    request = ExperimentRequest(grid, option_values.text(output_file), measure, baseline, jobs, option_values.text(csv))
    with working(output, has_bar=not no_progress, threads=threads) as progress:
        result = request.run(progress)
    output.show(result)
