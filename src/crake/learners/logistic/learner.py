"""Logistic regression: the log odds of a class are a sum of terms, fitted by maximum likelihood."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError, UnavailableAttribute
from crake.export.forms import Form
from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.base.row_query import Range, RowQuery
from crake.learners.base.state import State, StateReader
from crake.learners.base.training_rows import known_rows
from crake.learners.encoding import MISSING_POLICIES, CompleteRows, NarrowRows, complete_rows, design_of
from crake.learners.logistic import state as stored
from crake.learners.logistic.crossings import linear_crossings
from crake.learners.logistic.drawing import draw_coefficients, nomogram_of
from crake.learners.logistic.fisher import Iteration
from crake.learners.logistic.fitting import Settings, fitted
from crake.learners.logistic.foreseen import PATIENCE, many_coefficients, seconds_of_fit
from crake.learners.logistic.form import scores_form
from crake.learners.logistic.separation import Separation
from crake.learners.logistic.summarise import notes_of, summary_of
from crake.learners.logistic.summary import LogisticSummary
from crake.learners.logistic.workings import explain_row
from crake.learners.pictures.nomogram import with_row
from crake.notices import warn
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.nomogram import nomogram_drawing
from crake.render.workings import Workings
from crake.statistics import ClassCounts, ClassMoments, Statistics, ValueCounts, gather
from crake.statistics.gather import Batches, Group
from crake.table.convert.export import label_array
from crake.table.schema import Column
from crake.table.sources.scanned_table import encode_scan, parts
from crake.table.table import Table


class LogisticClassifier(TableClassifier):
    """P(class given x) ∝ exp(score), score = Σ terms × coefficient; the score of the base class is 0.

    Fitted by maximum likelihood; if the likelihood has none (the classes are separated), a note says so, and
    the coefficients are those under a slight ridge penalty. Columns that are sums of others get no coefficient.
    `extent_` holds the least and the greatest value of each numeric column.

    Parameters
    ----------
    penalty : None (maximum likelihood), "ridge" or "firth".
    strength : of the ridge: log-likelihood − strength·Σ (coefficient × its column's standard deviation)².
    solver : "fisher" (Newton's method), or "gradient": the lectures' w ← w + η·Σ x·(y − p), with a trace.
    learning_rate : η of "gradient"; None is the largest that cannot overshoot.
    tol : stop when no coefficient (of a standardised column; for "gradient" as it is) changes by more than this.
    max_iter : None is 100, and 10,000 for "gradient".
    missing : "indicator" (the mean and a coefficient for "is missing"), "mean", "drop" (the row) or "error".
    reference : of nominal columns: "first" level, most "frequent" one, or the levels by column.
    contrasts : "reference", or "all": a coefficient for every level of a column with more than two, as WEKA has it.
    base_class : the class whose score is 0; None is the first that has rows. With "ridge" also a declared class
        without rows, as WEKA takes the last one.
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> hours = [[0.5], [1.0], [1.5], [2.0], [2.5], [3.0], [3.5], [4.0]]
    >>> model = LogisticClassifier().fit(hours, ["no", "no", "no", "yes", "no", "yes", "yes", "yes"])
    >>> print(model.summary().grids()[0])
    Log odds of yes against no
      term         coefficient  std. error      z      p       95 % interval  odds ratio
      (intercept)      −5.7703      4.0358  −1.43  0.153    [−13.68, 2.1397]   0.0031188
      x0                2.5646      1.7208   1.49  0.136  [−0.80817, 5.9373]      12.995
    """

    card = Card(
        title="logistic regression",
        about="weighted sum of the columns as log odds, by maximum likelihood",
        model="weights with intervals",
        missing="the mean, and a weight for a gap",
        probabilities="its own, usually near the truth",
        time="6 to 10 passes",
        too_much=many_coefficients,
        seconds=seconds_of_fit,
        patience=PATIENCE,
        usual_grid={"penalty": ["ridge"], "strength": [100.0, 10.0, 1.0, 0.1]},
    )
    learns_from = "scan"  # one per iteration
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "penalty": [StrOptions({"ridge", "firth"}), None],
        "strength": [Interval(Real, 0, None, closed="neither")],
        "solver": [StrOptions({"fisher", "gradient"})],
        "learning_rate": [Interval(Real, 0, None, closed="neither"), None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "missing": [StrOptions(set(MISSING_POLICIES))],
        "reference": [StrOptions({"first", "frequent"}), dict],
        "contrasts": [StrOptions({"reference", "all"})],
        "base_class": [str, Real, bool, None],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }

    narrow_codes: ClassVar[bool] = True

    coefficient_: Floats
    extent_: Floats | None
    error_: Floats | None
    refusal_: str
    separation_: Separation | None
    trace_: tuple[Iteration, ...]

    def __init__(
        self,
        penalty: str | None = None,
        *,
        strength: float = 1.0,
        solver: str = "fisher",
        learning_rate: float | None = None,
        tol: float = 1e-8,
        max_iter: int | None = None,
        missing: str = "indicator",
        reference: Any = "first",
        contrasts: str = "reference",
        base_class: Any = None,
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.penalty = penalty
        self.strength = strength
        self.solver = solver
        self.learning_rate = learning_rate
        self.tol = tol
        self.max_iter = max_iter
        self.missing = missing
        self.reference = reference
        self.contrasts = contrasts
        self.base_class = base_class
        self.class_weight = class_weight
        self.nominal = nominal

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return exp(score) of each class over their sum; a class without training rows has none."""
        full = self._scores(table, rows)
        full -= full.max(axis=1, keepdims=True)
        np.exp(full, out=full)
        full /= full.sum(axis=1, keepdims=True)
        return full

    def _form(self) -> Form:
        return scores_form(self)

    def decision_function(self, X: Any) -> Floats:
        """Return the log odds of `classes_[1]`, one per row; of more classes their scores, (rows, classes).

        The scores of a row sum to 0. A class without training rows has the score −∞.
        """
        table = self._coded(X)
        self._refuse_one_class()
        if table.in_memory:
            scores = self._scores(table, None)
        else:
            scores = np.concatenate([self._scores(part, rows) for _, part, rows in parts(table)])
        if scores.shape[1] == 2:
            odds: Floats = scores[:, 1] - scores[:, 0]
            return odds
        scores -= scores[:, self.role_ >= 0].mean(axis=1, keepdims=True)
        return scores

    @property
    def coef_(self) -> Floats:
        """The coefficients of `coef_names_`, as `decision_function` adds them up: (1, terms) for two classes.

        Of more classes (classes, terms); the coefficients of a term sum to 0. A term that has none (`aliased_`) has 0.
        """
        return np.ascontiguousarray(self._by_class()[:, 1:])

    @property
    def intercept_(self) -> Floats:
        """The intercepts that belong to `coef_`: one of two classes, else one per class."""
        return np.ascontiguousarray(self._by_class()[:, 0])

    @property
    def coef_names_(self) -> tuple[str, ...]:
        """The terms of `coef_`: the columns, and one per level of a nominal column; see `terms_`."""
        return self.terms_[1:]

    def summary(self, confidence: float = 0.95) -> LogisticSummary:
        """Coefficient, standard error, z, p, interval and odds ratio by term; deviance, AIC, pseudo-R²."""
        check_is_fitted(self)
        return summary_of(self, confidence)

    @property
    def coefficients_(self) -> Floats:
        """Coefficients (terms, classes but the base) in the table's units, in the order of `terms_`; NaN: none."""
        users = self.design_.in_users_units(self.coefficient_)
        users[~self.free_] = np.nan
        return users[self.design_.order]

    @property
    def standard_errors_(self) -> Floats:
        """Standard errors in the same order; refused, with the reason, under a penalty or separation."""
        check_is_fitted(self)
        if self.error_ is None:
            raise UnavailableAttribute(f"there are no standard errors: {self.refusal_}")
        errors = self.error_.copy()
        errors[~self.free_] = np.nan
        return errors[self.design_.order]

    @property
    def terms_(self) -> tuple[str, ...]:
        """The intercept, then the terms column by column."""
        return tuple(str(self.design_.terms[at]) for at in self.design_.order)

    @property
    def aliased_(self) -> tuple[str, ...]:
        """Terms that are constant or sums of earlier ones: they have no coefficient of their own."""
        return tuple(str(self.design_.terms[at]) for at in self.design_.order if not self.free_[at])

    @property
    def notes_(self) -> tuple[str, ...]:
        """Notes for a reader of the coefficients."""
        return notes_of(self)

    def _scores(self, table: Table, rows: NDArray[np.intp] | None) -> Floats:
        """Return the score of every class: 0 of the base class, −∞ of classes without training rows."""
        scores = np.clip(self.design_.scores(table, self.coefficient_, rows), -1e300, 1e300)
        full = np.full((len(scores), len(self.classes_)), -np.inf)
        full[:, self.role_ == 0] = 0.0
        for k in range(self.outputs_):
            full[:, self.role_ == k + 1] = scores[:, k : k + 1]
        return full

    def _log_probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        logs = self._scores(table, rows)
        logs -= logs.max(axis=1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
        return logs

    def _by_class(self) -> Floats:
        """Return intercept and coefficients by class, in the table's units and in the order of `terms_`."""
        check_is_fitted(self)
        self._refuse_one_class()
        users = np.nan_to_num(self.coefficients_, nan=0.0, posinf=np.inf, neginf=-np.inf)
        full = np.zeros((len(self.classes_), len(users)))
        for k in range(self.outputs_):
            full[self.role_ == k + 1] = users[:, k]
        full[self.role_ < 0, 0] = -np.inf
        if len(full) == 2:
            return full[1:] - full[:1]
        full[self.role_ >= 0] -= full[self.role_ >= 0].mean(axis=0)
        return full

    def _refuse_one_class(self) -> None:
        if self.outputs_ == 0:
            raise UnavailableAttribute("training had one class only, so there is no score between classes")

    def _crossings(self, query: RowQuery, column: Column, answer: int) -> Floats:
        return linear_crossings(self, query, column, answer)

    def _range(self, column: Column) -> Range | None:
        return self.design_.range(self.schema_.numeric.index(column))

    def draw(
        self,
        what: str = "nomogram",
        *,
        positive: Any = None,
        against: Any = None,
        most: int = 20,
        confidence: float = 0.95,
        standardised: bool = True,
        table: Table | None = None,
        row: Any = None,
        width: float = 760,
    ) -> Drawing:
        """Draw the "nomogram" (points for each value), or the "coefficients" with their intervals, largest first.

        A nomogram's numbers go as far as those of `table`, or of the rows learned from; the values of a `row` are
        marked in it. Coefficients of numbers are drawn per standard deviation unless `standardised` is False.
        """
        check_is_fitted(self)
        if what == "coefficients":
            return draw_coefficients(
                self, positive=positive, confidence=confidence, most=most, standardised=standardised, width=width
            )
        if what != "nomogram":
            raise CrakeError(f"draw({what!r}); expected 'nomogram' or 'coefficients'")
        picture = nomogram_of(self, positive, against, most, table)
        picture = picture if row is None else with_row(picture, self._one_row(row), self.probabilities)
        return nomogram_drawing(picture, width)

    def pictures(self, table: Table | None = None) -> tuple[Drawing, ...]:
        """Return the nomogram; numbers go as far as those of `table`."""
        return (self.draw(table=table),)

    def explain(self, row: Any) -> Workings:
        """Return the sum of terms, the odds, the probability."""
        table = self._one_row(row)
        return explain_row(self, table, self.probabilities(table)[0])

    def state(self) -> State:
        """Return the design, the coefficients, their errors and the figures of the fit."""
        return {**super().state(), **stored.logistic_state(self)}

    def restore(self, reader: StateReader) -> Self:
        """Take back the model."""
        super().restore(reader)
        stored.restore_logistic(self, reader)
        return self

    def __str__(self) -> str:
        return str(self.summary()) if hasattr(self, "coefficient_") else repr(self)

    def _validate_params(self) -> None:
        super()._validate_params()
        if self.penalty == "firth" and self.solver == "gradient":
            raise CrakeError("penalty='firth' has a way to its maximum of its own; leave solver='gradient' away")

    def _learn(self, table: Table) -> None:
        self.learn_from(*self._gathered(table))

    def gather(self, table: Batches, group: Group | None = None, groups: int = 1) -> Statistics:
        """Counts and moments of the rows, for each group (fold) of them apart."""
        return gather(table, [ClassCounts, ValueCounts, ClassMoments], group=group, groups=groups)

    def learn_from(self, rows: Batches, statistics: Statistics) -> Self:
        """Fit the model to these rows, which are scanned once per iteration; the statistics are theirs."""
        self.schema_ = statistics.schema
        self.classes_ = label_array(statistics.classes)
        self.class_count_ = statistics[ClassCounts].counts.sum(axis=0)
        self.design_ = design_of(statistics, missing=self.missing, reference=self.reference, contrasts=self.contrasts)
        self.role_ = self._roles()
        self.outputs_ = int(self.role_.max())
        known = self.class_count_[self.class_count_ > 0]
        self.null_log_likelihood_ = float(np.sum(known * (np.log(known) - np.log(known.sum()))))
        if self.outputs_ == 0:
            self._one_class()
        else:
            self._fit(rows, statistics)
        return self

    def _gathered(self, table: Table) -> tuple[Batches, Statistics]:
        """Return the rows to learn from, and their counts and moments."""
        if table.in_memory:
            narrow = NarrowRows.of(complete_rows(table) if self.missing == "drop" else table)
            self.dropped_ = len(table) - len(narrow)
            return narrow, self.gather(narrow.in_order_of_weights())
        rows: Batches = CompleteRows(table) if self.missing == "drop" else table
        statistics = self.gather(rows)
        known = known_rows(statistics, table)
        self.dropped_ = rows.dropped if isinstance(rows, CompleteRows) else 0
        self.left_out_ = len(table) - known - self.dropped_
        scan = encode_scan(table, statistics.schema)
        return CompleteRows(scan) if self.missing == "drop" else scan, statistics

    def _roles(self) -> NDArray[np.int32]:
        """Return 0 for the base class, 1, 2 … for the others in their order, −1 for classes without rows."""
        role = np.full(len(self.classes_), -1, np.int32)
        present = np.flatnonzero(self.class_count_ > 0)
        base = int(present[0])
        if self.base_class is not None:
            named = [k for k, label in enumerate(self.classes_.tolist()) if label == self.base_class]
            # Without rows its probability goes to 0, and a ridge treats all other classes alike, as WEKA's does.
            if not named or (named[0] not in present and self.penalty != "ridge"):
                raise CrakeError(
                    f"base_class is {self.base_class!r}; expected one of {self.classes_[present].tolist()}"
                    + (", or penalty='ridge' for a class without rows" if named else "")
                )
            base = named[0]
        others = [k for k in present if k != base]
        role[base], role[others] = 0, np.arange(1, len(others) + 1)
        return role

    def _one_class(self) -> None:
        """Fit rows of one class: it is certain, and no coefficient means anything."""
        self.coefficient_, self.extent_ = np.zeros((len(self.design_), 0)), None
        self.free_ = ~self.design_.is_constant
        self.error_, self.refusal_ = None, "training had one class only"
        self.separation_ = None
        self.log_likelihood_, self.n_iter_, self.converged_ = 0.0, 0, True
        self.trace_ = ()

    def _fit(self, rows: Batches, statistics: Statistics) -> None:
        most = self.max_iter if self.max_iter is not None else 10_000 if self.solver == "gradient" else 100
        settings = Settings(self.penalty, self.strength, self.solver, self.learning_rate, self.tol, most)
        model = fitted(rows, statistics, self.design_, self.role_, settings)
        self.coefficient_, self.free_, self.extent_ = model.fit.coefficient, model.free, model.extent
        self.separation_, self.refusal_ = model.separation, model.refusal
        self.log_likelihood_ = float(model.fit.log_likelihood)
        self.trace_, self.n_iter_, self.converged_ = model.fit.trace, len(model.fit.trace), model.fit.converged
        self.error_ = None
        if model.covariance is not None:
            self.error_ = np.stack([self.design_.users_errors(block) for block in model.covariance], axis=1)
        if not self.converged_:
            warn(f"LogisticClassifier has not converged: {model.fit.stopped}; see trace_, or raise max_iter")
