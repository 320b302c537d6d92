"""`crake evaluate`: a model file on a labelled table that it was not trained on."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crake.cli import options as o
from crake.cli.compare import class_called, pass_gates
from crake.cli.first_run import COMPARING_SECONDS, say_if_compiling
from crake.cli.gate import Gate
from crake.cli.model import classifier_of
from crake.cli.output import Output
from crake.cli.reading import Reading
from crake.cli.reproduce import read_call, reading_arguments

if TYPE_CHECKING:
    from crake.evaluation.evaluation import Evaluation
    from crake.render.leaderboard import Leaderboard

TargetOption = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COLUMN",
        help="The column with the labels, if it is not called as in training.",
        rich_help_panel=o.READING,
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


def evaluate(
    model: o.ModelArgument,
    table: o.SourceArgument,
    target: TargetOption = None,
    missing: o.MissingOption = None,
    delimiter: o.DelimiterOption = None,
    encoding: o.EncodingOption = None,
    bad_rows: o.BadRowsOption = o.BadRows.ERROR,
    decimal: o.DecimalOption = ".",
    table_name: o.TableOption = None,
    query: o.QueryOption = None,
    sample: o.SampleOption = None,
    max_bytes: o.MaxBytesOption = None,
    untrusted: o.UntrustedOption = False,
    max_memory: o.MaxMemoryOption = o.MAX_MEMORY,
    max_seconds: o.MaxSecondsOption = o.MAX_SECONDS,
    positive: o.PositiveOption = None,
    seed: o.SampleSeedOption = 1,
    threads: o.ThreadsOption = None,
    fail_under: FailUnderOption = None,
    as_json: o.JsonOption = False,
    html: o.HtmlOption = None,
    quiet: o.QuietOption = False,
    verbose: o.VerboseOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """Test a model file on a labelled table: measures with intervals and the confusion matrix."""
    output = Output(as_json=as_json, html=html, quiet=quiet, verbose=verbose)
    output.check()
    gates = [Gate.of(gate) for gate in fail_under or ()]
    reading = Reading(table, target, missing=missing, delimiter=delimiter, encoding=encoding, bad_rows=bad_rows)
    reading = (
        reading.limited(max_bytes, untrusted, max_memory, max_seconds)
        .of_rows(table_name, query, sample, seed)
        .written(decimal)
    )
    evaluation, board = tested(model, reading, positive, output, threads=threads)
    _show(evaluation, board, output)
    pass_gates(gates, board)


def tested(
    file: Path, reading: Reading, positive: str | None, output: Output, *, threads: int | None
) -> tuple[Evaluation, Leaderboard]:
    """Load the model, read the table under it, test; the board names the lines that give it again."""
    from crake.evaluation.tested import evaluate_model  # noqa: PLC0415 (numba and numpy only when there is work)
    from crake.evaluation.tested_board import board_of_test  # noqa: PLC0415
    from crake.kernels.threads import limited  # noqa: PLC0415
    from crake.learners.scoring import Scoring  # noqa: PLC0415
    from crake.table.overrides import Expected  # noqa: PLC0415

    model = classifier_of(file)
    say_if_compiling(output, COMPARING_SECONDS)
    asked = replace(reading, target=reading.target or model.schema_.target)
    expected = Expected.of_model(model, target=asked.target)
    with limited(threads):
        table = asked.table(expected)
        scoring = Scoring(model, table)
        chosen = class_called(positive, model.schema_.classes)
        evaluation = evaluate_model(model, table, positive=chosen, scoring=scoring)
    board = board_of_test(
        evaluation, warnings=scoring.warnings(), notes=(*reading.remembered(model), *table.notes, *scoring.notes)
    )
    return evaluation, replace(board, reproduce=_reproduce(file, reading, positive, chosen))


def _reproduce(file: Path, reading: Reading, positive: str | None, chosen: object) -> tuple[tuple[str, str], ...]:
    words = ["crake", "evaluate", str(file), *reading_arguments(reading)]
    words += [] if positive is None else ["--positive", positive]
    words += [] if reading.sample is None else ["--seed", str(reading.seed)]
    called = "" if positive is None else f", positive={chosen!r}"
    python = (
        f"import crake\nmodel = crake.load({json.dumps(str(file))})\ntable = {read_call(reading)}\n"
        f"print(crake.Evaluation.of_model(model, table{called}))"
    )
    return ("Command line", shlex.join(words)), ("Python", python)


def _show(evaluation: Evaluation, board: Leaderboard, output: Output) -> None:
    from crake.evaluation.tested_board import to_dict  # noqa: PLC0415
    from crake.render.page import leaderboard_page  # noqa: PLC0415
    from crake.render.text_leaderboard import leaderboard_text  # noqa: PLC0415

    output.show(
        lambda width: leaderboard_text(board, width),
        lambda: to_dict(evaluation, board),
        lambda: leaderboard_page(board),
    )
