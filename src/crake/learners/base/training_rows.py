"""Rows that a learner may use: X, labels and weights as users give them, checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CellError, ColumnNotFound, CrakeError, DataError, SchemaError
from crake.learners.base.named_columns import frame_of_mapping, in_fitted_order
from crake.slow_modules import sklearn_multiclass, sklearn_utils, sklearn_validation, sparse
from crake.statistics import ClassCounts, Statistics
from crake.statistics.blocks import refuse_bad_weights
from crake.table.cells import numbers
from crake.table.codes import is_missing, observe
from crake.table.convert.export import label_array
from crake.table.convert.frame_columns import labels_of
from crake.table.convert.frames import is_frame
from crake.table.lazy_frames import refuse_lazy
from crake.table.schema import Column, Kind, Schema
from crake.table.table import Table


def present_rows(table: Table) -> Table:
    """Return the table without rows of weight 0 and rows of unknown class; its levels and classes stay."""
    present = table.target >= 0
    if table.weights is not None:
        refuse_bad_weights(table.weights)
        present &= table.weights > 0
    if not present.any():
        raise DataError(
            f"no row of {table.name} has a known {table.schema.target!r} and a positive weight; "
            "there is nothing to learn from"
        )
    return table if present.all() else table.take(np.flatnonzero(present))


def known_rows(statistics: Statistics, table: Table) -> int:
    """Return the number of rows of a scanned table with a known class; raise if it is 0."""
    rows = int(statistics[ClassCounts].counts.sum())
    if rows == 0:
        raise DataError(f"no row of {table.name} has a known {table.schema.target!r}; there is nothing to learn from")
    return rows


def observed_levels(table: Table) -> Table:
    """Return the table without undeclared levels that no row has, as X and y of just these rows would give it."""
    for column in table.schema.columns:
        if column.kind is Kind.NOMINAL and not column.declared:
            table = _without_absent_levels(table, column)
    return table


def _without_absent_levels(table: Table, column: Column) -> Table:
    codes = table.column(column.name)
    used = np.unique(codes[codes >= 0])
    if len(used) == len(column.levels):
        return table
    place = np.full(len(column.levels) + 2, -1, np.int32)  # the last two serve the codes -2 and -1
    place[used] = np.arange(len(used))
    place[-2] = -2
    levels = tuple(column.levels[code] for code in used)
    return replace(
        table,
        schema=table.schema.with_column(replace(column, levels=levels)),
        source=table.require_memory().with_columns({column.name: place[codes]}),
    )


def checked_labels(y: Any) -> NDArray[Any]:
    """Return one label per row, None where a label is missing.

    Whole numbers and truth values stay what they are beside missing ones, where NumPy would make them floats.

    >>> import pyarrow as pa
    >>> checked_labels(pa.array([True, None]))
    array([True, None], dtype=object)
    """
    if isinstance(y, np.ndarray | list | tuple) or getattr(y, "ndim", 1) != 1:
        labels: NDArray[Any] = sklearn_utils.column_or_1d(y, warn=True)
        return labels
    levels, codes = observe(labels_of(y.to_arrow() if hasattr(y, "to_arrow") else y))
    if (codes >= 0).all():
        return label_array(levels)[codes]
    return np.array([*levels, None], dtype=object)[codes]


def checked_numbers(y: Any) -> Floats:
    """Return one number per row, NaN if it is missing; raise if one is infinite."""
    y = sklearn_utils.column_or_1d(y, warn=True) if isinstance(y, np.ndarray | list | tuple) else labels_of(y)
    try:
        target: Floats = numbers(y, "y")
    except CellError as error:
        # A column to learn from may be taken as names; the numbers to predict may not.
        advice = "; expected numbers to predict: mend the value, or take a classifier"
        raise CellError(error.fault, advice) from None
    sklearn_utils.assert_all_finite(target[~np.isnan(target)], input_name="y")
    return target


def check_classes(y: NDArray[Any], known: NDArray[np.bool_]) -> None:
    """Raise if scikit-learn does not take y for classes: fractions, several outputs, mixed types."""
    if not known.any():
        raise DataError("every label in y is missing; there is nothing to learn from")
    labels = y[known]
    if y.dtype.kind == "O":
        _refuse_mixed(labels.tolist())
        # Numbers among Nones are objects to NumPy; without the Nones they are numbers again.
        labels = label_array(labels.tolist())
    if labels.dtype.kind == "f":
        sklearn_utils.assert_all_finite(labels, input_name="y")
    sklearn_multiclass.check_classification_targets(labels)


def labels_beside(X: Any, y: Any) -> NDArray[Any]:
    """Return the labels of the rows of X; raise if they are of another number, or no classes."""
    labels = checked_labels(y)
    sklearn_utils.check_consistent_length(X, labels)
    check_classes(labels, ~is_missing(labels))
    return labels


def table_to_transform(transformer: Any, table: Table, y: Any, sample_weight: Any, purpose: str) -> Table:
    """Return a table given to a transformer's `fit`, weighted, and note its columns; raise if it has none."""
    if y is not None:
        raise CrakeError("a Table brings its own target: call fit(table), or fit(X, y) with two arrays")
    if not table.schema.features:
        raise DataError(f"{table.name} has no column to {purpose} besides the target; text columns are not read")
    transformer.n_features_in_ = len(table.schema.features)
    transformer.feature_names_in_ = np.array([column.name for column in table.schema.features], dtype=object)
    return weighted(table, sample_weight)


