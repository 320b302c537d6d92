"""Explaining: the hand calculation behind the prediction of a row, or behind a measure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from crake.errors import CrakeError
from crake.workbench.calls import Script, printed
from crake.workbench.explanation import Explanation, explain_rows, rows_to_explain
from crake.workbench.first_run import note_predicting_compiles
from crake.workbench.fitted import evaluate_call, evaluate_fitted, labelled_call, read_labelled
from crake.workbench.models import check_class_options, class_labelled, is_regressor, load_call
from crake.workbench.progress import SILENT, Progress
from crake.workbench.request import Request, argument, changed, options
from crake.workbench.table import MODEL, RESULT, TABLE, TableRequest, call_for_model

if TYPE_CHECKING:
    from crake.table.column_options import Expected
    from crake.table.table import Table


@dataclass(frozen=True)
class ExplainRequest(Request):
    """A model file, a table, and the rows or the measures to explain; rows are counted from 0.

    >>> ExplainRequest("m.crake", TableRequest("new.csv"), rows=(3,)).command_line()
    'crake explain m.crake new.csv --row 3'
    """

    model: str
    table: TableRequest
    rows: tuple[int, ...] = ()
    measures: tuple[str, ...] = ()
    positive: str | None = None
    seed: int = 1

    command: ClassVar[str] = "explain"

    def check(self) -> None:
        """Raise an error if both rows and measures are asked for."""
        self.table.check()
        if self.rows and self.measures:
            raise CrakeError("--row and --measure: a row's prediction or a measure of all rows; give one of them")

    def run(self, progress: Progress = SILENT) -> Explanation:
        """Load the model, read the table under it, and explain."""
        self.check()
        model = load_explaining(self.model)
        note_predicting_compiles(progress)
        if is_regressor(model):
            check_class_options(self.model, {"--positive": self.positive})
        table = self._read(model)
        progress.notes((*self.table.remembered(model), *table.notes))
        if not self.measures:
            return Explanation(table.name, explain_rows(model, table, rows_to_explain(table, self.rows)))
        evaluation = evaluate_fitted(model, table, class_labelled(self.positive, model.schema_.classes))
        return Explanation(table.name, (), tuple((name, evaluation.explain(name)) for name in self.measures))

    def words(self) -> list[str]:
        """Return the arguments and options of the command line."""
        seed = changed(self.seed, 1) if self.table.sample is None else self.seed
        more = options(row=self.rows, measure=self.measures, positive=self.positive, seed=seed)
        return [argument(self.model), *self.table.words(), *more]

    def python(self) -> str:
        """Return the lines that explain in Python; the model is loaded to know its target."""
        model = load_explaining(self.model)
        lines: list[tuple[str, Any]] = [("model", load_call(self.model))]
        if self.measures:
            positive = class_labelled(self.positive, model.schema_.classes)
            lines += [
                ("table", labelled_call(self.table, model, self.seed)),
                ("result", evaluate_call(model, positive)),
            ]
            return str(Script((*lines, *(("", printed(RESULT.then("explain", name))) for name in self.measures))))
        lines.append(("table", call_for_model(self.table, self.seed)))
        for row in self.rows or (0,):
            one = TABLE.then("take", [row])
            lines.append(("", printed(MODEL.then("explain", one))))
            if hasattr(model, "changes"):
                lines.append(("", printed(MODEL.then("changes", one, TABLE))))
        return str(Script(tuple(lines)))

    def _read(self, model: Any) -> Table:
        if self.measures:
            return read_labelled(self.table, model, self.seed)
        return self.table.read(self.seed, expected_to_explain(model))


def expected_to_explain(model: Any) -> Expected:
    """Return the columns that a model expects of rows to explain; the true class, where there is one, as written."""
    from crake.table.column_options import Expected  # noqa: PLC0415 (Arrow and numpy only when there is work)
    from crake.table.schema import Kind  # noqa: PLC0415

    expected = Expected.of_model(model)
    return replace(expected, kinds={**expected.kinds, model.schema_.target: Kind.NOMINAL})


def load_explaining(file: str) -> Any:
    """Load a model that explains its predictions; raise an error for any other file."""
    from crake.modelfile import load  # noqa: PLC0415 (numba and numpy only when there is work)

    model = load(file)
    check_explains(model, file)
    return model


def check_explains(model: Any, file: str) -> None:
    """Raise an error for a model that does not explain its predictions of rows."""
    if hasattr(model, "query"):
        hint = f"crake.load({file!r}).explain('…')"
        raise CrakeError(f"{file} holds a {type(model).__name__}, which answers queries in Python: {hint}")
    if not hasattr(model, "explain"):
        raise CrakeError(f"{file} holds a {type(model).__name__}, which predicts nothing that could be explained")
