"""What every regressor shares: X and y (or a Table with a numeric target) to a coded table and numbers."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from crake.errors import CrakeError, DataError, SchemaError
from crake.learners.features import checked_features
from crake.learners.training import row_weights
from crake.statistics.gather import refuse_bad_weights
from crake.table.cells import numbers
from crake.table.columns import labels_of
from crake.table.frames import encode, from_xy
from crake.table.schema import Kind, Schema
from crake.table.table import Table

Floats = NDArray[np.float64]


class TableRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A scikit-learn regressor that takes columns as they are: strings, missing values, new values.

    Rows whose target is missing are not learned from; `left_out_` says how many there were. A learner implements
    `_learn(table, y)`, with one number a row, and `answers(table)`.
    """

    n_features_in_: int
    left_out_: int
    schema_: Schema
    nominal: Any
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from the rows of X and their numbers y; a Table brings its own target and weights."""
        self._validate_params()
        table, target = self._given_table(X, y) if isinstance(X, Table) else self._given_rows(X, y)
        if sample_weight is not None:
            table = table.with_weights(row_weights(sample_weight, len(table)))
        if not table.schema.features:
            raise DataError(f"{table.name} has no column to learn from besides the target; text columns are not read")
        self.schema_ = table.schema
        self._learn(*self._present(table, target))
        return self

    def predict(self, X: Any) -> Floats:
        """The number expected for each row."""
        check_is_fitted(self)
        if isinstance(X, Table):
            return self.answers(encode(X, self.schema_, by_name=True))
        return self.answers(encode(checked_features(self, X, reset=False), self.schema_))

    def answers(self, table: Table) -> Floats:
        """The number expected for each row of a table coded under this model's schema."""
        raise NotImplementedError

    def _learn(self, table: Table, y: Floats) -> None:
        raise NotImplementedError

    def _given_table(self, table: Table, y: Any) -> tuple[Table, Floats]:
        if y is not None:
            raise CrakeError("a Table brings its own target: call fit(table), or fit(X, y) with two arrays")
        target = table.schema.target
        if target is None or table.schema[target].kind is not Kind.NUMERIC:
            found = "has no target" if target is None else f"has the target {target!r}, which is not numeric"
            raise SchemaError(
                f"{table.name} {found}; a regressor predicts a number: read it with target=, numeric=[…], or take a "
                "classifier"
            )
        self.n_features_in_ = len(table.schema.features)
        self.feature_names_in_ = np.array([column.name for column in table.schema.features], dtype=object)
        features = table.select([column.name for column in table.schema.features])
        return features, np.ascontiguousarray(table.source.column(target), np.float64)

    def _given_rows(self, X: Any, y: Any) -> tuple[Table, Floats]:
        if y is None:
            raise CrakeError(
                f"requires y to be passed, but the target y is None; give {type(self).__name__}.fit(X, y) "
                "the numbers, or a Table that brings its target"
            )
        X = checked_features(self, X, reset=True)
        y = column_or_1d(y, warn=True) if isinstance(y, np.ndarray | list | tuple) else labels_of(y)
        target = numbers(y, "y")
        assert_all_finite(target[~np.isnan(target)], input_name="y")
        check_consistent_length(X, target)
        return from_xy(X, nominal=self.nominal), target

    def _present(self, table: Table, target: Floats) -> tuple[Table, Floats]:
        """The rows of known target and positive weight."""
        known = ~np.isnan(target)
        self.left_out_ = int(np.sum(~known))
        if table.weights is not None:
            refuse_bad_weights(table.weights)
            known &= table.weights > 0
        if not known.any():
            raise DataError("no row has a known target and a positive weight; there is nothing to learn from")
        if known.all():
            return table, target
        rows = np.flatnonzero(known)
        return table.take(rows), target[rows]
