"""Impurity of class weights, as sums of f(n) = n² (Gini) or n·ln n (entropy).

With the class weights n_k and their sum W,

    Gini:     W·impurity = W − Σ f(n_k)/W        entropy:  W·impurity = f(W) − Σ f(n_k)

so that a scan only keeps Σ f left and right of a cut: a constant number of operations per row for any number of
classes. For whole numbers n·ln n is looked up in a table.
"""

from __future__ import annotations

import math

from crake.arrays import Floats
from crake.kernels import kernel

GINI, ENTROPY = 0, 1
NOTHING = 1e-6
"""Weights below this count as none in an entropy (C4.5's tolerance)."""
LN2 = math.log(2.0)


@kernel
def term(n: float, criterion: int, logs: Floats) -> float:
    """Return f(n) = n² for Gini, n·ln n for entropy; `logs` holds n·ln n of whole numbers, or nothing."""
    if criterion == GINI:
        return n * n
    if logs.shape[0] > 0:
        return float(logs[int(n)])
    return n * math.log(n) if n > NOTHING else 0.0


@kernel
def impurity(weight: float, terms: float, criterion: int, logs: Floats) -> float:
    """Return weight × impurity, from Σ f(n_k)."""
    if weight <= 0.0:
        return 0.0
    if criterion == GINI:
        return weight - terms / weight
    return term(weight, criterion, logs) - terms


@kernel
def sum_of_terms(counts: Floats, more: Floats, part: float, criterion: int, logs: Floats) -> float:
    """Return Σ f(n_k + part · m_k)."""
    terms = 0.0
    for k in range(counts.shape[0]):
        terms += term(counts[k] + part * more[k], criterion, logs)
    return terms
