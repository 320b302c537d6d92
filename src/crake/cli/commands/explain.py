"""`crake explain`: the hand calculation behind the answer to a row, and what would change it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crake.cli import options as o
from crake.cli.first_run import COMPARING_SECONDS, say_if_compiling
from crake.cli.output import Output
from crake.cli.requests.learner import refuse_class_options
from crake.cli.requests.model import is_regressor
from crake.cli.requests.regression_evaluation import read_numbers
from crake.cli.requests.table import Reading
from crake.errors import CrakeError

if TYPE_CHECKING:
    from crake.cli.requests.explanation import Explained

RowOption = Annotated[
    list[int] | None,
    typer.Option(
        "--row", "-r", min=0, metavar="NUMBER", help="Which row, counted from 0; may be given again.",
        rich_help_panel=o.RUNNING,
    ),
]  # fmt: skip
MeasureOption = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        metavar="NAME",
        help="Instead: a measure of the model on a labelled TABLE (accuracy, auc, kappa …; of a regressor rmse, mae, "
        "r_squared); may be given again.",
        rich_help_panel=o.RUNNING,
    ),
]
MarkdownOption = Annotated[
    bool, typer.Option("--markdown", help="Print Markdown instead of text.", rich_help_panel=o.SHOWING)
]
LatexOption = Annotated[bool, typer.Option("--latex", help="Print LaTeX instead of text.", rich_help_panel=o.SHOWING)]


def explain(
    model: o.ModelArgument,
    table: o.SourceArgument,
    row: RowOption = None,
    measure: MeasureOption = None,
    positive: o.PositiveOption = None,
    missing: o.MissingOption = None,
    delimiter: o.DelimiterOption = None,
    encoding: o.EncodingOption = None,
    bad_rows: o.BadRowsOption = o.BadRows.ERROR,
    decimal: o.DecimalOption = ".",
    table_name: o.TableOption = None,
    query: o.QueryOption = None,
    max_bytes: o.MaxBytesOption = None,
    untrusted: o.UntrustedOption = False,
    max_memory: o.MaxMemoryOption = o.MAX_MEMORY,
    max_seconds: o.MaxSecondsOption = o.MAX_SECONDS,
    markdown: MarkdownOption = False,
    latex: LatexOption = False,
    as_json: o.JsonOption = False,
    html: o.HtmlOption = None,
    quiet: o.QuietOption = False,
    verbose: o.VerboseOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """Explain a model's answer to a row of a table: the arithmetic as written on paper, and what would change it.

    Of a predicted number the arithmetic alone. Rows are counted from 0, as `crake evaluate --errors` and data frames
    count them.
    """
    if markdown + latex + as_json > 1:
        raise CrakeError("--markdown, --latex and --json each print the result in their own way; give one of them")
    output = Output(as_json=as_json, html=html, quiet=quiet, verbose=verbose)
    output.check()
    reading = Reading(table, missing=missing, delimiter=delimiter, encoding=encoding, bad_rows=bad_rows)
    reading = reading.limited(max_bytes, untrusted, max_memory, max_seconds).of_rows(table_name, query, None, 1)
    found = explained(model, reading.written(decimal), row, measure, positive, output)
    text = found.markdown if markdown else found.latex if latex else found.text
    output.show(lambda _width: _plain(text()), found.to_dict, found.page)


def explained(
    file: Path,
    reading: Reading,
    rows: list[int] | None,
    measures: list[str] | None,
    positive: str | None,
    output: Output,
) -> Explained:
    """Load the model, read the table under it, explain."""
    from crake.cli.requests.explanation import Explained, chosen_rows, explain_rows  # noqa: PLC0415 (numpy only when there is work)
    from crake.table.column_options import Expected  # noqa: PLC0415

    model = _model_of(file)
    say_if_compiling(output, COMPARING_SECONDS)
    if is_regressor(model):
        refuse_class_options(str(file), {"--positive": positive})
    if is_regressor(model) and measures:
        table = read_numbers(reading, model)
    else:  # what a row is, is shown as it is written, be it a class or a number
        table = reading.table(Expected.of_model(model, target=model.schema_.target))
    for note in (*reading.remembered(model), *table.notes):
        output.note(f"note: {note}")
    if measures:
        if rows:
            raise CrakeError("--row and --measure: a row's answer or a measure of all rows; give one of them")
        return Explained(table.name, (), _measured(model, table, measures, positive))
    return Explained(table.name, explain_rows(model, table, chosen_rows(table, rows)))


def _measured(model: Any, table: Any, measures: list[str], positive: str | None) -> tuple[Any, ...]:
    from crake.cli.commands.compare import class_called  # noqa: PLC0415
    from crake.evaluation.protocol.fitted_model import evaluate_model  # noqa: PLC0415
    from crake.evaluation.protocol.fitted_regressor import evaluate_regressor  # noqa: PLC0415

    if is_regressor(model):
        numbers = evaluate_regressor(model, table)
        return tuple((name, numbers.explain(name)) for name in measures)
    label = None if positive is None else class_called(positive, model.schema_.classes)
    evaluation = evaluate_model(model, table, positive=label)
    return tuple((name, evaluation.explain(name)) for name in measures)


def _model_of(file: Path) -> Any:
    """A classifier or a regressor; whatever else a file may hold has no answers to explain."""
    from crake.modelfile import load  # noqa: PLC0415 (numba and numpy only when there is work)

    model = load(file)
    if not hasattr(model, "explain"):
        raise CrakeError(f"{file} holds a {type(model).__name__}, which answers nothing that could be explained")
    return model


def _plain(text: str) -> Any:
    from rich.text import Text  # noqa: PLC0415

    return Text(text)
