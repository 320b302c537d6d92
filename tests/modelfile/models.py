"""Small fitted models, one of every kind that a model file can hold."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from sklearn.base import clone
from tests.contract.estimators import VARIANTS, title

import crake
from crake.table.examples import load
from crake.table.table import Table

TAX = load("tax")
"""Nominal and numeric columns beside each other."""


LEARNERS: dict[str, Any] = {title(variant): variant for variant in VARIANTS if hasattr(variant, "predict_proba")}
"""Every learner and every way through its code."""


@cache
def fitted(name: str) -> Any:
    """The learner of this name, fitted on nominal and numeric columns."""
    return clone(LEARNERS[name]).fit(TAX)


def small() -> Any:
    """A small model that has a tensor of every sort: text, counts, moments with exponents."""
    return crake.NaiveBayesClassifier().fit(TAX)


def gappy(table: Table) -> list[list[Any]]:
    """Rows with missing and unseen values, one a column."""
    width = len(table.schema.features)
    rows: list[list[Any]] = [[None] * width]
    for j, column in enumerate(table.schema.features):
        new = "a new value" if column.levels else 1e300
        rows.append([new if k == j else None for k in range(width)])
    return rows


def same_bits(one: Any, other: Any) -> bool:
    return np.asarray(one).tobytes() == np.asarray(other).tobytes()
