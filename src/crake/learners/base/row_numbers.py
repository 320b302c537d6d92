"""Numbers of the rows that `fit` learned from, for learners that name rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.learners.base.regressor import given_numbers
from crake.learners.base.training_rows import given_labels
from crake.table.codes import is_missing
from crake.table.schema import Kind
from crake.table.table import Table


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
        known = ~np.isnan(given_numbers(y)) if numeric else ~is_missing(given_labels(y))
        weights = sample_weight
    if weights is not None:
        known = known & (np.asarray(weights, np.float64) > 0)
    return np.flatnonzero(known).astype(np.int64)
