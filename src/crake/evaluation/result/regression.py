"""An evaluation of predicted numbers: the same plans, RMSE, MAE and R² in place of accuracy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from crake.evaluation.result.averages import across_folds, across_rounds
from crake.learners.base.regressor import TableRegressor
from crake.metrics.estimate import Estimate
from crake.metrics.measure import Measure
from crake.metrics.measures import REGRESSION, find_measure, names_shown
from crake.metrics.predictions import Values
from crake.metrics.regression import MAE, R_SQUARED, RMSE
from crake.render.drawing.drawing import Drawing
from crake.render.grid import Grid
from crake.render.workings import Workings
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.render.report.report import Report

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TestedNumbers:
    """One line per tested row: its number, fold, what it is and what was predicted."""

    rows: NDArray[np.intp]
    fold: NDArray[np.int32]
    actual: Floats
    predicted: Floats
    weights: Floats
    fit_seconds: float
    predict_seconds: float
    repeat: NDArray[np.int32] | None = None
    training_rows: NDArray[np.int64] | None = None

    @property
    def repeats(self) -> int:
        """How many rounds the plan had."""
        return 1 if self.repeat is None or len(self.repeat) == 0 else int(self.repeat[-1]) + 1

    def lines(self, which: NDArray[np.bool_]) -> TestedNumbers:
        """Some of the lines, as those of one round."""
        parts = {name: getattr(self, name)[which] for name in ("rows", "fold", "actual", "predicted", "weights")}
        return replace(self, **parts, repeat=None)


@dataclass(frozen=True, eq=False)
class NumberContext:
    """What was tested: a learner with the rows it learns from (X and y where it takes those), or a fitted model."""

    learner: Any
    table: Table
    X: Any = None
    target: Floats | None = None
    is_fitted: bool = False

    def fitted(self) -> tuple[Any, Table] | None:
        """The model of all rows and their table; None of another library's learner."""
        if self.is_fitted:
            return self.learner, self.table
        if not isinstance(self.learner, TableRegressor):
            return None
        given = (self.table,) if self.X is None else (self.X, self.target)
        return clone(self.learner).fit(*given), self.table


@dataclass(frozen=True, eq=False)
class NumberEvaluation:
    """What a regressor is worth on rows it has not seen; each measure is an Estimate with an interval."""

    name: str
    table: str
    target: str
    plan: str
    out_of_fold: TestedNumbers
    notes: tuple[str, ...] = ()
    bootstrap: bool | None = None
    context: NumberContext | None = None

    @classmethod
    def of_model(cls, model: Any, table: Table) -> NumberEvaluation:
        """A fitted regressor on a table it was not trained on; see `crake.evaluation.protocol.fitted_regressor`."""
        from crake.evaluation.protocol.fitted_regressor import evaluate_regressor  # noqa: PLC0415 (it makes these)

        return evaluate_regressor(model, table)

    @property
    def is_fitted(self) -> bool:
        """Whether a model was tested as it is."""
        return self.context is not None and self.context.is_fitted

    def fitted(self) -> tuple[Any, Table] | None:
        """The model that was tested, or the learner fitted to all rows, and the table of the tested rows."""
        return None if self.context is None else self.context.fitted()

    @cached_property
    def rmse(self) -> Estimate:
        """√ of the mean squared error, in the units of the target."""
        return self.estimate(RMSE)

    @cached_property
    def mae(self) -> Estimate:
        """The mean absolute error."""
        return self.estimate(MAE)

    @cached_property
    def r_squared(self) -> Estimate:
        """1 − squared errors / squared distances from the mean: 0 for always answering the mean."""
        return self.estimate(R_SQUARED)

    def estimate(self, measure: Measure[Values] | str) -> Estimate:
        """Return a measure, by its name or as it is; of several rounds the mean."""
        chosen = find_measure(measure, REGRESSION) if isinstance(measure, str) else measure
        return self.measured(lambda part: chosen.of(part.out_of_fold))

    def across_folds(self, measure: str) -> Estimate:
        """The mean of a measure over the folds, each by itself, with Nadeau and Bengio's interval."""
        chosen = find_measure(measure, REGRESSION)
        return across_folds(self, lambda part: part.estimate(chosen))  # type: ignore[arg-type]

    def measured(self, formula: Callable[[Any], Estimate]) -> Estimate:
        """A measure of this evaluation: of several rounds the mean."""
        return formula(self) if self.out_of_fold.repeats == 1 else across_rounds(self, formula)  # type: ignore[arg-type]

    def by_repeat(self) -> Iterator[NumberEvaluation]:
        """Each round by itself."""
        found = self.out_of_fold
        repeat = np.zeros(len(found.rows)) if found.repeat is None else found.repeat
        return (replace(self, out_of_fold=found.lines(repeat == r), bootstrap=None) for r in range(found.repeats))

    def by_fold(self) -> Iterator[NumberEvaluation]:
        """Each fold by itself."""
        found = self.out_of_fold
        return (replace(self, out_of_fold=found.lines(found.fold == f), bootstrap=None) for f in np.unique(found.fold))

    def measures(self) -> dict[str, Estimate]:
        """All measures by name."""
        return {name: self.estimate(name) for name in names_shown(REGRESSION)}

    def explain(self, measure: str) -> Workings:
        """The hand calculation of RMSE, MAE or R², and its interval."""
        from crake.evaluation.result.workings import explain_number_measure  # noqa: PLC0415 (it reads evaluations)

        return explain_number_measure(self, measure)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "learner": self.name,
            "rows": len(self.out_of_fold.rows),
            "measures": {name: estimate.to_dict() for name, estimate in self.measures().items()},
            "fit_seconds": self.out_of_fold.fit_seconds,
            "predict_seconds": self.out_of_fold.predict_seconds,
            "notes": list(self.notes),
        }

    def draw(self, what: str = "predicted", *, width: float = 440) -> Drawing:
        """A picture: "predicted" numbers against the true ones, or "residuals" against the predicted ones."""
        from crake.evaluation.drawing.regression import draw_numbers  # noqa: PLC0415 (it reads evaluations)

        return draw_numbers(self, what, width)

    def report(self, *, with_model: bool = True, show_rows: bool = False) -> Report:
        """The whole report as data: `.to_html(path)`, `.markdown(path)`, `str()`, `.to_dict()`, `.save(path)`.

        The learner is fitted to all rows and drawn; with `show_rows` the largest errors are listed and three rows of
        the table are worked by hand.
        """
        from crake.evaluation.report.regression import number_report  # noqa: PLC0415 (it reads evaluations)

        return number_report(self, with_model=with_model, show_rows=show_rows)

    def to_html(self, path: str | Path | None = None, *, show_rows: bool = False) -> str:
        """The report as one page that needs no server; written to `path` if given, whole or not at all."""
        return self.report(show_rows=show_rows).to_html(path)

    def markdown(self, path: str | Path | None = None, *, show_rows: bool = False) -> str:
        """The report as Markdown; written to `path` if given."""
        return self.report(show_rows=show_rows).markdown(path)

    def grid(self) -> Grid:
        """The measures as a small table."""
        rows = tuple(
            (
                find_measure(name, REGRESSION).title,
                f"{estimate:.6g}",
                "" if (i := estimate.interval) is None else f"[{i[0]:.6g}, {i[1]:.6g}]",
            )
            for name, estimate in self.measures().items()
        )
        return Grid(f"{self.name} on {self.table}: {self.plan}", ("measure", "value", "95 % interval"), rows)

    def __str__(self) -> str:
        return "\n\n".join([str(self.grid()), *(f"Note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return self.report(with_model=False).fragment()
