"""`crake experiment`: tables × learners × repeats as a TOML file says, resumable."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crake.cli import options as o
from crake.cli.first_run import COMPARING_SECONDS, say_if_compiling
from crake.cli.output import Output, refuse_unwritable
from crake.cli.progress import reported

if TYPE_CHECKING:
    from crake.cli.requests.experiment_file import Grid
    from crake.evaluation.experiment import ExperimentResult
    from crake.render.experiment.board import ExperimentBoard

GridArgument = Annotated[
    Path,
    typer.Argument(
        metavar="GRID", help="A TOML file that names tables, learners and how to test them.", show_default=False
    ),
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The file of results, in place of the grid's output; by default beside the grid.",
        rich_help_panel=o.RUNNING,
    ),
]
MeasureOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="What is shown, in place of the grid's measure.", rich_help_panel=o.SHOWING),
]
BaselineOption = Annotated[
    str | None,
    typer.Option(
        metavar="LEARNER",
        help="Against which the others are marked, in place of the grid's.",
        rich_help_panel=o.SHOWING,
    ),
]
JobsOption = Annotated[
    int, typer.Option(min=1, metavar="NUMBER", help="Cells worked on at a time.", rich_help_panel=o.RUNNING)
]
CsvOption = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", help="Also write every fold as CSV.", rich_help_panel=o.SHOWING),
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
    output = Output(as_json=as_json, html=html, quiet=quiet, verbose=verbose)
    output.check()
    if csv is not None:
        refuse_unwritable(csv)
    from crake.cli.requests.experiment_file import read_grid  # noqa: PLC0415 (TOML only when there is work)

    asked = read_grid(grid).with_choices(output_file, measure, baseline)
    result = ran(asked, jobs, threads, output, progress=not quiet and not no_progress)
    if csv is not None:
        result.to_csv(csv)
        output.note(f"written: {csv}")
    _show(result, _command_line(grid, output_file, measure, baseline), output)


def ran(grid: Grid, jobs: int, threads: int | None, output: Output, *, progress: bool) -> ExperimentResult:
    """Read the tables, work on what the file of results does not have yet."""
    say_if_compiling(output, COMPARING_SECONDS)
    from crake.kernels.threads import limited  # noqa: PLC0415 (numba and numpy only when there is work)

    asked = grid.experiment()
    cells = len(asked.tables) * len(asked.learners) * asked.repeats
    output.detail(f"{len(asked.tables)} tables, {len(asked.learners)} learners, {asked.repeats} repeats: {cells} cells")
    with limited(threads), reported(wanted=progress) as report:
        result = asked.run(grid.output, progress=report, n_jobs=jobs if jobs > 1 else None)
    output.note(f"results: {grid.output}")
    return result


def _command_line(grid: Path, output_file: Path | None, measure: str | None, baseline: str | None) -> str:
    given = {"--output": output_file, "--measure": measure, "--baseline": baseline}
    words = [word for name, value in given.items() if value is not None for word in (name, str(value))]
    return shlex.join(["crake", "experiment", str(grid), *words])


def _show(result: ExperimentResult, line: str, output: Output) -> None:
    from crake.evaluation.experiment.summary import board_of, document  # noqa: PLC0415
    from crake.render.experiment.board import board_text  # noqa: PLC0415
    from crake.render.experiment.page import experiment_page  # noqa: PLC0415

    board: ExperimentBoard = board_of(result, (("Command line", line),))
    output.show(
        lambda width: board_text(board, width),
        lambda: {**document(result), "reproduce": dict(board.reproduce)},
        lambda: experiment_page(board),
    )
