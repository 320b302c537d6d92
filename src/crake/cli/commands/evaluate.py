"""`crake evaluate`: a model file on labelled rows it has not seen, or one learner by a plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from crake.cli import option_values
from crake.cli import options as o
from crake.cli.gate import exit_with, failures, gates_of
from crake.cli.output import Output
from crake.cli.progress import working
from crake.cli.table_options import reads_table
from crake.plans.forms import FORMS
from crake.workbench.request import parameter
from crake.workbench.table import TableRequest

SubjectArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="A model file, written by crake train, or the name of a learner.", show_default=False
    ),
]
TargetOption = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COLUMN",
        help="Take the labels from this column [default for a model file: its target].",
        rich_help_panel=o.READING,
    ),
]
PlanOption = Annotated[
    str | None,
    typer.Option(
        metavar="PLAN",
        help=f"Refit the learner on parts of TABLE by {FORMS} [default for a learner's name: cv10].",
        rich_help_panel=o.RUNNING,
    ),
]
MeasureOption = Annotated[
    str | None,
    typer.Option(
        "--measure",
        metavar="NAME",
        help="Head the result with this measure, such as auc, f1, mcc, log-loss [default: accuracy; AUC if a class is "
        "rare; cost if costs are given].",
        rich_help_panel=o.SHOWING,
    ),
]
ErrorsOption = Annotated[
    int, typer.Option(min=0, metavar="ROWS", help="Show the ROWS worst errors.", rich_help_panel=o.SHOWING)
]


@reads_table(target=TargetOption, learns=True)
def evaluate(
    model: SubjectArgument,
    table: TableRequest,
    plan: PlanOption = None,
    test: o.TestOption = None,
    settings: o.SetOption = None,
    balance: o.BalanceOption = None,
    positive: o.PositiveOption = None,
    cost: o.CostOption = None,
    measure: MeasureOption = None,
    seed: o.SeedOption = 1,
    threads: o.ThreadsOption = None,
    memory: o.MemoryOption = None,
    fail_under: o.FailUnderOption = None,
    fail_over: o.FailOverOption = None,
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
    on parts of TABLE, and the model itself is not tested. The name of a learner may stand in place of a file. For
    a numeric target the measures are RMSE, MAE and R².
    """
    from crake.workbench.evaluate import EvaluateRequest  # noqa: PLC0415 (not for --help)
    from crake.workbench.evaluation import RegressionEvaluation  # noqa: PLC0415

    output = Output(as_json=as_json, html=html, quiet=quiet, verbose=verbose, reports=tuple(report or ()))
    output.check()
    gates = gates_of(fail_under, fail_over)
    parameters = dict(map(parameter, settings or ()))
    request = EvaluateRequest(
        model,
        replace(table, memory=memory),
        plan,
        test,
        parameters,
        positive,
        option_values.text(cost),
        errors,
        seed,
        measure,
        balance,
    )
    with working(output, has_bar=not no_progress, threads=threads) as progress:
        result = request.run(progress)
    if isinstance(result, RegressionEvaluation):
        failed = failures(gates, result.evaluation)
    else:
        failed = failures(gates, result.evaluation, result.board, result.costs)
    output.show_report(result, show_rows=show_rows)
    exit_with(failed)
