"""Intervals of measures of a confusion matrix: tables drawn from the posterior of its cells.

A bootstrap draws cells that were seen and no others: nine positives, all found, stay found in every replicate. Here
each class has, beside its rows, half a row predicted right and half a row predicted wrong (Jeffreys' prior where there
are two classes). The shares of the cells then follow a Dirichlet distribution, and so the table drawn always has room
for errors that have not happened yet.

Goutte and Gaussier (2005), A probabilistic interpretation of precision, recall and F-score. Brown, Cai and DasGupta
(2001), Interval estimation for a binomial proportion.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from crake.arrays import Floats
from crake.metrics.bootstrap import AT_ONCE, REPLICATES, SEED
from crake.metrics.estimate import Interval, IntervalMethod
from crake.metrics.intervals import LEVEL, student

METHOD = IntervalMethod("Dirichlet", f"Dirichlet posterior {{}}, {REPLICATES} draws", LEVEL)

FEW_CLASSES = 20
"""Up to this number of classes every cell may be drawn; of more classes those that hold rows, and the diagonal."""

ROWS_PER_ADDED_ROW = 30
"""Many classes add at most one row per 30 rows (but always two in all), or the prior would outweigh the table."""


def posterior_interval(
    counts: Floats,
    formula: Callable[[Floats], Floats],
    value: float,
    squares: Floats | None = None,
    level: float = LEVEL,
) -> Interval | None:
    """Return the middle of a measure over tables drawn from the posterior; it always holds `value`.

    `formula` takes tables of shape (..., K, K). Classes without rows stay without rows. `squares` has the sums of
    squared weights in the cells, if weights are no copies: a cell of weight S then varies as S²/Q rows do. Few rows
    make it wider, by as much as Student's t is wider than the normal distribution.

    >>> from crake.metrics.confusion.measures import balanced_accuracy
    >>> perfect = np.array([[9.0, 0.0], [0.0, 5.0]])
    >>> low, high = posterior_interval(perfect, balanced_accuracy, 1.0)
    >>> round(low, 2), high
    (0.75, 1.0)
    """
    total = float(counts.sum())
    if total <= 0:
        return None
    rows, unit = (counts, np.ones_like(counts)) if squares is None else _as_rows(counts, squares)
    added = _added(counts, float(rows.sum()))
    flat, cells = (rows + added).ravel(), np.flatnonzero((rows + added).ravel() > 0)
    rng, K = np.random.default_rng(SEED), len(counts)
    values = []
    at_once = max(1, AT_ONCE // counts.size)
    for start in range(0, REPLICATES, at_once):
        tables = np.zeros((min(at_once, REPLICATES - start), counts.size))
        tables[:, cells] = rng.standard_gamma(flat[cells], size=(len(tables), len(cells))) * unit.ravel()[cells]
        sums = tables.sum(axis=1, keepdims=True)
        values.append(formula((tables / np.where(sums > 0, sums, 1.0) * total).reshape(-1, K, K)))
    replicates = np.concatenate(values)
    defined = replicates[~np.isnan(replicates)]
    if 2 * len(defined) <= len(replicates) or defined.min() == defined.max():
        return None
    tail = NormalDist().cdf(-student(max(float(rows.sum()) - 1, 1.0), level))
    low, high = np.quantile(defined, [tail, 1 - tail])
    return min(float(low), value), max(float(high), value)


def _added(counts: Floats, n: float) -> Floats:
    """Return the rows that the prior adds: per class with rows half a row on the diagonal, half a row in the errors."""
    K, present = len(counts), counts.sum(axis=1) > 0
    diagonal = np.eye(K, dtype=np.bool_)
    errors = ~diagonal & ((counts > 0) | (K <= FEW_CLASSES)) & present[:, None]
    mass = min(1.0, max(2.0, n / ROWS_PER_ADDED_ROW) / max(1, int(present.sum())))
    per_row = np.maximum(errors.sum(axis=1, keepdims=True), 1)
    return np.asarray(np.where(diagonal & present[:, None], mass / 2, 0.0) + np.where(errors, mass / 2 / per_row, 0.0))


def _as_rows(counts: Floats, squares: Floats) -> tuple[Floats, Floats]:
    """Return the number of rows that vary as the weights of each cell do, S²/Q, and the weight of one of them, Q/S."""
    usual = float(squares.sum() / counts.sum())
    unit = np.where(counts > 0, squares / np.where(counts > 0, counts, 1.0), usual)
    # Squares of tiny weights vanish: what is in such a cell counts as one row.
    unit = np.where(unit > 0, unit, np.where(counts > 0, counts, 1.0))
    return np.asarray(counts / unit), np.asarray(unit)
