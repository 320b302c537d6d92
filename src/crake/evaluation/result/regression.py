"""Evaluations of predicted numbers: the plans of classes, with RMSE, MAE and R² in place of accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from crake.evaluation.result.base import EvaluationBase
from crake.evaluation.result.out_of_fold import NumericPredictions
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.scikit_learn import clone
from crake.metrics.estimate import Estimate
from crake.metrics.measure import Measure
from crake.metrics.measures import REGRESSION, find_measure
from crake.metrics.predictions import Values
from crake.metrics.regression import MAE, R_SQUARED, RMSE
from crake.render.check import Check
from crake.render.drawing.drawing import Drawing
from crake.render.workings import Workings
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.render.report.report import Report


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberEvaluation(EvaluationBase):
    """The worth of a regressor on rows it has not seen; each measure is an Estimate with an interval."""

    out_of_fold: NumericPredictions

    REGISTRY: ClassVar[Sequence[Measure[Any]]] = REGRESSION

    def __repr__(self) -> str:
        return f"<NumberEvaluation of {self.name} on {self.table!r}: RMSE {self.rmse:.4g}, {self.plan}>"

    @classmethod
    def of_model(cls, model: Any, table: Table) -> NumberEvaluation:
        """Evaluate a fitted regressor on a table it was not trained on; see `protocol.fitted_model`."""
        from crake.evaluation.protocol.fitted_model import evaluate_regressor  # noqa: PLC0415 (a facade)

        return evaluate_regressor(model, table)

    def fitted(self) -> tuple[Any, Table] | None:
        """Return the tested model, or the learner fitted to all rows, and the table of the tested rows.

        None for a learner of another library.
        """
        context = self.context
        if context is None or not isinstance(context.learner, TableRegressor):
            return None
        if self.is_fitted:
            return context.learner, context.table
        arrays = context.arrays
        rows = (context.table,) if arrays is None else (arrays.X, arrays.y)
        return clone(context.learner).fit(*rows), context.tested_table

    @cached_property
    def rmse(self) -> Estimate:
        """Return √ of the mean squared error, in the units of the target."""
        return self.estimate(RMSE)

    @cached_property
    def mae(self) -> Estimate:
        """Return the mean absolute error."""
        return self.estimate(MAE)

    @cached_property
    def r_squared(self) -> Estimate:
        """Return 1 − squared errors / squared distances from the mean: 0 if the mean is always predicted."""
        return self.estimate(R_SQUARED)

    def estimate(self, measure: Measure[Values] | str) -> Estimate:
        """Return a measure, by its name or as it is; of several rounds the mean."""
        chosen = find_measure(measure, REGRESSION) if isinstance(measure, str) else measure
        return self.measured(lambda part: chosen.of(part.out_of_fold))

    def checks(self) -> tuple[Check, ...]:
        """Return warnings about the table or the result, each with a code and what to do; see docs/checks.md."""
        from crake.evaluation.checks.run import checks_of_regression  # noqa: PLC0415 (a facade)

        return tuple(checks_of_regression(self))

    def explain(self, measure: str) -> Workings:
        """Return the hand calculation of RMSE, MAE or R², and its interval."""
        from crake.evaluation.result.workings import explain_number_measure  # noqa: PLC0415 (a facade)

        return explain_number_measure(self, measure)

    def to_dict(self) -> dict[str, Any]:
        """Return the measures and times for JSON."""
        return {
            "learner": self.name,
            "rows": len(self.out_of_fold.rows),
            "measures": {name: estimate.to_dict() for name, estimate in self.measures().items()},
            "fit_seconds": self.out_of_fold.fit_seconds,
            "predict_seconds": self.out_of_fold.predict_seconds,
            "notes": list(self.notes),
        }

    def draw(self, what: str = "predicted", *, width: float = 440) -> Drawing:
        """Draw the "predicted" numbers against the true ones, or the "residuals" against the predicted ones."""
        from crake.evaluation.drawing.regression import draw_numbers  # noqa: PLC0415 (a facade)

        return draw_numbers(self, what, width)

    def report(self, *, with_model: bool = True, show_rows: bool = False) -> Report:
        """Return the whole report as data: `.to_html(path)`, `.markdown(path)`, `str()`, `.to_dict()`, `.save(path)`.

        The learner is fitted to all rows and drawn; with `show_rows` the largest errors are listed and three rows of
        the table are worked by hand.
        """
        from crake.evaluation.report.regression import number_report  # noqa: PLC0415 (a facade)

        return number_report(self, with_model=with_model, show_rows=show_rows)

    def _title(self, measure: str) -> str:
        return find_measure(measure, REGRESSION).title

    def _cells(self, estimate: Estimate, form: str = ".6g") -> tuple[str, str]:
        return super()._cells(estimate, form)

    def __str__(self) -> str:
        return "\n\n".join([str(self.grid()), *(f"Note: {note}" for note in self.notes)])
