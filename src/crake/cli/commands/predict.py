"""`crake predict`: the predicted class with probabilities, or the number, of each row, to CSV or Parquet."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crake.cli import options as o
from crake.cli.first_run import COMPARING_SECONDS, say_if_compiling
from crake.cli.output import Output, reader_gone, refuse_unwritable
from crake.cli.progress import Report, reported
from crake.cli.requests.model import is_regressor, predictor_of
from crake.cli.requests.table import Reading
from crake.cli.table_options import reads_table
from crake.errors import CrakeError

if TYPE_CHECKING:
    from crake.cli.requests.predictions import Kept
    from crake.learners.base.scoring import NewRows, NumberScoring
    from crake.table.table import Table

ENDINGS = (".csv", ".csv.gz", ".parquet")

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
        help="A .csv, .csv.gz or .parquet file; standard output (CSV) if not given.",
        rich_help_panel=o.SHOWING,
    ),
]


@reads_table(columns=False)
def predict(
    model: o.ModelArgument,
    reading: Reading,
    seed: o.SampleSeedOption = 1,  # noqa: ARG001 (taken by the reading)
    threads: o.ThreadsOption = None,
    keep: KeepOption = False,
    raw: RawOption = False,
    output: FileOption = None,
    quiet: o.QuietOption = False,
    verbose: o.VerboseOption = False,
    no_progress: o.NoProgressOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """Predict the rows of a table with a model file: the probability of each class, then the predicted class.

    A regressor's file gives one number a row. Columns are found by their names, in any order; what the model never saw
    in training is counted on stderr.
    """
    show = Output(as_json=False, html=None, quiet=quiet, verbose=verbose)
    _refuse_output(output)
    progress = not quiet and not no_progress
    scoring = predicted(model, reading, output, show, keep=keep, raw=raw, threads=threads, progress=progress)
    for warning in scoring.warnings():
        show.note(f"warning: {warning}")
    show.note(_sentence(scoring))


def predicted(
    file: Path,
    reading: Reading,
    output: Path | None,
    show: Output,
    *,
    keep: bool,
    raw: bool,
    threads: int | None,
    progress: bool,
) -> NewRows:
    """Load the model, read the table under it, write the predictions."""
    from crake.cli.requests.predictions import Kept  # noqa: PLC0415 (Arrow and numpy only when there is work)
    from crake.kernels.threads import limited  # noqa: PLC0415
    from crake.table.column_options import Expected  # noqa: PLC0415

    model = predictor_of(file)
    say_if_compiling(show, COMPARING_SECONDS)
    with limited(threads), reported(wanted=progress) as report:
        table = reading.table(Expected.of_model(model, keep=keep), scan=True)
        kept = Kept(table, raw=raw) if keep else None
        scoring, destination = _under(model, table, kept, raw=raw)
        for note in (*reading.remembered(model), *table.notes, *scoring.notes):
            show.note(f"note: {note}")
        if output is None:
            _to_stdout(destination, scoring, report)
        else:
            destination.to_file(output, scoring, _counting(report, len(table)))
    return scoring


def _under(model: Any, table: Table, kept: Kept | None, *, raw: bool) -> tuple[NewRows, Any]:
    """The rows under the model, and how its predictions are written."""
    from crake.cli.requests.predictions import ClassDestination, NumberDestination  # noqa: PLC0415
    from crake.learners.base.scoring import NumberScoring, Scoring  # noqa: PLC0415

    if is_regressor(model):
        return NumberScoring(model, table), NumberDestination(kept, raw=raw)
    return Scoring(model, table), ClassDestination(model.schema_.classes, kept, raw=raw)


def _to_stdout(destination: Any, scoring: NewRows, report: Report | None) -> None:
    try:
        destination.to_csv(sys.stdout.buffer, scoring, _counting(report, len(scoring.table)))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        reader_gone()


def _counting(report: Report | None, total: int) -> Any:
    def count(rows: int) -> None:
        if report is not None:
            report("rows predicted", rows, total)

    return count


def _sentence(scoring: Any) -> str:
    if is_regressor(scoring.model):
        return _sentence_of_numbers(scoring)
    classes = scoring.model.schema_.classes
    shares = [f"{label} {count:,}" for label, count in zip(classes, scoring.answers.tolist(), strict=True) if count]
    more = f" and {len(shares) - 8} more" if len(shares) > 8 else ""
    return f"predicted {int(scoring.answers.sum()):,} rows: {', '.join(shares[:8])}{more}"


def _sentence_of_numbers(scoring: NumberScoring) -> str:
    from crake.render.format_numbers import amount  # noqa: PLC0415 (not for --help)

    said = f"predicted {scoring.count:,} rows"
    if not scoring.count:
        return said
    least, mean, most = map(amount, (scoring.least, scoring.total / scoring.count, scoring.most))
    return f"{said}: {scoring.model.schema_.target} from {least} to {most}, mean {mean}"


def _refuse_output(output: Path | None) -> None:
    """An error now instead of after the work."""
    if output is None:
        return
    if not output.name.lower().endswith(ENDINGS):
        raise CrakeError(f"cannot write {output}: expected a name that ends in {', '.join(ENDINGS)}")
    refuse_unwritable(output)
