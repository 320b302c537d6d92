"""`crake compare`: learners on one table, each estimated on the same folds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from crake.cli import option_values
from crake.cli import options as o
from crake.cli.gate import exit_with, failures, gates_of
from crake.cli.output import Output
from crake.cli.progress import working
from crake.cli.table_options import reads_table
from crake.workbench.request import DEFAULT_PLAN, parameter
from crake.workbench.table import TableRequest

LearnerOption = Annotated[
    list[str] | None,
    typer.Option(
        "--learner",
        "-l",
        metavar="NAMES",
        help="Compare these learners: a,b or repeat it; also by import path, such as "
        "sklearn.ensemble.RandomForestClassifier [default: the usual ones].",
        rich_help_panel=o.RUNNING,
        autocompletion=o.learner_names,
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="LEARNER.NAME=VALUE",
        help="Set a parameter of one learner, such as c4.5.confidence=0.1, or of its members, such as "
        "bagging.estimator=cart; repeat it for more.",
        rich_help_panel=o.RUNNING,
    ),
]
TuneOption = Annotated[
    bool,
    typer.Option(
        "--tune",
        help="Choose the parameters of learners that have a usual grid, anew within each training part.",
        rich_help_panel=o.RUNNING,
    ),
]
SaveOption = Annotated[
    Path | None,
    typer.Option(
        "--save",
        metavar="FILE",
        help="Write the best learner, fitted to all rows, to this model file.",
        rich_help_panel=o.SHOWING,
    ),
]


@reads_table(learns=True)
def compare(
    table: TableRequest,
    plan: o.PlanOption = DEFAULT_PLAN,
    learner: LearnerOption = None,
    settings: SetOption = None,
    tune: TuneOption = False,
    select: o.SelectOption = None,
    balance: o.BalanceOption = None,
    test: o.TestOption = None,
    positive: o.PositiveOption = None,
    cost: o.CostOption = None,
    measure: o.MeasureOption = None,
    seed: o.SeedOption = 1,
    threads: o.ThreadsOption = None,
    memory: o.MemoryOption = None,
    fail_under: o.FailUnderOption = None,
    fail_over: o.FailOverOption = None,
    as_json: o.JsonOption = False,
    html: o.HtmlOption = None,
    report: o.ReportOption = None,
    show_rows: o.ShowRowsOption = False,
    save: SaveOption = None,
    quiet: o.QuietOption = False,
    verbose: o.VerboseOption = False,
    no_progress: o.NoProgressOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """Compare learners on a table: each estimated on the same folds, with intervals, beside the baselines."""
    from crake.workbench.compare import CompareRequest  # noqa: PLC0415 (not for --help)

    output = Output(as_json=as_json, html=html, quiet=quiet, verbose=verbose, reports=tuple(report or ()))
    output.check()
    gates = gates_of(fail_under, fail_over)
    request = CompareRequest(
        replace(table, memory=memory),
        plan,
        option_values.names(learner),
        test,
        positive,
        option_values.text(cost),
        seed,
        dict(map(parameter, settings or ())),
        tune=tune,
        save=option_values.text(save),
        measure=measure,
        select=select,
        balance=balance,
    )
    with working(output, has_bar=not no_progress, threads=threads) as progress:
        result = request.run(progress)
    costs = getattr(result.comparison.criterion, "costs", None)
    failed = failures(gates, result.comparison.best, result.board, costs)
    output.show_report(result, show_rows=show_rows)
    exit_with(failed)
