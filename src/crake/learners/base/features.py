"""X as scikit-learn wants it: two-dimensional, dense, with the columns the estimator was fitted on."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from crake.errors import SchemaError
from crake.slow_modules import sklearn_utils, sklearn_validation, sparse
from crake.table.convert.frames import is_frame
from crake.table.lazy_frames import refuse_lazy


def checked_features(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X, checked; `reset` remembers its columns, otherwise they are held to those remembered."""
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
        _refuse_twins(X)
    sklearn_validation.validate_data(estimator, X, reset=reset, skip_check_array=True)
    return X


def _refuse_twins(frame: Any) -> None:
    """Estimators tell columns by name (tables that are read have doubled names changed)."""
    names = Counter(map(str, getattr(frame, "column_names", getattr(frame, "columns", ()))))
    double = [name for name, times in names.items() if times > 1]
    if double:
        raise SchemaError(
            f"{names[double[0]]} columns of X are called {double[0]!r}; every column needs a name of its own"
        )


def _cells(X: Any) -> Any:
    """Lists of rows that mix strings and numbers as objects: NumPy would make the numbers strings."""
    if isinstance(X, list | tuple):
        cells = np.asarray(X, dtype=object)
        if cells.ndim == 2 and np.asarray(X).dtype.kind in "US":
            return cells
    return X
