"""Members of other libraries: columns become a matrix of numbers, and classes become probabilities in our order."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.base.classifier import TableClassifier, reads_tables
from crake.learners.base.estimator import TableEstimator
from crake.learners.base.foreseen import refuse_too_large
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.scikit_learn import clone
from crake.slow_modules import sklearn_base, sklearn_utils, sklearn_validation
from crake.table.convert.export import label_array
from crake.table.schema import Kind, Schema
from crake.table.table import Table

ROUNDING = 1e-3
"""The largest accepted difference of a sum of probabilities from 1: some libraries count in 32 bits."""
COPIES = "a member of another library learns from the rows of a sample: copies of a row change the sample"


def checked_member(learner: Any, seed: int = 1, for_regressors: str = "BaggingRegressor") -> TableClassifier:
    """Return a classifier that learns from tables: one of crake's as it is, one of another library wrapped.

    `seed` is the random_state of a learner of another library that has none set. `for_regressors` is the ensemble that
    the refusal of a regressor names.
    """
    if isinstance(learner, TableClassifier) and reads_tables(learner):
        return learner
    if _is_foreign(learner, "classifier"):
        return ForeignClassifier(_with_seed(learner, seed, only_unset=True))
    raise CrakeError(
        f"expected a classifier of crake, or one of another library with fit, predict and get_params, as the learner, "
        f"got a {type(learner).__name__}: {_advice(learner, 'classifier', f'{for_regressors} takes regressors')}"
    )


def checked_number_member(learner: Any, seed: int = 1, for_classifiers: str = "BaggingClassifier") -> TableRegressor:
    """Return a regressor that learns from tables: one of crake's as it is, one of another library wrapped.

    `seed` is as in `checked_member`. `for_classifiers` is the ensemble that the refusal of a classifier names.
    """
    if isinstance(learner, TableRegressor):
        return learner
    if _is_foreign(learner, "regressor"):
        return ForeignRegressor(_with_seed(learner, seed, only_unset=True))
    raise CrakeError(
        f"expected a regressor of crake, or one of another library with fit, predict and get_params, as the learner, "
        f"got a {type(learner).__name__}: {_advice(learner, 'regressor', f'{for_classifiers} takes classifiers')}"
    )


def takes_weights(learner: Any) -> bool:
    """Return True if the learner can be fitted to weighted rows; one of another library may not."""
    return learner.takes_weights if isinstance(learner, _Foreign) else True


def _is_foreign(learner: Any, kind: str) -> bool:
    """Return True for a learner of another library that says it is of this kind: "classifier" or "regressor"."""
    needed = all(hasattr(learner, name) for name in ("fit", "predict", "get_params"))
    return needed and not isinstance(learner, TableEstimator | type) and _says(learner, kind)


def _says(learner: Any, kind: str) -> bool:
    try:
        return bool(getattr(sklearn_base, f"is_{kind}")(learner))
    except AttributeError:  # it has no tags
        return getattr(learner, "_estimator_type", None) == kind


def _with_seed(learner: Any, seed: int, *, only_unset: bool = False) -> Any:
    """Return a clone with this seed, also for the steps of a pipeline."""
    copy = clone(learner)
    names = {
        name: seed & 0x7FFFFFFF
        for name, value in copy.get_params(deep=True).items()
        if name.rpartition("__")[2] == "random_state" and (value is None or not only_unset)
    }
    return copy.set_params(**names) if names else copy


def _advice(learner: Any, kind: str, otherwise: str) -> str:
    if isinstance(learner, type):
        return f"make one of the class, as in {learner.__name__}()"
    if isinstance(learner, TableEstimator) and not getattr(learner, "reads_tables", True):
        return "give the learner within it, and put the wrapper around the ensemble"
    if _says(learner, "regressor" if kind == "classifier" else "classifier"):
        return otherwise
    return f"it does not say that it is a {kind}, as scikit-learn's {kind.capitalize()}Mixin does"


class MatrixColumns:
    """The columns of a schema as columns of numbers: a number as it is, a name as one column of 0 and 1 for each level.

    A missing name, and one not met in training, has 0 in all of them. A missing number is the mean of the rows learned
    from, unless the learner takes missing values.
    """

    def __init__(self, schema: Schema, *, keeps_missing: bool) -> None:
        self.schema, self.keeps_missing = schema, keeps_missing
        self.sizes = [1 if column.kind is Kind.NUMERIC else len(column.levels) for column in schema.features]
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.intp)
        self.means = np.zeros(len(self.sizes))

    def fit(self, table: Table) -> Self:
        """Take the means of the numbers of these rows, by weight."""
        size = len(table) * float(self.starts[-1])
        refuse_too_large(8 * size, f"a matrix of {len(table):,} rows and {self.starts[-1]:,} columns", self.schema)
        for j, column in enumerate(self.schema.features):
            if column.kind is not Kind.NUMERIC or self.keeps_missing:
                continue
            values = table.column(column.name)
            known = ~np.isnan(values)
            if known.any() and not known.all():
                weights = None if table.weights is None else table.weights[known]
                self.means[j] = np.average(values[known], weights=weights)
        return self

    def matrix(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the rows as numbers, shape (rows, columns of numbers)."""
        matrix = np.zeros((len(table) if rows is None else len(rows), int(self.starts[-1])))
        for j, column in enumerate(self.schema.features):
            cells = table.column(column.name) if rows is None else table.column(column.name)[rows]
            if column.kind is Kind.NUMERIC:
                filled = cells if self.keeps_missing else np.where(np.isnan(cells), self.means[j], cells)
                matrix[:, self.starts[j]] = filled
            else:
                known = np.flatnonzero(cells >= 0)
                matrix[known, self.starts[j] + cells[known]] = 1.0
        return matrix

    def by_column(self, shares: Floats) -> Floats:
        """Return the sums of what the columns of numbers have, for each column of the table."""
        p = len(self.sizes)
        return np.bincount(np.repeat(np.arange(p), self.sizes), shares, p).astype(np.float64)


