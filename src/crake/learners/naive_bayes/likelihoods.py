"""The likelihood tables of all nominal columns: all at once where the rule is the same for each, or one by one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.learners.naive_bayes.smoothing import Smoothing, overall_shares
from crake.statistics.value_counts import ValueCounts

Floats = NDArray[np.float64]


def likelihoods(smoothing: Smoothing, values: ValueCounts, floor: float) -> tuple[Floats, ...]:
    """P(value given class) of each column, shape (classes, levels); at least `floor`."""
    columns = range(len(values.columns))
    # Sums of fractional weights are rounded in their order; only whole numbers may be summed in another one.
    if smoothing.m is None and smoothing.zero is None and values.integral and len(columns) > 1:
        whole = np.maximum(_all_columns(smoothing, values), floor)
        return tuple(whole[:, values.offsets[j] + 1 : values.offsets[j + 1]] for j in columns)
    return tuple(column_likelihood(smoothing, values.table(j)[0], floor) for j in columns)


def column_likelihood(smoothing: Smoothing, counts: Floats, floor: float) -> Floats:
    """P(value given class) of one table of counts, shape (classes, levels)."""
    likelihood = smoothing.likelihood(counts, counts.sum(axis=1, keepdims=True), overall_shares(counts))
    return np.maximum(likelihood, floor)


def _all_columns(smoothing: Smoothing, values: ValueCounts) -> Floats:
    """(n_cv + α) / (n_c + α·V) over all slots at once; the slots of missing values hold nothing of use."""
    counts = values.counts[0]
    widths = np.diff(values.offsets)
    levels = np.maximum(widths - 1, 1)
    known = np.add.reduceat(counts, values.offsets[:-1], axis=1) - counts[:, values.offsets[:-1]]
    below = np.repeat(known + smoothing.alpha * levels, widths, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(below > 0, (counts + smoothing.alpha) / below, np.repeat(1.0 / levels, widths))
