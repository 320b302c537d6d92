"""`crake train`: a learner on all rows of a table, written to a model file, with an honest estimate beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from crake.cli import option_values
from crake.cli import options as o
from crake.cli.output import Output
from crake.cli.progress import working
from crake.cli.table_options import reads_table
from crake.workbench.request import DEFAULT_PLAN, parameter
from crake.workbench.table import TableRequest

LearnerOption = Annotated[
    str,
    typer.Option(
        "--learner",
        "-l",
        metavar="NAME",
        help="Train this learner, named as crake learners lists it; best compares the usual ones first and trains the "
        "winner.",
        rich_help_panel=o.RUNNING,
        autocompletion=o.learner_names,
    ),
]
CutoffOption = Annotated[
    str | None,
    typer.Option(
        "--cutoff",
        metavar="RULE",
        help="Predict by a cutoff: cost, f, f=2, youden, recall=0.9, precision=0.9, share=0.1, prior=0.1, or a number.",
        rich_help_panel=o.RUNNING,
    ),
]
CostOption = Annotated[
    Path | None,
    typer.Option(
        "--cost",
        metavar="FILE",
        help="Read the costs of --cutoff cost from a CSV file: one row per actual class, one column per predicted "
        "class.",
        rich_help_panel=o.RUNNING,
    ),
]
PositiveOption = Annotated[
    str | None,
    typer.Option(
        "--positive",
        metavar="CLASS",
        help="Set the cutoff for this class [default: the rarer of two].",
        rich_help_panel=o.RUNNING,
    ),
]
MeasureOption = Annotated[
    str | None,
    typer.Option(
        "--measure",
        metavar="NAME",
        help="Choose -l best by this measure, such as auc, f1 or log-loss [default: as crake compare].",
        rich_help_panel=o.RUNNING,
    ),
]
ModelOption = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="Write the model here.", rich_help_panel=o.SHOWING)
]
NoEstimateOption = Annotated[
    bool, typer.Option("--no-estimate", help="Only train, without an estimate.", rich_help_panel=o.RUNNING)
]


@reads_table(learns=True)
def train(
    table: TableRequest,
    output: ModelOption,
    learner: LearnerOption,
    settings: o.SetOption = None,
    select: o.SelectOption = None,
    balance: o.BalanceOption = None,
    cutoff: CutoffOption = None,
    cost: CostOption = None,
    positive: PositiveOption = None,
    measure: MeasureOption = None,
    no_estimate: NoEstimateOption = False,
    plan: o.PlanOption = DEFAULT_PLAN,
    seed: o.SeedOption = 1,
    threads: o.ThreadsOption = None,
    memory: o.MemoryOption = None,
    as_json: o.JsonOption = False,
    quiet: o.QuietOption = False,
    verbose: o.VerboseOption = False,
    no_progress: o.NoProgressOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """Train a learner on all rows of a table and write the model to a file that is safe to share."""
    from crake.workbench.train import TrainRequest  # noqa: PLC0415 (not for --help)

    show = Output(as_json=as_json, html=None, quiet=quiet, verbose=verbose)
    request = TrainRequest(
        replace(table, memory=memory),
        learner,
        str(output),
        dict(map(parameter, settings or ())),
        cutoff,
        option_values.text(cost),
        positive,
        estimate=not no_estimate,
        plan=plan,
        seed=seed,
        measure=measure,
        select=select,
        balance=balance,
    )
    with working(show, has_bar=not no_progress, threads=threads) as progress:
        result = request.run(progress)
    show.show(result)
