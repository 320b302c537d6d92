"""Kernel densities of numeric columns by class, from distinct values: one normal kernel for each value met.

Without a precision: f(x) = Σ_i w_i·φ((x − x_i)/h) / (h·Σw), h = range/√Σw, every kernel counted; the range of a class
counts as at least √min_variance of the column's, since a class may have one value only.
With one, WEKA's -K: values are rounded to its multiples, a kernel gives the probability of [x − p/2, x + p/2] over
p, h is at least p/6, and the sum is cut short once the kernels left can add less than 1 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.bayes.density import KernelArrays, add_kernel_logs
from crake.learners.naive_bayes.precision import LARGEST, fixed_precisions, mean_gap, rounded
from crake.statistics.distinct_counts import DistinctValues

FEW, LOOKED_AT, BLOCK = 8, 1000, 8192
"""Rows from which on values that are met again are worked out once; rows that tell whether there are such; rows whose
values are gathered together."""


@dataclass(frozen=True)
class Kernels:
    """The kernels of column j and class k are points[offsets[j·K + k]:offsets[j·K + k + 1]], ascending.

    total (known weight), bandwidth and log_norm have shape (columns, classes); bandwidth 0: the column says nothing.
    Points and bandwidths are in units of 2^exponent of the column, so that no square overflows; precision is 0 for
    densities.
    """

    offsets: NDArray[np.int64]
    points: Floats
    weights: Floats
    total: Floats
    bandwidth: Floats
    log_norm: Floats
    precision: Floats
    exponent: NDArray[np.int32]

    def add_logs(self, values: Floats, log_floor: float, out: Floats) -> None:
        """Add log P(x_j given c) of every column to out[row, class]."""
        if values.shape[1] == 0:
            return
        rounded_values = values
        if np.any(self.precision > 0):
            rounded_values = rounded(values, np.where(self.precision > 0, self.precision, 1.0))
        if not _repeats(rounded_values):
            self._add(np.ascontiguousarray(rounded_values), log_floor, out)
            return
        for start in range(0, len(rounded_values), BLOCK):
            self._add_once(rounded_values[start : start + BLOCK], log_floor, out[start : start + BLOCK])

    def _add_once(self, values: Floats, log_floor: float, out: Floats) -> None:
        """Compute the densities once per distinct value."""
        each, places = _each_once(values)
        logs = np.zeros((len(each), out.shape[1]))
        self._add(each, log_floor, logs)
        for place in places:  # column by column, as the kernel adds them: the same bits
            out += logs[place]

    def _add(self, values: Floats, log_floor: float, out: Floats) -> None:
        kernels = KernelArrays(
            self.offsets,
            self.points,
            self.weights,
            self.total,
            self.bandwidth,
            self.precision,
            np.ldexp(1.0, -self.exponent),
            self.log_norm,
        )
        add_kernel_logs(values, kernels, log_floor, out)

    def of(self, column: int, class_: int) -> slice:
        """Return the slice of points that are the kernels of a column and class."""
        at = column * self.total.shape[1] + class_
        return slice(int(self.offsets[at]), int(self.offsets[at + 1]))


def _repeats(values: Floats) -> bool:
    """Return True if most values of the first rows repeat, so that each distinct one is computed once."""
    first = values[:LOOKED_AT]
    return len(first) >= FEW and sum(len(np.unique(column)) for column in first.T) * 4 < first.size


def _each_once(values: Floats) -> tuple[Floats, list[NDArray[np.intp]]]:
    """Rows of one value each, the others missing, and for each column at which of them its values stand.

    >>> each, places = _each_once(np.array([[1.0, 5.0], [1.0, 6.0]]))
    >>> each.tolist(), [place.tolist() for place in places]
    ([[1.0, nan], [nan, 5.0], [nan, 6.0]], [[0, 0], [1, 2]])
    """
    distinct = [np.unique(column, return_inverse=True) for column in values.T]
    ends = np.cumsum([0, *(len(value) for value, _ in distinct)])
    each = np.full((int(ends[-1]), values.shape[1]), np.nan)
    for j, (value, _) in enumerate(distinct):
        each[ends[j] : ends[j + 1], j] = value
    return each, [start + place for start, (_, place) in zip(ends, distinct, strict=False)]


def estimate(counts: Sequence[DistinctValues], classes: int, precision: Floats | None, min_variance: float) -> Kernels:
    """The kernels of every column; `precision` holds one a column, None for densities."""
    columns = [
        _densities(each, classes, min_variance) if precision is None else _held(each, classes, float(precision[j]))
        for j, each in enumerate(counts)
    ]
    parts = [part for column in columns for part in column.parts]
    shape = (len(columns), classes)
    return Kernels(
        np.concatenate([[0], np.cumsum([len(points) for points, _ in parts])]).astype(np.int64),
        np.concatenate([np.zeros(0), *(points for points, _ in parts)]),
        np.concatenate([np.zeros(0), *(weights for _, weights in parts)]),
        np.array([column.total for column in columns]).reshape(shape),
        np.array([column.bandwidth for column in columns]).reshape(shape),
        np.array([column.log_norm for column in columns]).reshape(shape),
        np.zeros(len(columns)) if precision is None else precision,
        np.array([column.exponent for column in columns], np.int32),
    )


def precisions(precision: Any, counts: Sequence[DistinctValues]) -> Floats | None:
    """Return one precision per column: none, the user's, or the mean gap between its distinct values."""
    if precision is None:
        return None
    if isinstance(precision, str):
        return np.array([mean_gap(each.value) for each in counts])
    return fixed_precisions(precision, len(counts))


