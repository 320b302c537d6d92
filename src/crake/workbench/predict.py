"""Predicting: the class with its probabilities, or the number, of each row of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar

from crake.errors import CrakeError
from crake.files import check_writable
from crake.workbench.calls import Script, printed
from crake.workbench.first_run import note_predicting_compiles
from crake.workbench.models import is_regressor, load_call, load_predictor
from crake.workbench.progress import SILENT, Progress
from crake.workbench.request import Request, argument, changed, options
from crake.workbench.table import MODEL, RESULT, TABLE, TableRequest, call_for_model

if TYPE_CHECKING:
    from crake.learners.base.scoring import NewRows

ENDINGS = (".csv", ".csv.gz", ".parquet")
CLASSES = 8
"""Classes that the closing sentence names."""


@dataclass(frozen=True)
class PredictRequest(Request):
    """A model file, and a table whose rows it shall predict.

    With `output` the predictions are written to that file; otherwise the result writes them to a stream.

    >>> PredictRequest("m.crake", TableRequest("new.csv"), keep=True).command_line()
    'crake predict m.crake new.csv --keep'
    """

    model: str
    table: TableRequest
    keep: bool = False
    raw: bool = False
    output: str | None = None
    seed: int = 1

    command: ClassVar[str] = "predict"

    def check(self) -> None:
        """Raise an error for a file that cannot be written, or whose name does not say its format."""
        self.table.check()
        if self.output is None:
            return
        if not self.output.lower().endswith(ENDINGS):
            raise CrakeError(f"cannot write {self.output}: expected a name that ends in {', '.join(ENDINGS)}")
        check_writable(Path(self.output))

    def run(self, progress: Progress = SILENT) -> Predictions:
        """Load the model, read the table under it, and write the predictions where there is an `output`."""
        from crake.table.column_options import Expected  # noqa: PLC0415 (Arrow and numpy only when there is work)
        from crake.workbench.predictions import TableColumns  # noqa: PLC0415

        self.check()
        model = load_predictor(self.model)
        note_predicting_compiles(progress)
        table = self.table.read(self.seed, Expected.of_model(model, keep=self.keep), scan=True)
        beside = TableColumns(table, raw=self.raw) if self.keep else None
        predictions = predictions_of(model, table, beside, raw=self.raw)
        progress.notes((*self.table.remembered(model), *table.notes, *predictions.rows.notes))
        if self.output is not None:
            predictions.to_file(Path(self.output), progress)
        return predictions

    def words(self) -> list[str]:
        """Return the arguments and options of the command line."""
        seed = changed(self.seed, 1) if self.table.sample is None else self.seed
        more = options(keep=self.keep, raw=self.raw, output=self.output, seed=seed)
        return [argument(self.model), *self.table.words(), *more]

    def python(self) -> str:
        """Return the lines that predict in Python: the classes or numbers, one per row.

        >>> print(PredictRequest("m.crake", TableRequest("new.csv")).python())
        import crake
        model = crake.load("m.crake")
        table = crake.read("new.csv", expected=model)
        result = model.predict(table)
        print(result)
        """
        lines = (
            ("model", load_call(self.model)),
            ("table", call_for_model(self.table, self.seed)),
            ("result", MODEL.then("predict", TABLE)),
            ("", printed(RESULT)),
        )
        return str(Script(lines))


@dataclass(frozen=True, eq=False)
class Predictions:
    """New rows under a model, predicted while they are written."""

    rows: NewRows
    destination: Any

    def to_csv(self, stream: IO[bytes], progress: Progress = SILENT) -> None:
        """Write the predictions to a stream as CSV."""
        self.destination.to_csv(stream, self.rows, self._counting(progress))

    def to_arrow(self, stream: IO[bytes], progress: Progress = SILENT) -> None:
        """Write the predictions to a stream as Arrow batches."""
        self.destination.to_arrow(stream, self.rows, self._counting(progress))

    def to_file(self, path: Path, progress: Progress = SILENT) -> None:
        """Write the predictions to a file by its ending, whole or not at all."""
        self.destination.to_file(path, self.rows, self._counting(progress))

    def warnings(self) -> tuple[str, ...]:
        """Return what was new to the model, once all rows are written."""
        return self.rows.warnings()

    def sentence(self) -> str:
        """Return how many rows were predicted, and which classes or numbers."""
        rows: Any = self.rows
        if is_regressor(rows.model):
            return _numbers_text(rows)
        from crake.render.sentences import counted  # noqa: PLC0415 (not for --help)

        classes, counts = rows.model.schema_.classes, rows.answers.tolist()
        shares = [_counted(str(label), count) for label, count in zip(classes, counts, strict=True) if count]
        more = f" and {len(shares) - CLASSES} more" if len(shares) > CLASSES else ""
        return f"predicted {counted(int(rows.answers.sum()), 'row')}: {', '.join(shares[:CLASSES])}{more}"

    def to_dict(self) -> dict[str, Any]:
        """Return the sentence, the notes and the warnings as a JSON document."""
        return {"sentence": self.sentence(), "notes": list(self.rows.notes), "warnings": list(self.warnings())}

    def _counting(self, progress: Progress) -> Callable[[int], None]:
        count = progress.over("rows predicted")
        total = len(self.rows.table)
        return lambda rows: None if count is None else count(rows, total)


def predictions_of(model: Any, table: Any, beside: Any = None, *, raw: bool = False) -> Predictions:
    """Return the predictions of a table's rows, made while they are written; `beside` are columns to repeat."""
    from crake.learners.base.scoring import NumberScoring, Scoring  # noqa: PLC0415
    from crake.workbench.predictions import ClassDestination, NumberDestination  # noqa: PLC0415

    if is_regressor(model):
        return Predictions(NumberScoring(model, table), NumberDestination(beside, raw=raw))
    return Predictions(Scoring(model, table), ClassDestination(model.schema_.classes, beside, raw=raw))


def _counted(label: str, count: int) -> str:
    """Return a class with its rows, so that a class that is a number is not read as one more count.

    >>> _counted("yes", 9), _counted("1", 173)
    ('yes 9', '173 of class 1')
    """
    from crake.render.sentences import class_words  # noqa: PLC0415 (not for --help)

    words = class_words(label)
    return f"{label} {count:,}" if words == label else f"{count:,} of {words}"


def _numbers_text(rows: Any) -> str:
    from crake.render.format_numbers import amount  # noqa: PLC0415 (not for --help)
    from crake.render.sentences import counted  # noqa: PLC0415

    text = f"predicted {counted(rows.count, 'row')}"
    if not rows.count:
        return text
    least, mean, most = map(amount, (rows.least, rows.total / rows.count, rows.most))
    return f"{text}: {rows.model.schema_.target} from {least} to {most}, mean {mean}"
