"""Decisions of least expected cost, for any number of classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats
from crake.errors import DataError
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.inputs import numbers, row_probabilities


def least_expected_cost(probabilities: ArrayLike, costs: ArrayLike | CostMatrix) -> NDArray[np.intp]:
    """Return for each row the code j of least Σ_i p_i · costs[i, j]; costs[i, j] = cost of calling an actual i a j.

    Rows of the matrix are what is, columns what is called, in the order of the columns of `probabilities`. Of equally
    cheap classes (but for roundings) the first is called. With cost 1 for every error it is the most probable class.

    >>> least_expected_cost([[0.7, 0.2, 0.1]], [[0, 1, 1], [1, 0, 1], [9, 1, 0]])      # 1.1, 0.8, 0.9
    array([1])
    """
    array = numbers(probabilities, "probabilities")
    P = row_probabilities(array, len(array) if array.ndim else 1)
    K = P.shape[1]
    C = cost_array(costs.costs if isinstance(costs, CostMatrix) else costs, K)
    expected = P @ C
    rounding = 4 * K * np.finfo(np.float64).eps * np.abs(C).max()
    return np.asarray(np.argmax(expected <= expected.min(axis=1, keepdims=True) + rounding, axis=1))


def cost_array(costs: ArrayLike, classes: int) -> Floats:
    """Finite costs of shape (classes, classes), or an error that says what is wrong.

    >>> cost_array([[0, 1]], 2)
    Traceback (most recent call last):
    crake.errors.DataError: costs of shape (1, 2); expected (2, 2): a row for each actual class, a column for each call
    """
    C = numbers(costs, "costs")
    if C.shape != (classes, classes):
        raise DataError(
            f"costs of shape {C.shape}; expected ({classes}, {classes}): "
            "a row for each actual class, a column for each call"
        )
    if not np.isfinite(C).all():
        i, j = (int(place[0]) for place in np.nonzero(~np.isfinite(C)))
        raise DataError(f"the cost of calling an actual {i} a {j} is {C[i, j]}; expected a finite number")
    return C
