"""The transformer that keeps the columns worth learning from."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats
from crake.errors import CrakeError, DataError
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.completion import completed
from crake.learners.base.fitted import check_is_fitted, unchanged_on_error
from crake.learners.base.parameters import HasMethods, Interval, StrOptions, check_parameters
from crake.learners.base.regressor import TableRegressor, present_numbers, with_numbers
from crake.learners.base.scikit_learn import Estimator, Transformer
from crake.learners.base.state import Labels, State, StateReader
from crake.learners.base.state.schema import schema_state
from crake.learners.base.training_rows import (
    checked_features,
    checked_numbers,
    labels_beside,
    present_rows,
    table_to_transform,
    weighted,
)
from crake.learners.discretize.state import feature_names_of, features_of
from crake.learners.linear.learner import LinearRegressor
from crake.learners.meta.inner_folds import inner_rounds, models_of_each
from crake.learners.meta.select.cfs import Correlations, Subset, best_subset, forward
from crake.learners.meta.select.numbers import as_intervals, has_numbers, numbers_of, r_squared_held_out, with_means
from crake.learners.meta.select.scores import by_chi_square, by_information
from crake.learners.naive_bayes import NaiveBayesClassifier
from crake.plans import CrossValidation
from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.slow_modules import sklearn_utils
from crake.table.convert.frames import from_xy, is_frame
from crake.table.schema import Schema
from crake.table.table import Table

METHODS = ("mutual-information", "chi-square", "cfs", "wrapper")
MOST_TRIED = 50
"""Columns that the wrapper tries to add; of more those with most information about the class."""


class Select(Transformer, Estimator):  # type: ignore[misc]
    """Keeps the columns that say something about the target; they pass as they are, names and missing values too.

    A target of numbers (numeric in a Table, with fractions in y) counts as at most five intervals of equally many rows.

    Fitted: `support_` (True for columns that are kept), `scores_` and, of single columns, `p_values_`.

    Parameters
    ----------
    method : "mutual-information" and "chi-square" score each column by itself; "cfs" looks for columns that go with
        the class and not with each other (Hall); "wrapper" adds columns as long as `estimator` gets better on rows held
        out.
    k : how many columns are kept, of "cfs" and "wrapper" at most. None: of single columns those that say more than
        chance does (Holm, 5 %), otherwise what the search finds. One column is always kept.
    estimator : the learner of "wrapper", one of crake's; naive Bayes, or linear regression for numbers, if None.
    plan : how "wrapper" holds rows out; 5-fold cross-validation if None, stratified by class.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> print(Select("cfs").fit(load("iris")))
    Columns by cfs: 2 of 4
      column              score  kept
      sepal length (cm)  0.4087
      sepal width (cm)   0.2453
      petal length (cm)  0.8064   yes
      petal width (cm)   0.8705   yes
    >>> Select(k=1).fit_transform([[1.0, 3.0], [1.0, 4.0], [7.0, 3.0], [7.0, 4.0]], [0, 0, 1, 1]).ravel().tolist()
    [1.0, 1.0, 7.0, 7.0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "method": [StrOptions(set(METHODS))],
        "k": [Interval(Integral, 1, None, closed="left"), None],
        "estimator": [HasMethods(["fit", "predict"]), None],
        "plan": [HasMethods(["rounds", "describe"]), None],
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }

    def __init__(
        self,
        method: str = "mutual-information",
        *,
        k: int | None = None,
        estimator: Any = None,
        plan: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.method = method
        self.k = k
        self.estimator = estimator
        self.plan = plan
        self.nominal = nominal

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags

    def __dir__(self) -> list[str]:
        """Return the names that tab completion shows."""
        return completed(super().__dir__(), self._get_param_names())

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Choose columns by the rows of X and their labels or numbers y; a Table brings its own target and weights."""
        self._validate_params()
        with unchanged_on_error(self):
            table = self._training_table(X, y, sample_weight)
            if has_numbers(table):
                return self.fit_rows(present_numbers(table, numbers_of(table))[0])
            return self.fit_rows(present_rows(table))

    def fit_rows(self, table: Table) -> Self:
        """Choose columns by a table in memory whose rows all have a target and a weight."""
        features = [column.name for column in table.schema.features]
        self.schema_: Schema = table.schema.select(features)
        self.p_values_: Floats | None = None
        chosen = self._chosen(table)
        self.support_: NDArray[np.bool_] = np.isin(np.arange(len(features)), chosen)
        return self

    def transform(self, X: Any) -> Any:
        """Return the columns that are kept: a Table of a Table, a frame of a frame, an array of an array."""
        check_is_fitted(self)
        if isinstance(X, Table):
            return X.select([name for name in X.schema.names if name not in self.schema_ or name in self.names])
        X = checked_features(self, X, reset=False)
        return _columns(X, np.flatnonzero(self.support_).tolist())

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Return True for each column that is kept, or the positions of these columns."""
        check_is_fitted(self)
        return np.flatnonzero(self.support_) if indices else self.support_

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that are kept."""
        check_is_fitted(self)
        names = sklearn_utils.validation._check_feature_names_in(self, input_features)  # noqa: SLF001
        names_out: NDArray[Any] = np.asarray(names, dtype=object)[self.support_]
        return names_out

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are kept, as the table names them."""
        return tuple(name for name, is_in in zip(self.schema_.names, self.support_, strict=True) if is_in)

    def grid(self) -> Grid:
        """Return one line per column: its score, and if it is kept."""
        check_is_fitted(self)
        rows = [
            (shown(name, 40), f"{score:.4g}", "yes" if is_in else "")
            for name, score, is_in in zip(self.schema_.names, self.scores_.tolist(), self.support_, strict=True)
        ]
        title = f"Columns by {self.method}: {int(self.support_.sum())} of {len(self.support_)}"
        return Grid(title, ("column", "score", "kept"), tuple(rows))

    def __str__(self) -> str:
        return str(self.grid()) if hasattr(self, "support_") else repr(self)

    def check_stored(self) -> None:
        """Check parameters from a model file."""
        self._validate_params()

    def checked(self) -> Self:
        """Check the parameters and return the transformer itself; `fit` does so on its own."""
        self._validate_params()
        return self

    def state(self) -> State:
        """Return what a model file holds beside the parameters: the columns, their scores, and which are kept."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        return {
            "schema": schema_state(self.schema_),
            "support": self.support_.astype(np.int64),
            "scores": self.scores_,
            "p_values": np.zeros(0) if self.p_values_ is None else self.p_values_,
            "feature_names": None if names is None else Labels(tuple(map(str, names))),
        }

    def restore(self, reader: StateReader) -> Self:
        """Take back a stored state; raise if its parts do not fit together."""
        self.schema_ = features_of(reader)
        n = len(self.schema_.columns)
        self.support_ = reader.integers("support", np.int64, (n,), 0, 1).astype(bool)
        if not self.support_.any():
            raise reader.refusal("support", "keeps no column", "one column at least")
        self.scores_ = reader.floats("scores", (n,))
        p_values = reader.floats("p_values", (None,), 0.0, 1.0)
        if len(p_values) not in (0, n):
            raise reader.refusal("p_values", f"has {len(p_values)}", f"0 or {n}")
        self.p_values_ = p_values if len(p_values) else None
        self.n_features_in_ = n
        if (names := feature_names_of(reader, n)) is not None:
            self.feature_names_in_ = names
        return self

    def _validate_params(self) -> None:
        check_parameters(self._parameter_constraints, self.get_params(deep=False), type(self).__name__)
        if self.estimator is not None and not isinstance(self.estimator, TableClassifier | TableRegressor):
            raise CrakeError(
                f"the wrapper takes crake's learners, got a {type(self.estimator).__name__}; scikit-learn's "
                "SequentialFeatureSelector does the same for those of scikit-learn"
            )

    def _inner(self, table: Table) -> Any:
        """Return the learner of the wrapper; raise if it does not predict what the target holds."""
        if self.estimator is None:
            return LinearRegressor() if has_numbers(table) else NaiveBayesClassifier()
        if isinstance(self.estimator, TableRegressor) != has_numbers(table):
            expected = "a regressor, as the target is numeric" if has_numbers(table) else "a classifier"
            raise CrakeError(f"the learner of the wrapper: expected {expected}, got a {type(self.estimator).__name__}")
        return self.estimator

    def _chosen(self, table: Table) -> Sequence[int]:
        classed = as_intervals(table) if has_numbers(table) else table
        if self.method == "cfs":
            correlations = Correlations.of(classed)
            self.scores_ = correlations.of_class
            return best_subset(correlations, self.k)
        scored = by_chi_square(classed) if self.method == "chi-square" else by_information(classed)
        scored = with_means(scored, table) if has_numbers(table) else scored
        self.scores_ = scored.scores
        if self.method == "wrapper":
            return self._by_wrapper(table, scored.rank[:MOST_TRIED])
        self.p_values_ = scored.p_values
        return scored.chosen(self.k)

    def _by_wrapper(self, table: Table, tried: Sequence[int]) -> Subset:
        """Return the columns with which the learner does best on rows held out; the first one if none can be held out.

        `scores_` is the accuracy, or R², with each column alone, 0 for columns that are not tried.
        """
        inner, is_numeric = self._inner(table), has_numbers(table)
        plan = CrossValidation(5, stratified=not is_numeric) if self.plan is None else self.plan
        names, scores = self.schema_.names, np.zeros(len(self.schema_.names))
        codes = np.zeros(len(table), np.int32) if is_numeric else table.target
        try:
            rounds = tuple(inner_rounds(plan, codes, table.schema.classes))
        except DataError:  # one class, one row: nothing can be held out
            return tuple(tried[:1])

        def value_of(subset: Subset) -> float:
            part = table.select([*(names[j] for j in subset), table.schema.target or ""])
            if is_numeric:
                value = r_squared_held_out(inner, part, rounds)
            else:
                value = float(np.mean([_accuracy(inner, part, each) for each in rounds]))
            if len(subset) == 1:
                scores[subset[0]] = value
            return value

        chosen = forward(value_of, sorted(tried), self.k)
        self.scores_ = scores
        return chosen

    def _training_table(self, X: Any, y: Any, sample_weight: Any) -> Table:
        if isinstance(X, Table):
            if not X.in_memory:
                raise X.not_in_memory("Select")
            return table_to_transform(self, X, y, sample_weight, "choose from")
        X = checked_features(self, X, reset=True)
        if y is None:
            raise CrakeError(
                "requires y to be passed, but the target y is None; Select looks at the target: give fit(X, y)"
            )
        if _has_fractions(y):
            numbers = checked_numbers(y)
            sklearn_utils.check_consistent_length(X, numbers)
            return weighted(with_numbers(from_xy(X, nominal=self.nominal), numbers), sample_weight)
        return weighted(from_xy(X, labels_beside(X, y), nominal=self.nominal), sample_weight)


def _has_fractions(y: Any) -> bool:
    """Return True for numbers that are not all whole: no classes, but a target of numbers."""
    values = np.asarray(y)
    if values.dtype.kind != "f" or values.ndim != 1:
        return False
    known = values[np.isfinite(values)]
    return bool((known != np.floor(known)).any())


def _accuracy(learner: Any, table: Table, assignment: Any) -> float:
    right = tested = 0.0
    for _, _, rows, model in models_of_each([learner], table, assignment):
        weights = np.ones(len(rows)) if table.weights is None else table.weights[rows]
        is_right = model.decide(model.probabilities(table, rows)) == table.target[rows]
        right, tested = right + float(weights[is_right].sum()), tested + float(weights.sum())
    return right / tested if tested > 0 else 0.0


def _columns(X: Any, places: list[int]) -> Any:
    """Return some columns of an array or a frame, in the form that it has."""
    if not is_frame(X):
        return X[:, places]
    if hasattr(X, "iloc"):
        return X.iloc[:, places]
    return X.select(places) if hasattr(X, "column_names") else X[:, places]
