"""Costs of errors: the total, mean and normalised cost of predictions, and the expected costs of each."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import DataError
from crake.metrics.confusion.matrix import ConfusionMatrix
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.estimate import Estimate
from crake.metrics.inputs import row_probabilities

__all__ = ["CostMatrix", "expected_costs", "mean_cost", "normalised_cost", "total_cost"]


def total_cost(matrix: ConfusionMatrix, costs: CostMatrix) -> Estimate:
    """Σ_j Σ_i n(j called i) · C(i given j).

    >>> cancer = ConfusionMatrix(("yes", "no"), np.array([[90, 210], [140, 9560]]))
    >>> costs = CostMatrix.of_errors(("yes", "no"), "yes", false_positive=1, false_negative=100)
    >>> print(total_cost(cancer, costs))                                              # 210 · 100 + 140 · 1
    21140.000 [18323.208, 24050.974]
    """
    C = costs.aligned(matrix.labels).costs
    return matrix.estimate(partial(_total, C), "sum of costs", "no rows")


def mean_cost(matrix: ConfusionMatrix, costs: CostMatrix) -> Estimate:
    """Total cost / n: what a row costs. With cost 1 for every error it is the error.

    >>> errors_cost_1 = CostMatrix.of_errors(("yes", "no"), "yes", false_positive=1, false_negative=1)
    >>> mean_cost(ConfusionMatrix(("yes", "no"), np.array([[90, 210], [140, 9560]])), errors_cost_1).value
    0.035
    """
    C = costs.aligned(matrix.labels).costs
    return matrix.estimate(partial(_mean, C), "mean cost of a row", "no rows")


def normalised_cost(matrix: ConfusionMatrix, costs: CostMatrix) -> Estimate:
    """(cost − least) / (most − least): 0 if every row were called the cheapest for its class, 1 if the dearest."""
    C = costs.aligned(matrix.labels).costs
    why = "every call costs the same" if matrix.total else "no rows"
    return matrix.estimate(partial(_normalised, C), "share of the cost that could be lost", why)


def expected_costs(probabilities: ArrayLike, costs: CostMatrix) -> Floats:
    """Return for each row and predicted class Σ_j p_j · C(i given j), shape (rows, K); `costs` in the order of p.

    The cheapest call of a row is the `argmin` of its line.

    >>> loans = CostMatrix.of_errors(("good", "bad"), positive="bad", false_positive=1, false_negative=5)
    >>> expected_costs([[0.75, 0.25]], loans)                                    # so it is called bad
    array([[1.25, 0.75]])
    """
    P = row_probabilities(probabilities, len(np.atleast_1d(np.asarray(probabilities, dtype=object))))
    if P.shape[1] != len(costs.labels):
        raise DataError(f"probabilities of {P.shape[1]} classes, costs of {len(costs.labels)}; expected as many")
    return np.asarray(P @ costs.costs)


def _total(C: Floats, table: Floats) -> Floats:
    total = np.einsum("...ji,ji->...", table, C)
    return np.asarray(np.where(table.sum(axis=(-2, -1)) > 0, total, math.nan))


def _mean(C: Floats, table: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(_total(C, table) / table.sum(axis=(-2, -1)))


def _normalised(C: Floats, table: Floats) -> Floats:
    support = table.sum(axis=-1)
    least, most = support @ C.min(axis=1), support @ C.max(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(most > least, np.clip((_total(C, table) - least) / (most - least), 0, 1), math.nan))
