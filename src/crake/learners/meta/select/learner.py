"""A learner that first chooses its columns, from the rows that it learns from."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.export.exported import Exported
from crake.learners.base.classifier import TableClassifier, reads_tables
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import HasMethods, Interval, StrOptions
from crake.learners.base.row_query import Range, RowQuery
from crake.learners.base.scikit_learn import clone
from crake.learners.base.state import State, StateReader
from crake.learners.meta.base import MetaClassifier
from crake.learners.meta.inner_folds import DEALS_ROWS
from crake.learners.meta.select.transformer import METHODS, Select
from crake.render.drawing.drawing import Drawing
from crake.render.sentences import counted
from crake.render.workings import Workings
from crake.table.schema import Column
from crake.table.table import Table


class Selected(MetaClassifier):
    """The learner, fitted on the columns that `Select` keeps.

    The columns are chosen anew in every training part of an evaluation, so its estimate is honest.

    Fitted: `select_`, the fitted `Select`, and `estimator_`.

    Parameters
    ----------
    estimator : one of crake's classifiers; naive Bayes if None.
    method : "cfs", "mutual-information", "chi-square" or "wrapper" (by this learner); see `Select`.
    k : how many columns are kept, of "cfs" and "wrapper" at most; None as in `Select`.
    plan : how "wrapper" holds rows out; stratified 5-fold cross-validation if None.

    >>> from crake.learners.naive_bayes import NaiveBayesClassifier
    >>> from crake.table.examples import load
    >>> model = Selected(NaiveBayesClassifier(), "cfs").fit(load("iris"))
    >>> model.select_.names
    ('petal length (cm)', 'petal width (cm)')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "method": [StrOptions(set(METHODS))],
        "k": [Interval(Integral, 1, None, closed="left"), None],
        "plan": [HasMethods(["rounds", "describe"]), None],
    }

    def __init__(self, estimator: Any = None, method: str = "cfs", *, k: int | None = None, plan: Any = None) -> None:
        self.estimator = estimator
        self.method = method
        self.k = k
        self.plan = plan

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the probabilities of the inner learner, which reads the columns that were kept."""
        probabilities: Floats = self.estimator_.probabilities(self._kept(table), rows)
        return probabilities

    def _log_probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        logs: Floats = self.estimator_._log_probabilities(self._kept(table), rows)  # noqa: SLF001 (the same hook)
        return logs

    def exported(self) -> Exported:
        """Return the inner model, which reads the columns that were kept, in the form that all targets write."""
        check_is_fitted(self)
        inner: Exported = self.estimator_.exported()
        return inner

    def decide(self, probabilities: Floats) -> NDArray[np.intp]:
        """Return the predicted class codes by the rule of the inner learner."""
        answers: NDArray[np.intp] = self.estimator_.decide(probabilities)
        return answers

    def explain(self, row: Any) -> Workings:
        """Return the hand calculation of the inner learner, with a note on the columns."""
        check_is_fitted(self)
        workings: Workings = self.estimator_.explain(self._kept(self._one_row(row)))
        return replace(workings, notes=(*workings.notes, *self._notes()))

    def pictures(self, table: Table | None = None) -> tuple[Drawing, ...]:
        """Return the drawings of the inner learner, with a note on the columns."""
        return super().pictures(None if table is None else self.select_.transform(table))

    def state(self) -> State:
        """Return the fitted inner learner, and the choice of its columns."""
        return {**super().state(), "select": self.select_}

    def restore(self, reader: StateReader) -> Self:
        """Take back the inner learner and the choice; the learner was fitted on the columns that were kept."""
        TableClassifier.restore(self, reader)
        self.estimator_, self.select_ = reader.learner("learner"), reader.learner("select")
        if not isinstance(self.select_, Select) or self.select_.schema_.columns != self.schema_.features:
            raise reader.refusal("select", "was fitted on other columns", "those of the Selected")
        if getattr(self.estimator_, "schema_", None) != self._inner_table_schema():
            raise reader.refusal("learner", "was fitted on other columns", "those that were kept")
        self.classes_ = self.estimator_.classes_
        return self

    def __str__(self) -> str:
        if not hasattr(self, "select_"):
            return repr(self)
        return "\n\n".join([str(self.select_), str(self.estimator_)])

    def text_without_decision(self) -> str:
        """Return the text of the model for a wrapper around it that answers by a rule of its own."""
        return "\n\n".join([str(self.select_), self._inner_text()])

    def _learn(self, table: Table) -> None:
        inner = self._inner_learner()
        self.select_ = Select(self.method, k=self.k, estimator=inner, plan=self.plan).fit_rows(table)
        self.select_.n_features_in_ = len(table.schema.features)
        self.select_.feature_names_in_ = np.array([column.name for column in table.schema.features], dtype=object)
        self.schema_ = table.schema
        self.estimator_ = clone(inner).fit(table.select(self._inner_table_schema().names))
        self.classes_ = self.estimator_.classes_

    def _inner_table_schema(self) -> Any:
        return self.schema_.select([*self.select_.names, self.schema_.target or ""])

    def _kept(self, table: Table) -> Table:
        return table.select([name for name in table.schema.names if name in self.select_.names])

    def _inner_learner(self) -> Any:
        learner = super()._inner_learner()
        if not reads_tables(learner):
            raise CrakeError(
                f"Selected takes crake's classifiers, got a {type(learner).__name__}; put Select before it: "
                "make_pipeline(Select(), learner)"
            )
        return learner

    def _addition(self) -> str:
        most = "" if self.k is None else f", {counted(self.k, 'column')}"
        return f"columns by {self.method}{most}"

    def _notes(self) -> tuple[str, ...]:
        support = self.select_.support_
        return (f"It reads {int(support.sum())} of {counted(len(support), 'column')}, chosen by {self.method}.",)

    def _weight_exception(self) -> str:
        inner: str = self._inner_learner()._weight_exception()  # noqa: SLF001 (the same question)
        return DEALS_ROWS if self.method == "wrapper" else inner

    def _cut_points(self, column: Column) -> Floats | None:
        return super()._cut_points(column) if column.name in self.select_.names else np.zeros(0)

    def _crossings(self, query: RowQuery, column: Column, answer: int) -> Floats | None:
        del query, answer
        return None if column.name in self.select_.names else np.zeros(0)

    def _range(self, column: Column) -> Range | None:
        return super()._range(column) if column.name in self.select_.names else None
