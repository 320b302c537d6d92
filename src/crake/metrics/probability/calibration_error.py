"""Expected calibration error: how far, on average, the probabilities are from what came."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats
from crake.metrics.bootstrap import REPLICATES, SEED, Resampling, bootstrap_interval, percentile_interval
from crake.metrics.estimate import Estimate, Interval, IntervalMethod
from crake.metrics.intervals import LEVEL
from crake.metrics.probability.binning import Bins, bin_edges, bin_of
from crake.metrics.probability.calibration import called_rows, class_rows, positive_rows

METHOD = IntervalMethod("basic bootstrap", f"bootstrap basic {{}}, {REPLICATES} replicates", LEVEL)


def ece(
    actual_codes: ArrayLike,
    probabilities: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    positive: int | None = None,
    bins: int = 10,
    by: Bins = "width",
) -> Estimate:
    """The expected calibration error of what was called: is it right as often as its probability says?

    With `positive`, the code of a class, that of the probability of this class instead.

    >>> ece([0, 0, 1, 1], [[0.75, 0.25], [0.75, 0.25], [0.75, 0.25], [0.25, 0.75]]).value      # three of four right
    0.0

    Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks.
    """
    if positive is None:
        return ece_of_scores(*called_rows(actual_codes, probabilities), weights, bins=bins, by=by)
    return ece_of_scores(*class_rows(actual_codes, probabilities, positive), weights, bins=bins, by=by)


def ece_of_scores(
    is_positive: ArrayLike,
    predicted: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    bins: int = 10,
    by: Bins = "width",
) -> Estimate:
    """Σ over bins of (n_b / n) · |observed share − mean probability| = (1/n) Σ_b |Σ (y − p)|.

    Chance alone makes it greater than 0, the more so the fewer rows a bin has, and the ECE of rows drawn again is
    greater still. The interval takes that off: its ends are 2·ECE less the 97.5 % and 2.5 % points of the ECE of rows
    drawn again (the basic bootstrap), no end on the wrong side of the ECE; and it starts at 0 where perfect
    probabilities would reach this ECE in more than 2.5 % of all samples.

    >>> ece_of_scores([False, True, True, True], [0.25, 0.25, 0.75, 0.75], bins=2).value    # (|1 − .5| + |2 − 1.5|) / 4
    0.25
    """
    positive, p, weight = positive_rows(is_positive, predicted, weights)
    if not weight.any():
        return Estimate.undefined("no rows")
    edges = bin_edges(p, weight, bins, by)
    bin_, residual = bin_of(p, edges), positive - p
    value = _error(bin_, residual, len(edges) - 1, weight)
    # A row of whole weight w is w rows; of another weight it is one row that counts w times.
    spread = (weight if _is_whole(weight) else weight**2) * p * (1 - p)
    kind = "width" if by == "width" else "weight"
    interval = partial(_interval, value, bin_, residual, spread, weight)
    return Estimate.with_interval(value, interval, METHOD, f"{bins} bins of equal {kind}")


def _error(bin_: NDArray[np.intp], residual: Floats, bins: int, weight: Floats) -> float:
    sums = np.bincount(bin_, weights=weight * residual, minlength=bins)
    return float(np.abs(sums).sum() / weight.sum())


def _interval(
    value: float, bin_: NDArray[np.intp], residual: Floats, spread: Floats, weight: Floats
) -> Interval | None:
    bins = int(bin_.max()) + 1
    if _is_whole(weight):
        resampling = Resampling.of_rows(bin_, residual, bins, copies=weight)
        replicates = np.concatenate([np.abs(sums).sum(axis=1) for sums in resampling.draw()]) / weight.sum()
        ends = percentile_interval(replicates)
    else:
        ends = bootstrap_interval(partial(_error, bin_, residual, bins), len(bin_), weight)
    if ends is None:
        return None
    is_chance = value <= _by_chance(np.asarray(np.bincount(bin_, weights=spread), np.float64), float(weight.sum()))
    return 0.0 if is_chance else max(0.0, min(value, 2 * value - ends[1])), max(value, 2 * value - ends[0])


def _by_chance(variance: Floats, total: float) -> float:
    """The ECE that perfect probabilities exceed in 2.5 % of all samples: Σ_b |Z_b|·√(Σ p(1 − p)) / n, Z_b normal.

    Bröcker and Smith (2007), Increasing the reliability of reliability diagrams.
    """
    normal = np.random.default_rng(SEED).standard_normal((REPLICATES, len(variance)))
    return float(np.quantile(np.abs(normal) @ np.sqrt(variance), (1 + LEVEL) / 2) / total)


def _is_whole(weight: Floats) -> bool:
    return bool(np.all(weight == np.floor(weight)))
