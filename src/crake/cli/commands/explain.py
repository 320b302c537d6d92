"""`crake explain`: the hand calculation behind the prediction of a row, and what would change it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crake.cli import options as o
from crake.cli.output import Output, write_stdout
from crake.cli.progress import working
from crake.cli.table_options import reads_table
from crake.errors import CrakeError
from crake.workbench.table import TableRequest

if TYPE_CHECKING:
    from rich.text import Text

    from crake.workbench.explanation import Explanation

RowOption = Annotated[
    list[int] | None,
    typer.Option(
        "--row", "-r", min=0, metavar="NUMBER", help="Explain this row, counted from 0; repeat it for more.",
        rich_help_panel=o.RUNNING,
    ),
]  # fmt: skip
MeasureOption = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        metavar="NAME",
        help="Explain a measure of the model on a labelled TABLE instead (accuracy, auc, kappa …; of a regressor rmse, "
        "mae, r_squared); repeat it for more.",
        rich_help_panel=o.RUNNING,
    ),
]
MarkdownOption = Annotated[
    bool, typer.Option("--markdown", help="Print Markdown instead of text.", rich_help_panel=o.SHOWING)
]
LatexOption = Annotated[bool, typer.Option("--latex", help="Print LaTeX instead of text.", rich_help_panel=o.SHOWING)]


@reads_table(columns=False)
def explain(
    model: o.ModelArgument,
    table: TableRequest,
    row: RowOption = None,
    measure: MeasureOption = None,
    positive: o.PositiveOption = None,
    seed: o.SampleSeedOption = 1,
    markdown: MarkdownOption = False,
    latex: LatexOption = False,
    as_json: o.JsonOption = False,
    html: o.HtmlOption = None,
    python: o.PythonOption = False,
    quiet: o.QuietOption = False,
    verbose: o.VerboseOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """Explain a model's prediction of a row of a table: the arithmetic as on paper, and what would change it.

    Of a predicted number, print the arithmetic alone. Rows are counted from 0, as `crake evaluate --errors` and data
    frames count them.
    """
    from crake.workbench.explain import ExplainRequest  # noqa: PLC0415 (not for --help)

    if markdown + latex + as_json > 1:
        raise CrakeError("--markdown, --latex and --json each print the result in their own form; give one of them")
    output = Output(as_json=as_json, html=html, quiet=quiet, verbose=verbose)
    output.check()
    request = ExplainRequest(model, table, tuple(row or ()), tuple(measure or ()), positive, seed)
    if python:
        write_stdout(request.python())
        return
    with working(output, has_bar=False) as progress:
        result = request.run(progress)
    output.show(Markup(result, "markdown" if markdown else "latex") if markdown or latex else result)


@dataclass(frozen=True)
class Markup:
    """An explanation printed as Markdown or LaTeX in place of text."""

    explanation: Explanation
    form: str

    def text(self, width: int) -> Text:
        """Return the source of the markup."""
        from rich.text import Text  # noqa: PLC0415 (not needed for --json)

        del width
        return Text(self.explanation.markdown() if self.form == "markdown" else self.explanation.latex())

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as a JSON document."""
        return self.explanation.to_dict()

    def page(self) -> str:
        """Return the explanation as one HTML page."""
        return self.explanation.page()
