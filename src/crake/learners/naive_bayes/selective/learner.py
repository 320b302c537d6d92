"""Selective naive Bayes: the columns that help, chosen by leaving each row out in turn."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.export.forms import Form
from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.base.row_query import Range, RowQuery
from crake.learners.base.state import State, StateReader
from crake.learners.base.state.statistics import statistics_of, statistics_state
from crake.learners.naive_bayes.form import bayes_form
from crake.learners.naive_bayes.learner import NaiveBayesClassifier
from crake.learners.naive_bayes.selective.path import draw_path, path_grid
from crake.learners.naive_bayes.selective.selection import MEASURES, Selection, selected
from crake.learners.naive_bayes.selective.without_row import Rows, column_logs, log_priors
from crake.learners.naive_bayes.workings import explain_row
from crake.render.drawing.drawing import Drawing
from crake.render.grid import Grid
from crake.render.workings import Workings
from crake.statistics import ClassCounts
from crake.table.schema import Column
from crake.table.table import Table

MOST_BYTES = 2**28
"""Memory in which the logarithms of all columns are kept; of larger tables they are computed in every round."""


class SelectiveNaiveBayesClassifier(TableClassifier):
    """P(c given x) ∝ P(c) · Π P(x_j given c) over the chosen columns j: naive Bayes without columns that do harm.

    It starts with no column. The column that helps most is added, until none makes the measure better. How well a set
    of columns does is seen by leaving each row out in turn, exactly: the model without a row differs in a few counts.

    Parameters
    ----------
    alpha : added to every count (1 = Laplace, 0 = the raw fractions).
    measure : "accuracy", or "log-loss"; of columns that do equally well, the one with the better other measure comes,
        then the first.
    prior : "empirical" n_c/n or "laplace" (n_c + 1)/(n + K).
    ddof : the variance of a number divides by n − ddof.
    min_variance : the least variance of a class, as a share of its column's variance.
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> model = SelectiveNaiveBayesClassifier().fit(load("iris"))
    >>> model.selected_
    ('petal width (cm)', 'petal length (cm)')

    Langley and Sage (1994), Induction of selective Bayesian classifiers.
    """

    card = Card(
        title="selective naive Bayes",
        about="naive Bayes of the columns that help, each row left out in turn",
        model="counts per class of chosen columns",
        missing="skipped",
        probabilities="its own, often too near 0 or 1",
        time="a pass per candidate, columns²",
        is_compared=False,
        usual_grid={"measure": ["accuracy", "log-loss"], "alpha": [1.0, 0.1]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "measure": [StrOptions(set(MEASURES))],
        "prior": [StrOptions({"empirical", "laplace"})],
        "ddof": [Interval(Real, 0, None, closed="left")],
        "min_variance": [Interval(Real, 0, 1, closed="both")],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }

    estimator_: NaiveBayesClassifier
    path_: Selection
    selected_: tuple[str, ...]

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        measure: str = "accuracy",
        prior: str = "empirical",
        ddof: float = 1,
        min_variance: float = 0.01,
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.alpha = alpha
        self.measure = measure
        self.prior = prior
        self.ddof = ddof
        self.min_variance = min_variance
        self.class_weight = class_weight
        self.nominal = nominal

    def _refuse_scan(self, table: Table) -> None:
        """Raise: how well columns do together is no function of their counts, each step asks every row anew."""
        raise table.not_in_memory(
            f"{type(self).__name__}, which goes through the rows for each column that it may add,",
            "fit NaiveBayesClassifier to the scan, by the columns that a sample chooses: "
            "table.select([*chosen.selected_, target])",
        )

    def _learn(self, table: Table) -> None:
        self.schema_ = table.schema
        rows, features = Rows.of(table), table.schema.features
        keeps = len(table) * rows.classes * len(features) * 8 <= MOST_BYTES
        kept: dict[int, Floats] = {}

        def logs(j: int) -> Floats:
            if j in kept:
                return kept[j]
            own = column_logs(table, features[j], rows, self.alpha, self.ddof, self.min_variance)
            if keeps:
                kept[j] = own
            return own

        self.path_ = selected(rows, log_priors(rows, self.prior, table), logs, len(features), self.measure)
        self.selected_ = tuple(features[j].name for j in self.path_.columns)
        self.estimator_ = self._fitted_inner(table)
        self.classes_ = self.estimator_.classes_

    def _fitted_inner(self, table: Table) -> NaiveBayesClassifier:
        """Return naive Bayes of the chosen columns, or of none."""
        inner = self._inner()
        chosen = table.select(self._inner_names())
        return inner.fit(chosen) if self.selected_ else inner.estimate(inner.gather(chosen))

    def _inner(self) -> NaiveBayesClassifier:
        return NaiveBayesClassifier(
            self.alpha, prior=self.prior, ddof=self.ddof, min_variance=self.min_variance, nominal=self.nominal
        )

    def _inner_names(self) -> list[str]:
        """Return the names of the chosen columns in table order, and the target."""
        names = set(self.selected_)
        return [
            column.name for column in self.schema_.columns if column.name in names or column.name == self.schema_.target
        ]

    def _kept(self, table: Table) -> Table:
        names = set(self.selected_)
        return table.select([column.name for column in table.schema.columns if column.name in names])

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the posterior of each row, by the chosen columns."""
        return self.estimator_.probabilities(self._kept(table), rows)

    def _log_probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        return self.estimator_._log_probabilities(self._kept(table), rows)  # noqa: SLF001 (the same hook)

    def _form(self) -> Form:
        return bayes_form(self.estimator_, self.schema_)

    def state(self) -> State:
        """Return naive Bayes of the chosen columns, and the way to them; without a column the counts of the classes."""
        counts = {"counts": statistics_state(self.estimator_.statistics_, (ClassCounts,))}
        return {
            **super().state(),
            **({"learner": self.estimator_} if self.selected_ else counts),
            "order": np.array(self.path_.columns, np.int64),
            "accuracy": np.array(self.path_.accuracy),
            "log_loss": np.array(self.path_.log_loss),
        }

    def restore(self, reader: StateReader) -> Self:
        """Take back the model; the inner learner was fitted on the columns that were chosen."""
        super().restore(reader)
        features = self.schema_.features
        order = reader.integers("order", np.int64, (None,), 0, max(0, len(features) - 1)).tolist()
        if len(set(order)) != len(order) or (order and not features):
            raise reader.refusal("order", "names a column twice", "each chosen column once")
        accuracy = reader.floats("accuracy", (len(order) + 1,), 0, 1)
        log_loss = reader.floats("log_loss", (len(order) + 1,), 0)
        self.path_ = Selection(tuple(order), tuple(accuracy.tolist()), tuple(log_loss.tolist()))
        self.selected_ = tuple(features[j].name for j in order)
        self.estimator_ = self._stored_inner(reader)
        self.classes_ = self.estimator_.classes_
        return self

    def _stored_inner(self, reader: StateReader) -> NaiveBayesClassifier:
        schema = self.schema_.select(self._inner_names())
        if not self.selected_:
            return self._inner().estimate(statistics_of(reader.part("counts"), schema, (ClassCounts,)))
        learner = reader.learner("learner")
        if type(learner) is not NaiveBayesClassifier or getattr(learner, "schema_", None) != schema:
            raise reader.refusal("learner", "was fitted on other columns", "naive Bayes of the chosen ones")
        return learner

    def explain(self, row: Any) -> Workings:
        """Return the hand calculation of naive Bayes over the chosen columns."""
        kept = self._kept(self._one_row(row))
        workings = explain_row(self.estimator_, kept, self.estimator_.probabilities(kept)[0])
        return replace(workings, notes=(*workings.notes, *self._notes()))

    def _notes(self) -> tuple[str, ...]:
        columns = len(self.schema_.features)
        return (f"{len(self.selected_)} of {columns} columns were chosen by the {self.measure} without each row",)

    def path(self) -> Grid:
        """Return the chosen columns in their order, and how well the model did with every further one."""
        check_is_fitted(self)
        return path_grid(self)

    def tables(self) -> tuple[Grid, ...]:
        """Return the way of the selection, then the tables of naive Bayes."""
        return (self.path(), *self.estimator_.tables())

    def draw(self, what: str = "nomogram", *, most: int = 20, width: float = 760, **options: Any) -> Drawing:
        """Draw the "path" of the selection, the "nomogram" of two classes, or one "column" class by class."""
        check_is_fitted(self)
        if what not in ("nomogram", "column", "path"):
            raise CrakeError(f"draw({what!r}); expected 'nomogram', 'column' or 'path'")
        if what == "path":
            return draw_path(self, most, width)
        return self.estimator_.draw(what, most=most, width=width, **options).noted(*self._notes())

    def pictures(self, table: Table | None = None) -> tuple[Drawing, ...]:
        """Return the way of the selection, and the nomogram if a column was chosen."""
        path = self.draw("path")
        return (
            (path, *self.estimator_.pictures(None if table is None else self._kept(table)))
            if self.selected_
            else (path,)
        )

    def _cut_points(self, column: Column) -> Floats | None:
        return None if column.name in self.selected_ else np.zeros(0)

    def _crossings(self, query: RowQuery, column: Column, answer: int) -> Floats | None:
        del query, answer
        return None if column.name in self.selected_ else np.zeros(0)

    def _range(self, column: Column) -> Range | None:
        return self.estimator_._range(column) if column.name in self.selected_ else None  # noqa: SLF001 (the same hook)

    def __str__(self) -> str:
        if not hasattr(self, "path_"):
            return repr(self)
        return "\n\n".join([str(self.path()), str(self.estimator_)])
