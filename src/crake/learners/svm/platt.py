"""Probabilities of a machine: a sigmoid of its decisions, fitted to decisions on rows that it has not seen.

Two classes: P = 1/(1 + exp(−(a·f + b))). Several: the probabilities r_ij of all pairs are coupled; p minimises
Σ_i Σ_{j≠i} (r_ji·p_i − r_ij·p_j)² subject to Σ p = 1.

Platt (1999), Probabilistic outputs for support vector machines; Wu, Lin and Weng (2004), Probability estimates for
multi-class classification by pairwise coupling (their second method, solved as the linear system it is).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Longs
from crake.learners.base.sigmoid import Sigmoid, fit_sigmoid
from crake.learners.svm.fitting import Settings, fitted
from crake.learners.svm.machines import Machines
from crake.slow_modules import special

FOLDS = 5
BLOCK = 64
"""Rows whose pairs are coupled together, so that their systems stay in the cache."""
LEAST = 1e-7
"""A pair is never quite sure."""


def folds_of(y: Longs) -> Longs:
    """Return each class dealt to the folds in turn, in the order of its rows: nothing is drawn at random.

    >>> folds_of(np.array([0, 0, 1, 0, 1])).tolist()
    [0, 1, 3, 2, 4]
    """
    fold = np.zeros(len(y), np.int64)
    start = 0
    for code in np.unique(y):
        rows = np.flatnonzero(y == code)
        fold[rows] = (start + np.arange(len(rows))) % FOLDS
        start += len(rows)
    return fold


def fit_sigmoids(
    points: Floats, y: Longs, weights: Floats | None, settings: Settings, pairs: list[tuple[int, int]]
) -> list[Sigmoid]:
    """Return a sigmoid for each pair, from five machines that each have not seen a fifth of the rows."""
    fold = folds_of(y)
    unseen = np.full((len(y), len(pairs)), np.nan)
    for f in range(FOLDS):
        learn, test = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
        if len(learn) and len(test):
            unseen[test] = _unseen_decisions(points, y, weights, settings, pairs, learn, test)
    mass = np.ones(len(y)) if weights is None else weights
    return [_sigmoid(unseen[:, at], y, mass, pair) for at, pair in enumerate(pairs)]


def _unseen_decisions(
    points: Floats, y: Longs, weights: Floats | None, settings: Settings, pairs: list[tuple[int, int]],
    learn: NDArray[np.intp], test: NDArray[np.intp],
) -> Floats:  # fmt: skip
    """Decisions of the pairs whose classes both have rows to learn from; NaN for the others."""
    result = np.full((len(test), len(pairs)), np.nan)
    present, codes = np.unique(y[learn], return_inverse=True)
    if len(present) < 2:
        return result
    model = fitted(points[learn], codes, None if weights is None else weights[learn], settings).machines
    decisions = model.decisions(points[test])
    place = {pair: at for at, pair in enumerate(pairs)}
    for at, (i, j) in enumerate(model.pairs):
        result[:, place[int(present[i]), int(present[j])]] = decisions[:, at]
    return result


def _sigmoid(decisions: Floats, y: Longs, mass: Floats, pair: tuple[int, int]) -> Sigmoid:
    rows = np.flatnonzero(((y == pair[0]) | (y == pair[1])) & ~np.isnan(decisions))
    if len(rows) == 0:
        later, earlier = (np.log(mass[y == pair[k]].sum()) for k in (1, 0))
        return Sigmoid(0.0, float(np.clip(later - earlier, -700, 700)))
    return fit_sigmoid(np.clip(decisions[rows], -1e100, 1e100), y[rows] == pair[1], mass[rows])


def coupled(machines: Machines, sigmoids: list[Sigmoid], decisions: Floats) -> Floats:
    """P(class) of every row: (rows, classes)."""
    K = len(machines.counts)
    a, b = np.array([sigmoid.a for sigmoid in sigmoids]), np.array([sigmoid.b for sigmoid in sigmoids])
    later = np.clip(special.expit(a * decisions + b), LEAST, 1 - LEAST)
    if K == 2:
        return np.column_stack([1.0 - later[:, 0], later[:, 0]])
    i, j = np.array(machines.pairs).T
    shares = np.empty((len(decisions), K))
    for start in range(0, len(decisions), BLOCK):
        part = slice(start, start + BLOCK)
        r = np.zeros((len(later[part]), K, K))
        r[:, j, i], r[:, i, j] = later[part], 1.0 - later[part]
        shares[part] = pairwise_coupling(r)
    return shares


def pairwise_coupling(r: Floats) -> Floats:
    """Return the shares p of the pairs' probabilities r[:, i, j] = P(i given i or j).

    >>> r = np.array([[[0, 0.9, 0.8], [0.1, 0, 0.4], [0.2, 0.6, 0]]])
    >>> pairwise_coupling(r).round(3).tolist()
    [[0.733, 0.093, 0.175]]
    """
    n, K, _ = r.shape
    system = np.zeros((n, K + 1, K + 1))
    squares = r**2
    system[:, :K, :K] = -(r.transpose(0, 2, 1) * r)
    system[:, range(K), range(K)] = squares.sum(axis=1)  # Σ_j r_ji²
    system[:, :K, K] = system[:, K, :K] = 1.0
    right = np.zeros((n, K + 1, 1))
    right[:, K] = 1.0
    p = np.maximum(np.linalg.solve(system, right)[:, :K, 0], 0.0)
    shares: Floats = p / p.sum(axis=1, keepdims=True)
    return shares
