"""Calibration: of the rows that were given a probability of 70 %, are 70 % of that class?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats
from crake.errors import DataError
from crake.metrics.inputs import class_codes, class_probability, flags, row_probabilities, row_weights
from crake.metrics.intervals import wilson
from crake.metrics.probability.binning import Bins, bin_edges, bin_of
from crake.render.short_repr import short_repr


@dataclass(frozen=True, eq=False)
class CalibrationTable:
    """One line per bin that has rows: its range, mean probability, observed share, and the interval of that share.

    Arrays of one length. `rows` are sums of weights, `low` and `high` the ends of Wilson's 95 % interval of `observed`.
    """

    lower: Floats
    upper: Floats
    rows: Floats
    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats

    __repr__ = short_repr

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def gap(self) -> Floats:
        """Observed share less mean probability: above 0 where the probabilities are too low."""
        return np.asarray(self.observed - self.predicted)

    @property
    def is_off(self) -> NDArray[np.bool_]:
        """Return True for bins whose mean probability lies outside the interval of the observed share."""
        return np.asarray((self.predicted < self.low) | (self.predicted > self.high))

    def lines(self) -> Iterator[dict[str, float]]:
        """Return one dictionary per bin."""
        names = ("lower", "upper", "rows", "predicted", "observed", "low", "high")
        for values in zip(*(getattr(self, name).tolist() for name in names), strict=True):
            yield dict(zip(names, values, strict=True))

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {"bins": list(self.lines())}


def calibration_table(
    is_positive: ArrayLike,
    predicted: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    bins: int = 10,
    by: Bins = "width",
) -> CalibrationTable:
    """Rows in bins of their probability, of equal width or of equal weight ("mass"); bins without rows are left out.

    >>> table = calibration_table([False, True, True, True], [0.15, 0.15, 0.75, 0.95], bins=2)
    >>> table.predicted, table.observed, table.rows
    (array([0.15, 0.85]), array([0.5, 1. ]), array([2., 2.]))
    """
    positive, p, weight = positive_rows(is_positive, predicted, weights)
    if not weight.any():
        return _table(np.zeros(0), np.zeros(0), *(np.zeros(0),) * 3)
    edges = bin_edges(p, weight, bins, by)
    rows, sum_p, came = bin_sums(bin_of(p, edges), positive, p, weight, len(edges) - 1)
    has_rows = rows > 0
    return _table(edges[:-1][has_rows], edges[1:][has_rows], rows[has_rows], sum_p[has_rows], came[has_rows])


def isotonic_view(is_positive: ArrayLike, predicted: ArrayLike, weights: ArrayLike | None = None) -> CalibrationTable:
    """Bins that the rows choose: the ascending step function closest to what came (pool adjacent violators).

    Neighbours in p are pooled until the observed shares ascend; a bin is a step, `lower` and `upper` its first and
    last probability. Nothing has to be chosen, and with the rows the steps approach the true curve.

    >>> view = isotonic_view([False, True, False, True], [0.1, 0.2, 0.3, 0.4])
    >>> view.lower, view.upper, view.observed
    (array([0.1, 0.2, 0.4]), array([0.1, 0.3, 0.4]), array([0. , 0.5, 1. ]))

    Dimitriadis, Gneiting and Jordan (2021), Stable reliability diagrams for probabilistic classifiers.
    """
    from scipy.optimize import isotonic_regression  # noqa: PLC0415 (a quarter of a second, and only this needs it)

    positive, p, weight = positive_rows(is_positive, predicted, weights)
    if not weight.any():
        return _table(np.zeros(0), np.zeros(0), *(np.zeros(0),) * 3)
    values, rows, sum_p, came = distinct_sums(positive, p, weight)
    blocks = isotonic_regression(came / rows, weights=rows).blocks
    starts, ends = blocks[:-1], blocks[1:] - 1
    pooled = (np.add.reduceat(part, starts) for part in (rows, sum_p, came))
    return _table(values[starts], values[ends], *pooled)


def called_rows(actual_codes: ArrayLike, probabilities: ArrayLike) -> tuple[NDArray[np.bool_], Floats]:
    """Return for every row if the most probable class was right, and its probability."""
    P = row_probabilities(probabilities, np.size(actual_codes))
    actual = class_codes(actual_codes, P.shape[1])
    called = np.argmax(P, axis=1)
    return called == actual, np.minimum(P[np.arange(len(P)), called], 1.0)


def class_rows(actual_codes: ArrayLike, probabilities: ArrayLike, positive: int) -> tuple[NDArray[np.bool_], Floats]:
    """Return for every row if it is of the class with this code, and its probability of that class."""
    P = row_probabilities(probabilities, np.size(actual_codes))
    if not 0 <= positive < P.shape[1]:
        raise DataError(f"positive = {positive}; expected the code of a class, 0 … {P.shape[1] - 1}")
    return class_codes(actual_codes, P.shape[1]) == positive, np.minimum(P[:, positive], 1.0)


def positive_rows(
    is_positive: ArrayLike, predicted: ArrayLike, weights: ArrayLike | None
) -> tuple[NDArray[np.bool_], Floats, Floats]:
    """The checked columns: what came, the probability of it, weights."""
    positive = flags(is_positive, "is_positive")
    return positive, class_probability(predicted, len(positive)), row_weights(weights, len(positive))


def bin_sums(
    bin_: NDArray[np.intp], positive: NDArray[np.bool_], p: Floats, weight: Floats, bins: int
) -> tuple[Floats, Floats, Floats]:
    """Σ w, Σ w·p, Σ w·y of every bin."""
    rows, sum_p, came = (
        np.asarray(np.bincount(bin_, weights=column, minlength=bins), dtype=np.float64)
        for column in (weight, weight * p, weight * positive)
    )
    return rows, sum_p, came


def distinct_sums(positive: NDArray[np.bool_], p: Floats, weight: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """The distinct probabilities, ascending, and Σ w, Σ w·p, Σ w·y of each."""
    present = np.flatnonzero(weight > 0)
    order = present[np.argsort(p[present])]
    p, y, weight = p[order], positive[order], weight[order]
    starts = np.concatenate([[0], np.flatnonzero(p[1:] != p[:-1]) + 1])
    rows, sum_p, came = (np.add.reduceat(column, starts) for column in (weight, weight * p, weight * y))
    return p[starts], rows, sum_p, came


def _table(lower: Floats, upper: Floats, rows: Floats, sum_p: Floats, came: Floats) -> CalibrationTable:
    ends = [wilson(min(c, n), n) for c, n in zip(came.tolist(), rows.tolist(), strict=True)]
    low, high = np.array(ends).reshape(-1, 2).T
    return CalibrationTable(lower, upper, rows, sum_p / rows, came / rows, low, high)