@dataclass(frozen=True)
class _Column:
    parts: list[tuple[Floats, Floats]]
    total: list[float]
    bandwidth: list[float]
    log_norm: list[float]
    exponent: int = 0


def _densities(counts: DistinctValues, classes: int, min_variance: float) -> _Column:
    """Return a class without known values has the kernels of all rows; a column that is constant says nothing."""
    # Not below −1000: 2^1074, which would bring the smallest float to 1, is no float.
    exponent = max(int(np.frexp(np.abs(counts.value).max(initial=0.0))[1]), -1000)
    value = np.ldexp(counts.value, -exponent)
    everything = _summed(value, counts.count)
    if len(everything[0]) < 2:
        nothing = [0.0] * classes
        return _Column([(np.zeros(0), np.zeros(0))] * classes, nothing, nothing, nothing)
    least = float(np.sqrt(min_variance) * (everything[0][-1] - everything[0][0]))
    parts = [_of_class(value, counts, k) for k in range(classes)]
    parts = [part if len(part[0]) else everything for part in parts]
    total = [float(weights.sum()) for _, weights in parts]
    bandwidth = [_bandwidth(points, n, least / np.sqrt(n)) for (points, _), n in zip(parts, total, strict=True)]
    log_norm = [
        float(np.log(n) + np.log(h) + 0.5 * np.log(2 * np.pi) + exponent * np.log(2.0))
        for n, h in zip(total, bandwidth, strict=True)
    ]
    return _Column(parts, total, bandwidth, log_norm, exponent)


def _held(counts: DistinctValues, classes: int, p: float) -> _Column:
    """Kernels at multiples of the precision, as WEKA's -K has them."""
    value = rounded(counts.value, np.array(p))
    parts = [_summed(*_of_class(value, counts, k)) for k in range(classes)]
    total = [float(weights.sum()) for _, weights in parts]
    bandwidth = [_bandwidth(points, n, p / 6.0) for (points, _), n in zip(parts, total, strict=True)]
    return _Column(parts, total, bandwidth, [0.0] * classes)


def _bandwidth(points: Floats, total: float, least: float) -> float:
    """Range / √n, at least `least`; the smallest normal float where both are 0, LARGEST where it would overflow."""
    spread = 0.0
    if len(points) > 1:
        with np.errstate(over="ignore"):
            spread = float((points[-1] - points[0]) / np.sqrt(total))
    return min(max(spread, least, float(np.finfo(np.float64).tiny)), LARGEST)


def _of_class(value: Floats, counts: DistinctValues, k: int) -> tuple[Floats, Floats]:
    own = counts.class_ == k
    return value[own], counts.count[own]


def _summed(value: Floats, count: Floats) -> tuple[Floats, Floats]:
    """Ascending values, equal ones added up."""
    points, at = np.unique(value, return_inverse=True)
    return points, np.bincount(at, count, len(points)).astype(np.float64)
