"""`crake evaluate`: a model file on labelled rows it has not seen, or one learner under a plan."""

from __future__ import annotations

from typing import Annotated

import typer

from crake.cli import options as o
from crake.cli.commands.compare import pass_gates
from crake.cli.commands.train import SetOption
from crake.cli.gate import Gate
from crake.cli.output import Output
from crake.cli.requests.evaluation import Asked, Shown
from crake.cli.requests.regression_evaluation import ShownNumbers
from crake.cli.requests.table import Reading
from crake.cli.table_options import reads_table
from crake.errors import CrakeError

SubjectArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="A model file, as crake train writes it, or the name of a learner.", show_default=False
    ),
]
TargetOption = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COLUMN",
        help="The column with the labels; for a model file, if it is not called as in training.",
        rich_help_panel=o.READING,
    ),
]
PlanOption = Annotated[
    str | None,
    typer.Option(
        metavar="PLAN",
        help=f"Refit the learner, with its parameters, on parts of TABLE: {o.PLANS}. A learner's name alone: cv10.",
        rich_help_panel=o.RUNNING,
    ),
]
ErrorsOption = Annotated[
    int,
    typer.Option(
        min=0,
        metavar="ROWS",
        help="Show so many of the rows it got wrong, worst first.",
        rich_help_panel=o.SHOWING,
    ),
]
FailUnderOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MEASURE=NUMBER",
        help="Exit with 1 if the model's accuracy, auc or f1 is under it.",
        rich_help_panel=o.RUNNING,
    ),
]


@reads_table(target=TargetOption)
def evaluate(
    model: SubjectArgument,
    reading: Reading,
    plan: PlanOption = None,
    test: o.TestOption = None,
    settings: SetOption = None,
    positive: o.PositiveOption = None,
    cost: o.CostOption = None,
    seed: o.SeedOption = 1,
    threads: o.ThreadsOption = None,
    fail_under: FailUnderOption = None,
    errors: ErrorsOption = 0,
    as_json: o.JsonOption = False,
    html: o.HtmlOption = None,
    report: o.ReportOption = None,
    show_rows: o.ShowRowsOption = False,
    quiet: o.QuietOption = False,
    verbose: o.VerboseOption = False,
    no_progress: o.NoProgressOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """Test a model file on a labelled table, or a learner by a plan: measures with intervals, costs, errors.

    A model file is tested as it is, on rows it should not have been trained on. With --plan its learner is refitted
    on parts of TABLE, and the model itself is not tested. In place of a file stands the name of a learner. Where
    a number is predicted the measures are RMSE, MAE and R².
    """
    output = Output(as_json=as_json, html=html, quiet=quiet, verbose=verbose, reports=tuple(report or ()))
    output.check()
    gates = [Gate.of(gate) for gate in fail_under or ()]
    asked = Asked(model, reading, plan, test, tuple(settings or ()), positive, cost, seed, errors)
    found = asked.evaluated(output, threads, progress=not quiet and not no_progress)
    if isinstance(found, ShownNumbers) and gates:
        raise CrakeError(f"{model} predicts a number, and --fail-under speaks of classes; leave it out")
    output.show_report(found.text, found.to_dict, lambda: found.report(show_rows=show_rows))
    if isinstance(found, Shown):
        pass_gates(gates, found.board)
