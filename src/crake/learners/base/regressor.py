"""The base of all regressors: X and y (or a Table with a numeric target) to a coded table and numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats
from crake.errors import CrakeError, DataError, SchemaError
from crake.learners.base.estimator import TableEstimator
from crake.learners.base.fitted import unchanged_on_error
from crake.learners.base.scikit_learn import Regressor
from crake.learners.base.state import StateReader
from crake.learners.base.state.schema import schema_with_numbers
from crake.learners.base.training_rows import checked_numbers, observed_levels, row_weights
from crake.notices import each_once
from crake.slow_modules import sklearn_utils
from crake.statistics.blocks import refuse_bad_weights
from crake.table.convert.frames import from_xy
from crake.table.lazy_frames import is_spark
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.scanned_table import parts, with_row_weights
from crake.table.sources.scanned_table import with_numbers as scan_of_numbers
from crake.table.table import Table


class TableRegressor(Regressor, TableEstimator):  # type: ignore[misc]
    """A scikit-learn regressor that takes columns as they are: strings, missing values, new values.

    Rows whose target is missing are not learned from; `left_out_` says how many there were. A learner implements
    `_learn(table, y)`, with one number per row, and `answers(table, rows)`.
    """

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from the rows of X and their numbers y; a Table brings its own target and weights."""
        self._validate_params()
        scan = self._scan_given(X)
        with unchanged_on_error(self):
            return self._fit_rows(X, y, sample_weight) if scan is None else self._fit_scan(scan, y, sample_weight)

    def _fit_rows(self, X: Any, y: Any, sample_weight: Any) -> Self:
        table, target = self._given_table(X, y) if isinstance(X, Table) else self._given_rows(X, y)
        if sample_weight is not None:
            table = table.with_weights(row_weights(sample_weight, len(table)))
        refuse_without_features(table)
        self.left_out_ = int(np.sum(np.isnan(target)))
        present, target = present_numbers(table, target)
        # A Table's levels are its schema's; those of X and y are the ones that the rows learned from have.
        present = present if isinstance(X, Table) or present is table else observed_levels(present)
        self.schema_ = present.schema
        self._learn(present, target)
        return self

    def predict(self, X: Any) -> Floats:
        """Return the number expected for each row; of a Spark data frame another one, with the numbers as a column."""
        if is_spark(X):
            return cast(Floats, self._predicted_frame(X, with_probabilities=False))
        table = self._coded(X)
        return self.answers(table) if table.in_memory else np.concatenate(list(self._by_part(table)))

    def predict_batches(self, table: Table) -> Iterator[tuple[int, Floats]]:
        """Yield the numbers part by part, each with the number of its first row: for tables larger than memory."""
        start = 0
        for answers in self._by_part(self._coded(table)):
            yield start, answers
            start += len(answers)

    def answers(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the number expected for rows of a table coded under this model's schema."""
        raise NotImplementedError

    def _by_part(self, coded: Table) -> Iterator[Floats]:
        # The target is not read: a scan knows targets as classes only.
        features = coded.select([column.name for column in coded.schema.features])
        return (self.answers(part, rows) for _, part, rows in parts(features))

    def _stored_schema(self, reader: StateReader) -> Schema:
        return schema_with_numbers(reader)

    def _learn(self, table: Table, y: Floats) -> None:
        raise NotImplementedError

    def _learn_scan(self, table: Table) -> None:
        """Learn from rows that need not fit into memory, and say how many were left out (`scans_rows`)."""
        raise NotImplementedError

    def _scan_given(self, X: Any) -> Table | None:
        """Return the table to scan; None for rows in memory, and where the learner cannot take it."""
        table = scan_of_numbers(X) if isinstance(X, Table) and self.scans_rows else None
        target = None if table is None or table.in_memory else table.schema.target
        return table if table is not None and target and table.schema[target].kind is Kind.NUMERIC else None

    def _fit_scan(self, table: Table, y: Any, sample_weight: Any) -> Self:
        if y is not None:
            raise CrakeError("a Table brings its own target: call fit(table), or fit(X, y) with two arrays")
        if sample_weight is not None:
            table = with_row_weights(table, row_weights(sample_weight, len(table)))
        refuse_without_features(table)
        self._take_columns_of(table)
        with each_once():
            self._learn_scan(table)
        return self

    def _take_columns_of(self, table: Table) -> None:
        self.n_features_in_ = len(table.schema.features)
        self.feature_names_in_ = np.array([column.name for column in table.schema.features], dtype=object)
        self.missing_ = table.missing

    def _given_table(self, table: Table, y: Any) -> tuple[Table, Floats]:
        if y is not None:
            raise CrakeError("a Table brings its own target: call fit(table), or fit(X, y) with two arrays")
        table.require_memory(type(self).__name__)
        target = table.schema.target
        if target is None or table.schema[target].kind is not Kind.NUMERIC:
            problem = "has no target" if target is None else f"has the target {target!r}, which is not numeric"
            raise SchemaError(
                f"{table.name} {problem}; a regressor predicts a number: read it with target=, numeric=[…], or take a "
                "classifier"
            )
        self._take_columns_of(table)
        return table, np.ascontiguousarray(table.column(target), np.float64)

    def _given_rows(self, X: Any, y: Any) -> tuple[Table, Floats]:
        if y is None:
            raise CrakeError(
                f"requires y to be passed, but the target y is None; give {type(self).__name__}.fit(X, y) "
                "the numbers, or a Table that brings its target"
            )
        self.missing_ = None
        X = self._checked(X, reset=True)
        target = checked_numbers(y)
        sklearn_utils.check_consistent_length(X, target)
        return with_numbers(from_xy(X, nominal=self.nominal), target), target


def refuse_without_features(table: Table) -> None:
    """Raise for a table with no column to learn from."""
    if not table.schema.features:
        raise DataError(f"{table.name} has no column to learn from besides the target; text columns are not read")


def present_numbers(table: Table, target: Floats) -> tuple[Table, Floats]:
    """Return the rows of known target and positive weight."""
    known = ~np.isnan(target)
    if table.weights is not None:
        refuse_bad_weights(table.weights)
        known &= table.weights > 0
    if not known.any():
        raise DataError("no row has a known target and a positive weight; there is nothing to learn from")
    if known.all():
        return table, target
    rows = np.flatnonzero(known)
    return table.take(rows), target[rows]


def with_numbers(table: Table, numbers: Floats, name: str = "target") -> Table:
    """Return the features and the numbers to predict, under a name that no feature has."""
    schema = schema_with_number(table.schema, name)
    return replace(table, schema=schema, source=table.require_memory().with_columns({str(schema.target): numbers}))


def schema_with_number(features: Schema, name: str) -> Schema:
    """Return the features and a number to predict, under a name that no feature has."""
    while name in features:
        name = f"_{name}"
    return Schema((*features.columns, Column(name, Kind.NUMERIC)), name)
