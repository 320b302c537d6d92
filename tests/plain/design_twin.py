"""The design matrix, slow and obvious: one column a term, zeros and ones written out."""

from __future__ import annotations

from typing import Any

import numpy as np

from crake.table.schema import Kind
from crake.table.table import Table


def design_matrix(training: Table, table: Table) -> tuple[list[str], np.ndarray]:
    """Names and columns: the intercept, then each column's terms in table order; gaps indicated, first left out."""
    weights = np.ones(len(training)) if training.weights is None else training.weights
    names, columns = ["(intercept)"], [np.ones(len(table))]
    for column in training.schema.features:
        known, cells = training.source.column(column.name), table.source.column(column.name)
        if column.kind is Kind.NUMERIC:
            names, columns = [*names, column.name], [*columns, _standardised(known, weights, cells)]
            gaps = np.isnan(known)
            missing = np.isnan(cells)
        else:
            used = [code for code in range(len(column.levels)) if np.any(known == code)]
            for code in used[1:]:
                names, columns = [*names, f"{column.name} = {column.levels[code]}"], [*columns, cells == code]
            gaps, missing = known == -1, cells == -1
        if gaps.any() and not gaps.all():
            names, columns = [*names, f"{column.name} missing"], [*columns, missing]
    return names, np.column_stack([np.asarray(one, float) for one in columns])


def _standardised(known: Any, weights: np.ndarray, cells: Any) -> np.ndarray:
    has = ~np.isnan(known)
    if not has.any():
        return np.zeros(len(cells))
    w, x = weights[has], known[has]
    mean = np.sum(w * x) / w.sum()
    square = np.sum(w * (x - mean) ** 2)
    spread = np.sqrt(square / (w.sum() - 1 if w.sum() > 1 else w.sum()))
    z = (cells - mean) / spread if np.ptp(x) > 0 else np.zeros(len(cells))
    return np.where(np.isnan(cells), 0.0, z)
