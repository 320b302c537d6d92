"""`crake compare`: the classic learners on one table, each estimated on the same folds."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crake.cli import options as o
from crake.cli.first_run import compile_for_comparing
from crake.cli.gate import Gate
from crake.cli.output import Output, write_stderr
from crake.cli.progress import reported
from crake.cli.requests.costs import costs_of, refuse_too_many_folds
from crake.cli.requests.learner import refuse_numbers, refuse_regressors
from crake.cli.requests.reproduce import DEFAULT_PLAN, Run, reading_of_test
from crake.cli.requests.table import Reading
from crake.cli.table_options import reads_table
from crake.errors import CrakeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crake.evaluation.compare import Comparison
    from crake.render.leaderboard import Leaderboard
    from crake.table.schema import Label
    from crake.table.table import Table

LearnerOption = Annotated[
    list[str] | None,
    typer.Option(
        "--learner",
        "-l",
        metavar="NAMES",
        help="Only these: a,b or given again; the usual ones if not given.",
        rich_help_panel=o.RUNNING,
    ),
]
FailUnderOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MEASURE=NUMBER",
        help="Exit with 1 if the best learner's accuracy, auc or f1 is under it.",
        rich_help_panel=o.RUNNING,
    ),
]


@reads_table()
def compare(
    reading: Reading,
    plan: o.PlanOption = DEFAULT_PLAN,
    learner: LearnerOption = None,
    test: o.TestOption = None,
    positive: o.PositiveOption = None,
    cost: o.CostOption = None,
    seed: o.SeedOption = 1,
    threads: o.ThreadsOption = None,
    fail_under: FailUnderOption = None,
    as_json: o.JsonOption = False,
    html: o.HtmlOption = None,
    report: o.ReportOption = None,
    show_rows: o.ShowRowsOption = False,
    quiet: o.QuietOption = False,
    verbose: o.VerboseOption = False,
    no_progress: o.NoProgressOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """Compare learners on a table: each estimated on the same folds, with intervals, beside the baselines."""
    output = Output(as_json=as_json, html=html, quiet=quiet, verbose=verbose, reports=tuple(report or ()))
    output.check()
    gates = [Gate.of(gate) for gate in fail_under or ()]
    run = Run(reading, plan, o.names(learner), positive, seed, cost, test)
    comparison, board = compared(run, threads, output, progress=not quiet and not no_progress)
    output.show_report(*_renderings(comparison, board, show_rows=show_rows))
    pass_gates(gates, board)


def compared(run: Run, threads: int | None, output: Output, *, progress: bool) -> tuple[Comparison, Leaderboard]:
    """Read the table, compare the learners; the leaderboard names the lines that give it again."""
    from crake import plans  # noqa: PLC0415 (numba and numpy only when there is work)
    from crake.evaluation.compare import compare as compare_learners  # noqa: PLC0415
    from crake.kernels.threads import limited  # noqa: PLC0415
    from crake.learners import registry  # noqa: PLC0415

    plan = plans.from_text(run.plan, run.seed)
    refuse_plan_with_test(run)
    costs = costs_of(run.cost)
    refuse_regressors(run.learners)
    learners = [registry.by_name(name) for name in run.learners]
    compile_for_comparing(output)
    table = _read(run.reading, output)
    refuse_numbers(table, run.reading)
    if run.plan != DEFAULT_PLAN:
        refuse_too_many_folds(plan, run.plan, table)
    test = None if run.test is None else test_table(run.reading, run.test, table)
    positive = class_called(run.positive, table.schema.classes)
    begin = time.perf_counter()
    with limited(threads), reported(wanted=progress) as report:
        comparison = compare_learners(
            table,
            learners=learners or None,
            plan=plan if test is None else None,
            test=test,
            random_state=run.seed,
            positive=positive,
            cost=costs,
            progress=report,
        )
    output.detail(f"compared in {time.perf_counter() - begin:.2f} s")
    board = comparison.leaderboard()
    lines = (("Command line", run.command_line()), ("Python", run.python(plan, positive)))
    return comparison, replace(board, reproduce=lines)


def _read(reading: Reading, output: Output) -> Table:
    output.detail(f"reading {reading.source}")
    begin = time.perf_counter()
    table = reading.table()
    output.detail(f"read {table.name}: {len(table):,} rows in {time.perf_counter() - begin:.2f} s")
    return table


def refuse_plan_with_test(run: Run) -> None:
    """Rows are dealt out by a plan, or a table is there to be tested; not both."""
    if run.test is not None and run.plan != DEFAULT_PLAN:
        raise CrakeError(f"--plan {run.plan} and --test {run.test} are both given; a plan tests rows of TABLE itself")


def test_table(reading: Reading, source: str, training: Table) -> Table:
    """The table to test on, its columns read as those of the training table."""
    from crake.table.column_options import Expected  # noqa: PLC0415

    target = training.schema.target
    return reading_of_test(reading, source, target).table(Expected.of(training.schema, target=target))


def class_called(text: str | None, classes: Sequence[Label]) -> Label | None:
    """The class that is written so, whatever its type; what is no class is left for `compare` to refuse.

    >>> class_called("1", (0, 1)), class_called("True", (False, True)), class_called("x", ("x", "y"))
    (1, True, 'x')
    """
    return next((label for label in classes if str(label) == text), text)


def _renderings(comparison: Comparison, board: Leaderboard, *, show_rows: bool) -> tuple[Any, Any, Any]:
    """How to make the text, the JSON document and the report."""
    from crake.evaluation.report.build import report_of_comparison  # noqa: PLC0415
    from crake.render.text.leaderboard import leaderboard_text  # noqa: PLC0415

    return (
        lambda width: leaderboard_text(board, width),
        lambda: {**comparison.to_dict(), "reproduce": dict(board.reproduce)},
        lambda: report_of_comparison(comparison, board, show_rows=show_rows),
    )


def pass_gates(gates: list[Gate], board: Leaderboard) -> None:
    """End with exit code 1 if a gate fails, after saying which."""
    failures = [failure for gate in gates if (failure := gate.failure(board)) is not None]
    for failure in failures:
        write_stderr(f"crake: gate failed: {failure}")
    if failures:
        raise typer.Exit(1)
