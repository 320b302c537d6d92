"""Naive Bayes' posteriors: log prior + sum of log likelihoods, then normalised, row by row."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.kernels import kernel, readable, threads
from crake.kernels.threads import SMALL
from crake.kernels.tiered import tiered

BLOCK, CELLS = 256, 4096
"""Rows a block, and the sums (a row's, of a class) that stay in cache while the columns pass."""


class NominalLogs(NamedTuple):
    """The log likelihoods of nominal columns: log_likelihood[offset of column + code, class]."""

    offsets: Longs
    log_likelihood: Floats


class NormalLogs(NamedTuple):
    """The normal densities of numeric columns, each [column, class].

    With z = ((x·scale − mean) − rest)·precision the log density is −z²/2 − log_norm, at least log_floor; a column says
    nothing of a class where its precision is 0.
    """

    scale: Floats
    mean: Floats
    rest: Floats
    precision: Floats
    log_norm: Floats
    log_floor: float


@kernel
def normalise(row: Floats, prior: Floats) -> None:
    """Turn log products into probabilities; where every class is impossible, the prior."""
    top = -math.inf
    for k in range(row.shape[0]):
        top = max(top, row[k])
    if top == -math.inf:
        for k in range(row.shape[0]):
            row[k] = prior[k]
        return
    total = 0.0
    for k in range(row.shape[0]):
        # exp(0) is 1: of two classes only one exponential is left.
        row[k] = 1.0 if row[k] == top else math.exp(row[k] - top)
        total += row[k]
    for k in range(row.shape[0]):
        row[k] /= total


@kernel
def normalise_rows(rows: Floats, prior: Floats) -> None:
    """Turn the log products of every row into probabilities."""
    for i in range(rows.shape[0]):
        normalise(rows[i], prior)


@kernel
def _by_codes(
    rows: Longs,
    codes: Ints,
    log_prior: Floats,
    offsets: Longs,
    log_likelihood: Floats,
    out: Floats,
) -> None:
    """out[at, class] = log prior + the log likelihoods of the row's known codes."""
    if out.shape[1] == 2:
        # Two sums in registers: half the time of the loop over classes, and the same sums.
        for at in range(rows.shape[0]):
            i, one, other = rows[at], log_prior[0], log_prior[1]
            for j in range(codes.shape[1]):
                v = codes[i, j]
                if v >= 0:
                    one += log_likelihood[offsets[j] + v, 0]
                    other += log_likelihood[offsets[j] + v, 1]
            out[at, 0], out[at, 1] = one, other
        return
    for at in range(rows.shape[0]):
        i, row = rows[at], out[at]
        for k in range(row.shape[0]):
            row[k] = log_prior[k]
        for j in range(codes.shape[1]):
            v = codes[i, j]
            if v >= 0:
                for k in range(row.shape[0]):
                    row[k] += log_likelihood[offsets[j] + v, k]


@kernel
def _add_normal(
    x: Floats, mean: float, rest: float, precision: float, log_norm: float, log_floor: float, total: Floats
) -> None:
    """Add the log densities of these values to `total`: one loop without branches, which is compiled to vectors."""
    for at in range(x.shape[0]):
        z = ((x[at] - mean) - rest) * precision
        density = max(log_floor, -0.5 * (z * z) - log_norm)
        total[at] = total[at] + density if x[at] == x[at] else total[at]


@tiered(
    lambda _rows, start, stop, codes, values, prior, *_: (
        (stop - start) * prior.size * (codes.shape[1] + 2 * values.shape[1] + 3)
    ),
    most=300_000,
)
def _posteriors(
    rows: Longs,
    start: int,
    stop: int,
    codes: Ints,
    values: Floats,
    prior: Floats,
    log_prior: Floats,
    nominal: NominalLogs,
    normal: NormalLogs,
    out: Floats,
) -> None:
    """Block by block of rows, so that sums stay in cache; each sum is taken in the order of the columns."""
    scale, mean, rest, precision = normal.scale, normal.mean, normal.rest, normal.precision
    classes = log_prior.shape[0]
    block = max(8, min(BLOCK, CELLS // max(1, classes)))
    x, total = np.empty(block), np.empty((classes, block))
    for first in range(start, stop, block):
        last = min(first + block, stop)
        size = last - first
        _by_codes(rows[first:last], codes, log_prior, nominal.offsets, nominal.log_likelihood, out[first:last])
        if values.shape[1] > 0:
            for at in range(size):
                for k in range(classes):
                    total[k, at] = out[first + at, k]
            for j in range(values.shape[1]):
                for at in range(size):
                    x[at] = values[rows[first + at], j] * scale[j]
                for k in range(classes):
                    # Precision 0: the column says nothing, even of a value that scaling made infinite.
                    if precision[j, k] > 0.0:
                        _add_normal(
                            x[:size], mean[j, k], rest[j, k], precision[j, k], normal.log_norm[j, k],
                            normal.log_floor, total[k, :size],
                        )  # fmt: skip
            for at in range(size):
                for k in range(classes):
                    out[first + at, k] = total[k, at]
        for at in range(first, last):
            normalise(out[at], prior)


def posteriors(
    rows: Longs,
    codes: Ints,
    values: Floats,
    prior: Floats,
    log_prior: Floats,
    nominal: NominalLogs,
    normal: NormalLogs,
) -> Floats:
    """P(class given row) for the rows of these numbers; missing (NaN, code < 0) attributes are skipped."""
    rows, codes, values = readable(rows), readable(codes), readable(values)
    out = np.empty((len(rows), len(log_prior)))
    parts = 1 if len(rows) * (codes.shape[1] + values.shape[1]) < SMALL else threads.count()
    threads.each(
        lambda span: _posteriors(rows, span[0], span[1], codes, values, prior, log_prior, nominal, normal, out),
        threads.spans(len(rows), parts),
    )
    return out
