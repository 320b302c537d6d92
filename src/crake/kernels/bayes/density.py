"""Kernel densities of numeric columns by class: the kernels nearest to x come first, far ones are never read."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from crake.arrays import Floats, Longs
from crake.kernels import kernel, readable, threads
from crake.kernels.threads import SMALL

NEGLIGIBLE = 2.0**-54
"""Share of the sum so far below which a further term cannot change its bits."""
SHARE_CUT_SHORT = 0.01
"""WEKA's -K stops when the kernels remaining can add less than this share of the sum."""


class KernelArrays(NamedTuple):
    """The kernels of numeric columns by class: those of column j and class k are the points offsets[j·K + k] …

    Points are in ascending order, with their weights; total, bandwidth and log_norm are [column, class]. A bandwidth of
    0 leaves the column out. Where the precision of a column is 0, the likelihood is exp(log Σ w·exp(−z²/2) − log_norm)
    of x·scale, an exact sum; otherwise x is held to that precision and WEKA's cut-short sum is taken.
    """

    offsets: Longs
    points: Floats
    weights: Floats
    total: Floats
    bandwidth: Floats
    precision: Floats
    scale: Floats
    log_norm: Floats


@kernel
def _normal(z: float) -> float:
    """Φ(z); above 0 it is 1 − Φ(−z), so that far up the difference of two of them is 0."""
    below = 0.5 * math.erfc(abs(z) / math.sqrt(2.0))
    return below if z < 0.0 else 1.0 - below


@kernel
def _interval(away: float, half: float, h: float) -> float:
    return _normal((away + half) / h) - _normal((away - half) / h)


@kernel
def _first_not_below(points: Floats, start: int, stop: int, x: float) -> int:
    while start < stop:
        middle = (start + stop) // 2
        if points[middle] < x:
            start = middle + 1
        else:
            stop = middle
    return start


@kernel
def _log_density(points: Floats, weights: Floats, summed: Floats, start: int, stop: int, x: float, h: float) -> float:
    """The logarithm of Σ_i w_i·exp(−z_i²/2), z_i = (x − x_i)/h; every kernel that can change the sum is in it."""
    first = _first_not_below(points, start, stop, x)
    nearest = math.inf
    if first < stop:
        nearest = (points[first] - x) / h
    if first > start:
        nearest = min(nearest, (x - points[first - 1]) / h)
    if nearest * nearest == math.inf:
        return -math.inf
    total = 0.0
    remaining = summed[stop] - summed[first]
    for i in range(first, stop):
        z = (points[i] - x) / h
        part = math.exp(0.5 * (nearest - z) * (nearest + z))
        total += weights[i] * part
        remaining -= weights[i]
        if part * remaining < total * NEGLIGIBLE:
            break
    remaining = summed[first] - summed[start]
    for i in range(first - 1, start - 1, -1):
        z = (x - points[i]) / h
        part = math.exp(0.5 * (nearest - z) * (nearest + z))
        total += weights[i] * part
        remaining -= weights[i]
        if part * remaining < total * NEGLIGIBLE:
            break
    return math.log(total) - 0.5 * nearest * nearest


@kernel
def _cut_short(
    points: Floats, weights: Floats, start: int, stop: int, total: float, x: float, p: float, h: float
) -> float:
    """Σ_i w_i·P(x − p/2 … x + p/2 under kernel i), upwards from x, then downwards, each cut short as in WEKA's -K."""
    first = _first_not_below(points, start, stop, x)
    mass = 0.0
    passed = 0.0
    for i in range(first, stop):
        probability = _interval(points[i] - x, 0.5 * p, h)
        mass += probability * weights[i]
        passed += weights[i]
        if probability * (total - passed) < mass * SHARE_CUT_SHORT:
            break
    for i in range(first - 1, start - 1, -1):
        probability = _interval(points[i] - x, 0.5 * p, h)
        mass += probability * weights[i]
        passed += weights[i]
        if probability * (total - passed) < mass * SHARE_CUT_SHORT:
            break
    return mass


@kernel
def _add_logs(
    first_row: int,
    last_row: int,
    values: Floats,
    kernels: KernelArrays,
    summed: Floats,
    log_floor: float,
    out: Floats,
) -> None:
    offsets, points, weights, total = kernels.offsets, kernels.points, kernels.weights, kernels.total
    classes = out.shape[1]
    for j in range(values.shape[1]):
        for i in range(first_row, last_row):
            x = values[i, j]
            if x != x:
                continue
            x *= kernels.scale[j]
            for k in range(classes):
                start, stop = offsets[j * classes + k], offsets[j * classes + k + 1]
                h = kernels.bandwidth[j, k]
                if h <= 0.0:
                    continue
                p = kernels.precision[j]
                if p == 0.0:
                    log_likelihood = _log_density(points, weights, summed, start, stop, x, h) - kernels.log_norm[j, k]
                elif start == stop:
                    likelihood = _interval(x, 0.5 * p, h)
                    log_likelihood = math.log(likelihood) if likelihood > 0.0 else -math.inf
                else:
                    mass = _cut_short(points, weights, start, stop, total[j, k], x, p, h)
                    likelihood = mass / (total[j, k] * p)
                    log_likelihood = math.log(likelihood) if likelihood > 0.0 else -math.inf
                out[i, k] += max(log_floor, log_likelihood)


def add_kernel_logs(values: Floats, kernels: KernelArrays, log_floor: float, out: Floats) -> None:
    """Add log P(x_j given c) of each numeric column j to out[row, class]; missing values add nothing."""
    values = readable(values)
    summed = np.concatenate([np.zeros(1), np.cumsum(kernels.weights)])
    parts = 1 if values.size * out.shape[1] * 8 < SMALL else threads.count()
    threads.each(
        lambda span: _add_logs(span[0], span[1], values, kernels, summed, log_floor, out),
        threads.spans(len(values), parts),
    )