def weighted(table: Table, sample_weight: Any) -> Table:
    """Return the table with these weights of its rows, if there are any."""
    return table if sample_weight is None else table.with_weights(row_weights(sample_weight, len(table)))


def _refuse_mixed(labels: list[Any]) -> None:
    """Raise if labels are of several types: text, numbers and truth values together have no order."""
    types = dict.fromkeys(map(type, labels))
    words = {word: kind for kind in types for word in _words(kind)}
    if len(words) > 1:
        examples = ", ".join(f"{next(x for x in labels if type(x) is kind)!r} ({word})" for word, kind in words.items())
        raise DataError(
            f"y holds labels of several types, {examples} among them; expected one type: make them all text, "
            "[str(label) for label in y]"
        )


def _words(kind: type) -> list[str]:
    """Return the name of a label's type in messages; nothing for other types."""
    if issubclass(kind, bool | np.bool_):
        return ["a truth value"]
    return ["text"] if issubclass(kind, str) else ["a number"] if issubclass(kind, Number) else []


def cells_in_order(row: Any, schema: Schema) -> NDArray[Any]:
    """Return one row as an array of objects, shape (1, features). A mapping is put in order, its gaps are missing."""
    features = [column.name for column in schema.features]
    if isinstance(row, Mapping):
        known = {str(name): value for name, value in row.items()}
        for name in known:
            if name not in schema:
                raise ColumnNotFound(name, features)
        row = [known.get(name) for name in features]
    cells = np.empty((1, len(features)), dtype=object)
    values = np.ravel(np.asarray(row, dtype=object))
    if len(values) != len(features):
        raise SchemaError(f"the row has {len(values)} values; expected {len(features)}: {', '.join(features[:20])}")
    cells[0] = values
    return cells


def row_weights(sample_weight: Any, rows: int) -> NDArray[np.float64]:
    """Return one finite, non-negative weight per row; raise if none is positive."""
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"sample_weight holds what is not a number ({error}); expected one weight per row") from error
    if weights.shape != (rows,):
        raise DataError(f"sample_weight has shape {weights.shape}; expected one weight for each of {rows} rows")
    refuse_bad_weights(weights)
    if not np.any(weights > 0):
        raise DataError("every weight is zero; there is nothing to learn from")
    return weights


