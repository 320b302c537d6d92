"""A regressor that first chooses its columns, from the rows that it learns from."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.export.exported import Exported
from crake.learners.base.card import title_of
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import HasMethods, Interval, StrOptions
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.scikit_learn import clone
from crake.learners.base.state import State, StateReader
from crake.learners.linear.learner import LinearRegressor
from crake.learners.meta.inner_folds import DEALS_ROWS
from crake.learners.meta.select.transformer import METHODS, Select
from crake.render.drawing.drawing import Drawing
from crake.render.sentences import counted
from crake.render.workings import Workings
from crake.table.table import Table


class SelectedRegressor(TableRegressor):
    """The regressor, fitted on the columns that `Select` keeps; `Selected` does the same for classifiers.

    The columns are chosen anew in every training part of an evaluation, so its estimate is honest.

    Fitted: `select_`, the fitted `Select`, and `estimator_`.

    Parameters
    ----------
    estimator : one of crake's regressors; linear regression if None.
    method : "cfs", "mutual-information", "chi-square" or "wrapper" (by this learner); see `Select`.
    k : how many columns are kept, of "cfs" and "wrapper" at most; None as in `Select`.
    plan : how "wrapper" holds rows out; 5-fold cross-validation if None.

    >>> import crake
    >>> flowers = crake.read("iris", "petal width (cm)", numeric=["petal width (cm)"])
    >>> SelectedRegressor(method="cfs").fit(flowers).select_.names
    ('sepal length (cm)', 'petal length (cm)', 'species')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "method": [StrOptions(set(METHODS))],
        "k": [Interval(Integral, 1, None, closed="left"), None],
        "plan": [HasMethods(["rounds", "describe"]), None],
    }
    estimator_: Any
    select_: Select

    def __init__(self, estimator: Any = None, method: str = "cfs", *, k: int | None = None, plan: Any = None) -> None:
        self.estimator = estimator
        self.method = method
        self.k = k
        self.plan = plan

    @property
    def nominal(self) -> Any:
        """The columns of X that the inner learner reads as nominal."""
        return getattr(self.estimator, "nominal", "auto")

    def answers(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the numbers of the inner learner, which reads the columns that were kept."""
        predicted: Floats = self.estimator_.answers(self._kept(table), rows)
        return predicted

    def exported(self) -> Exported:
        """Return the inner model, which reads the columns that were kept, in the form that all targets write."""
        check_is_fitted(self)
        inner: Exported = self.estimator_.exported()
        return inner

    def explain(self, row: Any) -> Workings:
        """Return the hand calculation of the inner learner, with a note on the columns."""
        check_is_fitted(self)
        workings: Workings = self.estimator_.explain(self._kept(self._one_row(row)))
        return replace(workings, notes=(*workings.notes, *self._notes()))

    def draw(self, *args: Any, **options: Any) -> Drawing:
        """Draw the inner learner with the same arguments, and note below it which columns it reads."""
        check_is_fitted(self)
        drawing: Drawing = self.estimator_.draw(*args, **options)
        return drawing.noted(*self._notes())

    def pictures(self, table: Table | None = None) -> tuple[Drawing, ...]:
        """Return the drawings of the inner learner, with a note on the columns."""
        found = self.estimator_.pictures(None if table is None else self.select_.transform(table))
        return (found[0].noted(*self._notes()), *found[1:]) if found else ()

    def state(self) -> State:
        """Return the fitted inner learner, and the choice of its columns."""
        return {**super().state(), "learner": self.estimator_, "select": self.select_}

    def restore(self, reader: StateReader) -> Self:
        """Take back the inner learner and the choice; the learner was fitted on the columns that were kept."""
        super().restore(reader)
        self.estimator_, select = reader.learner("learner"), reader.learner("select")
        if not isinstance(select, Select) or select.schema_.columns != self.schema_.features:
            raise reader.refusal("select", "was fitted on other columns", "those of the SelectedRegressor")
        self.select_ = select
        if getattr(self.estimator_, "schema_", None) != self._inner_schema():
            raise reader.refusal("learner", "was fitted on other columns", "those that were kept")
        return self

    def __str__(self) -> str:
        return "\n\n".join([str(self.select_), str(self.estimator_)]) if hasattr(self, "select_") else repr(self)

    def _learn(self, table: Table, y: Floats) -> None:
        del y  # it is the target of the table
        inner = self._inner_learner()
        self.select_ = Select(self.method, k=self.k, estimator=inner, plan=self.plan).fit_rows(table)
        self.select_.n_features_in_ = len(table.schema.features)
        self.select_.feature_names_in_ = np.array([column.name for column in table.schema.features], dtype=object)
        self.estimator_ = clone(inner).fit(table.select(self._inner_schema().names))

    def _inner_learner(self) -> Any:
        if self.estimator is None:
            return LinearRegressor()
        if not isinstance(self.estimator, TableRegressor):
            raise CrakeError(
                f"SelectedRegressor takes crake's regressors, got a {type(self.estimator).__name__}; put Select before "
                "it: make_pipeline(Select(), learner)"
            )
        return self.estimator

    def _inner_schema(self) -> Any:
        return self.schema_.select([*self.select_.names, self.schema_.target or ""])

    def _kept(self, table: Table) -> Table:
        return table.select([name for name in table.schema.names if name in self.select_.names])

    def _title(self) -> str:
        most = "" if self.k is None else f", {counted(self.k, 'column')}"
        return f"{title_of(self._inner_learner())}, columns by {self.method}{most}"

    def _notes(self) -> tuple[str, ...]:
        support = self.select_.support_
        return (f"It reads {int(support.sum())} of {counted(len(support), 'column')}, chosen by {self.method}.",)

    def _weight_exception(self) -> str:
        inner: str = getattr(self._inner_learner(), "_weight_exception", str)()
        return DEALS_ROWS if self.method == "wrapper" else inner
