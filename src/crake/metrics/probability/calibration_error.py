"""Expected calibration error: how far, on average, the probabilities are from what came."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.metrics.bootstrap import REPLICATES, SEED
from crake.metrics.estimate import Estimate, Interval, IntervalMethod
from crake.metrics.intervals import LEVEL
from crake.metrics.probability.binning import Bins, bin_edges, bin_of
from crake.metrics.probability.calibration import called_rows, class_rows, positive_rows

METHOD = IntervalMethod(
    "test inversion", f"inverted test {{}} (at least 97.5 % of exact probabilities), {REPLICATES} draws", LEVEL
)
"""An error of 0 is the end of its range: nothing lies below it, so that one tail of the test never errs."""

ROUNDING = 1e-12
"""An error below it is none: the rows fit their probabilities as only rows do that were learned from."""
HALVINGS = 30
"""Steps of the search for an end: each halves what is left of it."""


def ece(
    actual_codes: ArrayLike,
    probabilities: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    positive: int | None = None,
    bins: int = 10,
    by: Bins = "width",
    level: float = LEVEL,
) -> Estimate:
    """The expected calibration error of what was called: is it right as often as its probability says?

    With `positive`, the code of a class, that of the probability of this class instead.

    >>> ece([0, 0, 1, 1], [[0.75, 0.25], [0.75, 0.25], [0.75, 0.25], [0.25, 0.75]]).value      # three of four right
    0.0

    Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks.
    """
    if positive is None:
        return ece_of_scores(*called_rows(actual_codes, probabilities), weights, bins=bins, by=by, level=level)
    return ece_of_scores(*class_rows(actual_codes, probabilities, positive), weights, bins=bins, by=by, level=level)


def ece_of_scores(
    is_positive: ArrayLike,
    predicted: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    bins: int = 10,
    by: Bins = "width",
    level: float = LEVEL,
) -> Estimate:
    """Σ over bins of (n_b / n) · |observed share − mean probability| = (1/n) Σ_b |Σ (y − p)|.

    Chance alone makes it greater than 0, the more so the fewer rows a bin has. So its interval holds every true error
    under which an ECE such as this one is not surprising: 2.5 % of samples would have a greater one at the lower end,
    2.5 % a smaller one at the upper end. It starts at 0 where perfect probabilities would reach this ECE by chance.

    >>> ece_of_scores([False, True, True, True], [0.25, 0.25, 0.75, 0.75], bins=2).value    # (|1 − .5| + |2 − 1.5|) / 4
    0.25
    """
    positive, p, weight = positive_rows(is_positive, predicted, weights)
    if not weight.any():
        return Estimate.undefined("no rows")
    edges = bin_edges(p, weight, bins, by)
    bin_, residual = bin_of(p, edges), positive - p
    whole = bool(np.all(weight == np.floor(weight)))
    bins_used = len(edges) - 1
    total = float(weight.sum())
    # A row of whole weight w is w rows; of another weight it is one row that counts w times.
    squared = weight if whole else weight**2
    gaps = np.bincount(bin_, weights=weight * residual, minlength=bins_used) / total
    squares = np.bincount(bin_, weights=squared * residual**2, minlength=bins_used) / total**2
    chance = np.bincount(bin_, weights=squared * p * (1 - p), minlength=bins_used) / total**2
    value = float(np.abs(gaps).sum())
    rows = np.bincount(bin_, weights=weight, minlength=bins_used) / total
    n = total**2 / float(squared.sum())
    kind = "width" if by == "width" else "weight"
    interval = partial(_interval, gaps, squares, chance, rows, n, level)
    return Estimate.with_interval(value, interval, replace(METHOD, level=level), f"{bins} bins of equal {kind}")


def _interval(gaps: Floats, squares: Floats, chance: Floats, shares: Floats, n: float, level: float) -> Interval | None:
    """Return the ends between which the true Σ|μ_b| is believed, given the gaps of the bins.

    The gaps of a sample are μ + noise of covariance diag(Σ residual²)/n² − μμ'/n. Of the true μ only the size θ is
    searched; its signs are those of the gaps, its shares halfway between the gaps' own and those of the rows. One more
    row per bin, of variance p(1 − p), keeps a bin with a single row from being sure.

    Bröcker and Smith (2007), Increasing the reliability of reliability diagrams (for θ = 0).
    """
    value = float(np.abs(gaps).sum())
    occupied = shares > 0
    gaps, shares, chance, squares = gaps[occupied], shares[occupied], chance[occupied], squares[occupied]
    variance = squares + chance / np.maximum(shares * n, 1.0)
    if value < ROUNDING or not variance.any():
        return None
    spread = np.sqrt(variance)
    normal = np.random.default_rng(SEED).standard_normal((REPLICATES, len(gaps)))
    # noise = √V·(Z − c·a·a'Z), whose covariance is V − μμ'/n, with a = μ/√(nV) and c = (1 − √(1 − a'a)) / a'a.
    a = gaps / np.where(spread > 0, spread, 1.0) / np.sqrt(n)
    size = min(float(a @ a), 1.0)
    c = (1 - np.sqrt(1 - size)) / size if size > 0 else 0.0
    noise = spread * (normal - c * np.outer(normal @ a, a))
    shape = np.abs(gaps) / value + shares
    shape = np.where(gaps < 0, -shape, shape) / shape.sum()
    upper, lower = (1 + level) / 2, (1 - level) / 2
    return min(value, _size(value, shape, noise, upper)), max(value, _size(value, shape, noise, lower))


def _size(value: float, shape: Floats, noise: Floats, quantile: float) -> float:
    """Return the θ under which this quantile of Σ|θ·shape + noise| is `value`; 0 where it is greater for any θ."""

    def at(theta: float) -> float:
        return float(np.quantile(np.abs(theta * shape + noise).sum(axis=1), quantile))

    if at(0.0) >= value:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle) < value else (low, middle)
    return (low + high) / 2