def refuse_other_kinds(first: Schema, later: Schema) -> None:
    """Raise if a column that was numeric in the first rows now holds names: it keeps its kind."""
    now = {column.name: column for column in later.nominal}
    for column in first.numeric:
        if column.name in now:
            among = f", {now[column.name].levels[0]!r} among them" if now[column.name].levels else ""
            raise SchemaError(
                f"column {column.name!r} was numeric in the first rows and now holds names{among}; a column keeps the "
                f"kind of the first rows, and one without any value counts as numeric: say nominal=[{column.name!r}] "
                "from the start"
            )


def refuse_unlike(one: Any, other: Any) -> None:
    """Raise if two models differ in kind or parameters, and so cannot be merged."""
    if type(one) is not type(other):
        raise CrakeError(
            f"a {type(one).__name__} and a {type(other).__name__} cannot be merged; expected two of a kind"
        )
    mine, its = one.get_params(deep=False), other.get_params(deep=False)
    unlike = [name for name in mine if repr(mine[name]) != repr(its[name])]
    if unlike:
        differences = ", ".join(f"{name}={mine[name]!r} and {its[name]!r}" for name in unlike)
        raise CrakeError(f"models of different parameters cannot be merged: {differences}; fit both with the same")


def checked_features(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return X, two-dimensional and dense. `reset` remembers its columns; otherwise those of a frame are matched.

    A mapping of columns is a frame; without `reset` it may hold the cells of one row.
    """
    names = None if reset else getattr(estimator, "feature_names_in_", None)
    if isinstance(X, Mapping) and not sparse.issparse(X):  # SciPy's dictionary of keys is a mapping, too
        if not reset and names is None:
            raise SchemaError(
                f"expected an array, got {type(X).__name__}: {type(estimator).__name__} was fitted on columns without "
                "names, and takes them by position"
            )
        X = frame_of_mapping(X, names)
    if sparse.issparse(X):
        raise TypeError(f"Sparse data was passed, but {type(estimator).__name__} reads dense tables; use X.toarray()")
    refuse_lazy(X)
    if not is_frame(X):
        # Not float by force: a column of strings stays a column of strings, one of numbers beside it of numbers.
        # Infinite values are refused where the columns are coded.
        X = sklearn_utils.check_array(
            _cells(X), dtype=None, ensure_all_finite=False, estimator=estimator, input_name="X"
        )
    else:
        refuse_equal_names(getattr(X, "column_names", getattr(X, "columns", ())))
        X = X if names is None else in_fitted_order(X, list(names))
    sklearn_validation.validate_data(estimator, X, reset=reset, skip_check_array=True)
    return X


def refuse_equal_names(names: Iterable[object]) -> None:
    """Raise if two columns have one name: estimators tell columns by name. Reading a table changes such names."""
    times = Counter(map(str, names))
    double = [name for name, number in times.items() if number > 1]
    if double:
        raise SchemaError(
            f"{times[double[0]]} columns of X are called {double[0]!r}; every column needs a name of its own"
        )


def _cells(X: Any) -> Any:
    """Return lists of rows that mix strings and numbers as objects: NumPy would make the numbers strings."""
    if isinstance(X, list | tuple):
        cells = np.asarray(X, dtype=object)
        if cells.ndim == 2 and np.asarray(X).dtype.kind in "US":
            return cells
    return X


def learned_rows(X: Any, y: Any, sample_weight: Any, *, numeric: bool = False) -> NDArray[np.int64]:
    """Return the numbers, counted from 0, of the rows with a known target and a positive weight.

    >>> learned_rows([[1], [2], [3], [4]], ["a", None, "b", "b"], [1, 1, 0, 1]).tolist()
    [0, 3]
    """
    if isinstance(X, Table):
        column = X.column(X.schema.target or "")
        known = ~np.isnan(column) if X.schema[X.schema.target or ""].kind is Kind.NUMERIC else column >= 0
        weights = X.weights if sample_weight is None else sample_weight
    else:
        known = ~np.isnan(checked_numbers(y)) if numeric else ~is_missing(checked_labels(y))
        weights = sample_weight
    if weights is not None:
        known = known & (np.asarray(weights, np.float64) > 0)
    return np.flatnonzero(known).astype(np.int64)