class _Foreign:
    """The base of classifiers and regressors of other libraries: the learner within, its seed, its matrix."""

    estimator: Any
    random_state: int | None
    columns_: MatrixColumns
    estimator_: Any
    nominal = "auto"

    @property
    def takes_weights(self) -> bool:
        """True if `fit` of the learner within has sample_weight."""
        return bool(sklearn_validation.has_fit_parameter(self.estimator, "sample_weight"))

    @property
    def feature_importances_(self) -> Floats:
        """The importances of the learner within, of a name the sum over its levels."""
        return self.columns_.by_column(np.asarray(self.estimator_.feature_importances_, np.float64))

    def __repr__(self) -> str:
        return repr(self.estimator)

    def _weight_exception(self) -> str:
        return COPIES

    def _finite(self, answers: Any, shape: tuple[int, ...]) -> Floats:
        """Return the answers of the learner within; raise if one is no number, or if they have another shape."""
        numbers = np.asarray(answers, np.float64)
        if len(shape) == 1 and numbers.shape == (*shape, 1):
            numbers = numbers[:, 0]
        if numbers.shape != shape:
            raise CrakeError(f"{self.estimator!r} answers numbers of the shape {numbers.shape}; expected {shape}")
        if not np.isfinite(numbers).all():
            raise CrakeError(
                f"{self.estimator!r} answers {numbers[~np.isfinite(numbers)][0]}; expected finite numbers: leave out "
                "columns that are constant, or take another learner"
            )
        return numbers

    def _fit_within(self, table: Table, y: NDArray[Any]) -> None:
        """Fit the learner within to the rows of a table; without weights if all of them weigh the same."""
        learner = clone(self.estimator)
        if self.random_state is not None:
            learner = _with_seed(learner, self.random_state)
        keeps = hasattr(learner, "__sklearn_tags__") and bool(sklearn_utils.get_tags(learner).input_tags.allow_nan)
        self.columns_ = MatrixColumns(table.schema, keeps_missing=keeps).fit(table)
        X, weights = self.columns_.matrix(table), table.weights
        if weights is None or np.all(weights == weights[0]):
            self.estimator_ = learner.fit(X, y)
        elif self.takes_weights:
            self.estimator_ = learner.fit(X, y, sample_weight=weights)
        else:
            raise CrakeError(f"{type(learner).__name__}.fit takes no sample_weight; take resample=True, or no weights")


class ForeignClassifier(_Foreign, TableClassifier):
    """A classifier of another library as a member of an ensemble: `estimator_` is the fitted one."""

    def __init__(self, estimator: Any, *, random_state: int | None = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def _learn(self, table: Table) -> None:
        self.schema_, self.classes_ = table.schema, label_array(table.schema.classes)
        self._codes = np.unique(table.target)
        if len(self._codes) > 1:  # most learners refuse rows of one class; that class is the prediction
            self._fit_within(table, np.searchsorted(self._codes, table.target))  # 0, 1, …: some take no gaps

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return P(class given row) as the learner within has it; 1 for its class if it gives no probabilities."""
        size = len(table) if rows is None else len(rows)
        probabilities = np.zeros((size, len(self.classes_)))
        if len(self._codes) == 1:
            probabilities[:, self._codes[0]] = 1.0
        elif hasattr(self.estimator_, "predict_proba"):
            own = self.estimator_.predict_proba(self.columns_.matrix(table, rows))
            probabilities[:, self._codes] = self._shares(self._finite(own, (size, len(self._codes))))
        else:
            codes = self._finite(self.estimator_.predict(self.columns_.matrix(table, rows)), (size,))
            wrong = codes[~np.isin(codes, np.arange(len(self._codes)))]
            if len(wrong):
                raise CrakeError(f"{self.estimator!r} answers {wrong[0]:g}; expected a class that it was fitted to")
            probabilities[np.arange(size), self._codes[codes.astype(np.intp)]] = 1.0
        return probabilities

    def _shares(self, own: Floats) -> Floats:
        """Return the probabilities of the learner within; raise if a row of them is none."""
        wrong = (own < 0).any(axis=1) | (np.abs(own.sum(axis=1) - 1) > ROUNDING)
        if wrong.any():
            raise CrakeError(
                f"{self.estimator!r} answers {own[wrong][0].tolist()}; expected probabilities, none below 0 and with "
                "the sum 1"
            )
        return own


class ForeignRegressor(_Foreign, TableRegressor):
    """A regressor of another library as a member of an ensemble: `estimator_` is the fitted one."""

    def __init__(self, estimator: Any, *, random_state: int | None = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def _learn(self, table: Table, y: Floats) -> None:
        self._fit_within(table, y)

    def answers(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the number that the learner within predicts for each row."""
        size = len(table) if rows is None else len(rows)
        return self._finite(self.estimator_.predict(self.columns_.matrix(table, rows)), (size,))
