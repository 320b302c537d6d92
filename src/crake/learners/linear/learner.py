"""Linear regression: a number as a sum of terms, fitted by least squares to all the digits the rows allow."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats
from crake.errors import CrakeError, DataError, UnavailableAttribute
from crake.export.forms import Form
from crake.learners.base.card import Card
from crake.learners.base.fitted import check_is_fitted, unchanged_on_error
from crake.learners.base.parameters import StrOptions
from crake.learners.base.regressor import TableRegressor, refuse_without_features
from crake.learners.base.state import State, StateReader
from crake.learners.encoding import MISSING_POLICIES, design_of
from crake.learners.encoding.coefficients import Coefficient
from crake.learners.encoding.design import Design
from crake.learners.linear import fitting
from crake.learners.linear import state as stored
from crake.learners.linear.drawing import draw_coefficients
from crake.learners.linear.partitions import counts_and_moments
from crake.learners.linear.predict import sums_of_terms, terms_form
from crake.learners.linear.rows import RowsInMemory, RowsScanned
from crake.learners.linear.summary import LinearSummary
from crake.learners.linear.workings import ClosedForm, explain_row
from crake.render.drawing.drawing import Drawing
from crake.render.workings import Workings
from crake.slow_modules import special
from crake.statistics import ClassCounts
from crake.table.schema import Kind, Schema
from crake.table.table import Table

LARGEST = 1e145
"""The squares of larger numbers, added up over rows, leave the range of a double."""


EXACT = 1e-30
"""The share of the squares of y that rounding alone leaves over: y itself is rounded to 1e-16."""


class LinearRegressor(TableRegressor):
    """y = b + Σ terms × coefficient, with the least sum of squared errors.

    The cross-products of the columns are exact sums, and their equations are solved to the last digit: any order of the
    rows, in memory, scanned or in an engine, gives the same bits. Columns that are sums of earlier ones get no
    coefficient and are named (`aliased_`). Fewer rows than terms are solved by an orthogonal factorisation.

    Parameters
    ----------
    fit_intercept : whether there is a b.
    solver : "auto" (by rows and terms), "scatter" (cross-products) or "orthogonal" (a factorisation of the rows).
    missing : "indicator" (the mean and a coefficient for "is missing"), "mean", "drop" (the row) or "error".
    reference : of nominal columns: "first" level, most "frequent" one, or the levels by column.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> model = LinearRegressor().fit([[1.0], [2.0], [3.0], [4.0]], [1.0, 3.0, 4.0, 6.0])
    >>> print(model.summary().grid())
    Linear regression of target
      term         coefficient  std. error      t      p      95 % interval
      (intercept)         −0.5      0.3873  −1.29  0.326  [−2.1664, 1.1664]
      x0                   1.6     0.14142  11.31  0.008  [0.99151, 2.2085]
    """

    card = Card(
        title="linear regression",
        about="weighted sum of the columns with the least squared error",
        model="weights with intervals",
        missing="the mean, and a weight for a gap",
        time="one factorisation",
    )
    learns_from = "scan"  # twice: means, then cross-products
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "fit_intercept": ["boolean"],
        "solver": [StrOptions({"auto", "orthogonal", "scatter"})],
        "missing": [StrOptions(set(MISSING_POLICIES))],
        "reference": [StrOptions({"first", "frequent"}), dict],
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }
    design_: Design
    coefficient_: Floats
    closed_form_: ClosedForm | None

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        solver: str = "auto",
        missing: str = "indicator",
        reference: Any = "first",
        nominal: Any = "auto",
    ) -> None:
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.missing = missing
        self.reference = reference
        self.nominal = nominal

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from the rows of X and their numbers y; a Table brings its own target, and may be scanned."""
        if isinstance(X, Table) and not X.in_memory:
            from crake.table.sources.scanned_table import with_numbers  # noqa: PLC0415

            X = with_numbers(X)
            if _has_numbers(X.schema):
                self._validate_params()
                with unchanged_on_error(self):
                    self._scan(X, y, sample_weight)
                return self
        return super().fit(X, y, sample_weight)

    def answers(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Σ terms × coefficient of each row."""
        return sums_of_terms(self.design_, table, self.coefficient_, rows)

    def _form(self) -> Form:
        return terms_form(self.design_, self.coefficient_)

    @property
    def terms_(self) -> tuple[str, ...]:
        """The intercept, then the terms column by column."""
        return tuple(str(self.design_.terms[at]) for at in self._order)

    @property
    def coefficients_(self) -> Floats:
        """The coefficients in the order of `terms_`; NaN where a term has none."""
        return np.where(self.free_, self.coefficient_, np.nan)[self._order]

    @property
    def coef_(self) -> Floats:
        """The coefficients of `coef_names_`, in the table's units; 0 where a term has none (`aliased_`)."""
        return self._without_gaps()[int(self.fit_intercept) :]

    @property
    def intercept_(self) -> float:
        """The b; 0 without an intercept."""
        return float(self._without_gaps()[0]) if self.fit_intercept else 0.0

    @property
    def coef_names_(self) -> tuple[str, ...]:
        """The terms of `coef_`: the columns, and one per level of a nominal column; see `terms_`."""
        return self.terms_[int(self.fit_intercept) :]

    @property
    def _is_exact(self) -> bool:
        """True if the residuals are what rounding leaves of them: no error of a coefficient can be told from it."""
        return bool(self.degrees_of_freedom_ > 0 and self.total_ > 0 and self.squares_ <= EXACT * self.total_)

    def _without_gaps(self) -> Floats:
        check_is_fitted(self)
        return np.where(self.free_, self.coefficient_, 0.0)[self._order]

    @property
    def standard_errors_(self) -> Floats:
        """√(σ²·(X'WX)⁻¹) in the order of `terms_`; refused where no degree of freedom is left."""
        check_is_fitted(self)
        if self.degrees_of_freedom_ <= 0:
            raise UnavailableAttribute(
                f"there are no standard errors: {self.weight_:g} rows and {int(self.free_.sum())} coefficients leave "
                "no degree of freedom"
            )
        errors = np.full(len(self.free_), np.nan)
        errors[self.free_] = self.unscaled_error_ * np.sqrt(self.squares_ / self.degrees_of_freedom_)
        return errors[self._order]

    @property
    def aliased_(self) -> tuple[str, ...]:
        """Terms that are sums of earlier ones: they have no coefficient of their own."""
        return tuple(str(self.design_.terms[at]) for at in self._order if not self.free_[at])

    @property
    def degrees_of_freedom_(self) -> float:
        """Rows less coefficients."""
        return self.weight_ - int(self.free_.sum())

    @property
    def r2_(self) -> float | None:
        """1 − Σ residual² / Σ (y − mean)² (about 0 without an intercept); None where y is constant."""
        return 1.0 - self.squares_ / self.total_ if self.total_ > 0 else None

    def summary(self, confidence: float = 0.95) -> LinearSummary:
        """Coefficient, standard error, t, p and interval by term; R², RMSE, F."""
        check_is_fitted(self)
        if not 0 < confidence < 1:
            raise CrakeError(f"confidence is {confidence}; expected a share between 0 and 1: 0.95")
        degrees, slopes = self.degrees_of_freedom_, int(self.free_.sum()) - int(self.fit_intercept)
        r2 = self.r2_
        has_f = r2 is not None and degrees > 0 and slopes > 0 and self.squares_ > 0 and not self._is_exact
        f = ((self.total_ - self.squares_) / slopes) / (self.squares_ / degrees) if has_f else None
        adjust = (self.weight_ - int(self.fit_intercept)) / degrees if degrees > 0 else None
        return LinearSummary(
            self.schema_.target or "",
            self._lines(confidence),
            tuple(
                (column.name, str(level))
                for column in self.schema_.nominal
                if (level := self.design_.reference_level(column.name)) is not None
            ),
            self.weight_,
            degrees,
            float(np.sqrt(self.squares_ / degrees)) if degrees > 0 else None,
            float(np.sqrt(self.squares_ / self.weight_)) if self.weight_ else float("nan"),
            r2,
            None if r2 is None or adjust is None else 1.0 - (1.0 - r2) * adjust,
            f,
            None if f is None else float(special.fdtrc(slopes, degrees, f)),
            self.condition_,
            confidence,
            self.notes_,
        )

    @property
    def notes_(self) -> tuple[str, ...]:
        """Notes for a reader of the coefficients."""
        notes = []
        if self._is_exact:
            notes.append("the rows lie on the model but for rounding, so that errors, t and p mean nothing")
        if self.aliased_:
            named = ", ".join(self.aliased_[:12]) + (", …" if len(self.aliased_) > 12 else "")
            notes.append(f"constant, or a sum of earlier terms, and so without a coefficient: {named}")
        if self.condition_ > 1e8:
            notes.append(
                f"the columns are nearly sums of each other (condition {self.condition_:.1g}): coefficients change in "
                f"digit {max(1, int(16 - np.log10(self.condition_)))} when the data do in the last"
            )
        if self.dropped_:
            notes.append(f"{self.dropped_} rows with missing values were left out")
        if not self.weight_:
            notes.append("it was fitted elsewhere, and the rows are not known: there are no errors and no R²")
        return tuple(notes)

    def draw(
        self, *, confidence: float = 0.95, most: int = 30, standardised: bool = True, width: float = 700
    ) -> Drawing:
        """Draw the coefficients with their intervals, largest first; of numeric columns per standard deviation."""
        check_is_fitted(self)
        return draw_coefficients(self, confidence=confidence, most=most, standardised=standardised, width=width)

    def explain(self, row: Any) -> Workings:
        """Return the sum of terms; for one predictor the closed form of the lectures before it."""
        table = self._one_row(row)
        return explain_row(self, table, float(self.answers(table)[0]))

    def state(self) -> State:
        """Return the design, the coefficients and the sums of squares."""
        return {**super().state(), **stored.linear_state(self)}

    def restore(self, reader: StateReader) -> Self:
        """Take back the model."""
        super().restore(reader)
        stored.restore_linear(self, reader)
        return self

    def __str__(self) -> str:
        return str(self.summary()) if hasattr(self, "coefficient_") else repr(self)

    def _learn(self, table: Table, y: Floats) -> None:
        if np.abs(y).max() > LARGEST:
            raise DataError(
                f"the target holds {y[np.argmax(np.abs(y))]:g}; the squares of numbers beyond {LARGEST:g} cannot be "
                "added: divide the target by a constant"
            )
        rows = RowsInMemory(table, y, table.schema.target or "", self.missing == "drop")
        self._fit(rows, table.schema)

    def _scan(self, table: Table, y: Any, sample_weight: Any) -> None:
        if y is not None or sample_weight is not None:
            raise table.not_in_memory("fit with y or sample_weight")
        if self.solver == "orthogonal":
            raise table.not_in_memory("solver='orthogonal'", "take solver='auto'")
        refuse_without_features(table)
        self._take_columns_of(table)
        self._fit(RowsScanned(table, table.schema.target or "", self.missing == "drop"), table.schema)
        self.left_out_ = len(table) - int(self.weight_) - self.dropped_

    def _fit(self, rows: RowsInMemory | RowsScanned, schema: Schema) -> None:
        statistics = counts_and_moments(rows)
        total = float(statistics[ClassCounts].counts.sum())
        if total == 0:
            raise DataError("no row has a known target and no gap; there is nothing to learn from")
        design = design_of(statistics, missing=self.missing, reference=self.reference)
        named = {column.name: column for column in statistics.schema.columns}
        columns = tuple(named.get(c.name, c) for c in schema.columns)
        self.schema_ = Schema(columns, schema.target)
        self.design_ = replace(design, schema=self.schema_)
        if isinstance(rows, RowsScanned):
            rows = RowsScanned(_under(rows.table, self.schema_), rows.target, rows.drop)
        solution, sums, self.closed_form_ = self._solved(rows)
        if not np.isfinite(solution.coefficient).all():
            raise DataError("a coefficient leaves the range of floats; multiply its column by a constant")
        self.coefficient_, self.free_ = solution.coefficient, solution.free
        self.squares_, self.condition_ = solution.squares, float(solution.condition)
        self.unscaled_error_ = solution.unscaled_error
        self.weight_ = sums.weight
        self.total_ = sums.centred if self.fit_intercept else sums.about_zero
        self.dropped_ = rows.dropped

    def _solved(self, rows: RowsInMemory | RowsScanned) -> fitting.Fit:
        """Return the solution in the way that is asked for, or by the number of rows and terms."""
        if self.solver == "scatter" or isinstance(rows, RowsScanned):
            return fitting.by_products(rows, self.design_, intercept=self.fit_intercept)
        if self.solver == "orthogonal" or fitting.is_by_rows(len(rows.table), len(self.design_)):
            return fitting.by_orthogonal(rows, self.design_, intercept=self.fit_intercept)
        return fitting.by_either(rows, self.design_, intercept=self.fit_intercept)

    @property
    def _order(self) -> NDArray[np.intp]:
        order = self.design_.order
        return order if self.fit_intercept else order[order != self.design_.numbers]

    def _lines(self, confidence: float) -> tuple[Coefficient, ...]:
        degrees = self.degrees_of_freedom_
        errors = self.standard_errors_ if degrees > 0 else np.full(len(self._order), np.nan)
        width = float(special.stdtrit(degrees, 0.5 + confidence / 2)) if degrees > 0 else np.nan
        lines = []
        for at, error in zip(self._order, errors, strict=True):
            term, value = str(self.design_.terms[at]), float(self.coefficient_[at])
            if not self.free_[at]:
                lines.append(Coefficient(term, None, aliased=True))
            elif not error > 0 or self._is_exact:
                lines.append(Coefficient(term, value))
            else:
                t = value / float(error)
                p = 2.0 * float(special.stdtr(degrees, -abs(t)))
                low, high = value - width * float(error), value + width * float(error)
                lines.append(Coefficient(term, value, float(error), t, p, low, high))
        return tuple(lines)


def _has_numbers(schema: Schema) -> bool:
    return schema.target is not None and schema[schema.target].kind is Kind.NUMERIC


def _under(table: Table, schema: Schema) -> Table:
    """Return the scan under the levels that its first pass met."""
    from crake.table.sources.scanned_table import encode_scan  # noqa: PLC0415

    return encode_scan(table.with_target(None), schema.with_target(None)).with_target(schema.target)
