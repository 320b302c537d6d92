"""Leave-one-out for naive Bayes in one sweep: each row under the model of all other rows.

For nominal columns a row only lowers counts of its own class by one, so two tables of logs serve all rows.
For numeric ones the moments without a row are merged from the rows before and after it, never subtracted: an outlier
would take the digits with it.
"""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.kernels import kernel, readable, threads
from crake.kernels.bayes.posterior import normalise
from crake.kernels.statistics.two_sum import sum_and_rest
from crake.kernels.threads import SMALL
from crake.kernels.tiered import tiered

BLOCK = 512
"""Rows whose moments before and after are held at a time."""
SMALLEST = float(np.finfo(np.float64).tiny)
"""The variance of a class whose values are all equal, where min_variance is 0."""


@tiered(lambda start, stop, codes, *_: (stop - start) * codes.shape[1] * 3, most=1_000_000)
def _nominal(
    start: int,
    stop: int,
    codes: Ints,
    target: Ints,
    log_prior: Floats,
    offsets: Longs,
    full: Floats,
    less: Floats,
    out: Floats,
) -> None:
    """Log prior + Σ log P(value given class); log_prior[own class, class], `less` for the own class."""
    classes = full.shape[1]
    for i in range(start, stop):
        own = target[i]
        row = out[i]
        if own < 0:
            continue
        for k in range(classes):
            row[k] = log_prior[own, k]
        for j in range(codes.shape[1]):
            v = codes[i, j]
            if v >= 0:
                at = offsets[j] + v
                for k in range(classes):
                    row[k] += less[at, k] if k == own else full[at, k]


@kernel
def _add(moments: Floats, x: float) -> None:
    """One more value into (n, mean, squares, rest of the mean)."""
    n = moments[0] + 1.0
    d = (x - moments[1]) - moments[3]
    moments[1], moments[3] = sum_and_rest(moments[1], moments[3] + d / n)
    moments[2] += d * d * (moments[0] / n)
    moments[0] = n


@tiered(lambda *_: 10, most=300_000)
def _merge(into: Floats, other: Floats) -> None:
    """Merge (n, mean, squares, rest of the mean) in place (Chan, Golub and LeVeque, 1979)."""
    if into[0] == 0.0:
        into[:] = other
    elif other[0] > 0.0:
        n = into[0] + other[0]
        d = (other[1] - into[1]) + (other[3] - into[3])
        into[2] += other[2] + d * d * (into[0] * (other[0] / n))
        into[1], into[3] = sum_and_rest(into[1], into[3] + d * (other[0] / n))
        into[0] = n


@tiered(lambda values, *_: 8 * values.size, most=1_000_000)
def _block_moments(values: Floats, target: Ints, classes: int) -> Floats:
    """The moments (blocks, classes, columns, 4) of each block of rows."""
    blocks = (values.shape[0] + BLOCK - 1) // BLOCK
    moments = np.zeros((blocks, classes, values.shape[1], 4))
    for i in range(values.shape[0]):
        if target[i] >= 0:
            for j in range(values.shape[1]):
                x = values[i, j]
                if x == x:
                    _add(moments[i // BLOCK, target[i], j], x)
    return moments


@tiered(lambda moments, _: 2 * moments.size, most=2_000_000)
def _running(moments: Floats, backwards: bool) -> Floats:
    """For each block the moments of all blocks before it (or after it)."""
    blocks = moments.shape[0]
    out = np.zeros(moments.shape)
    for step in range(1, blocks):
        here = blocks - 1 - step if backwards else step
        there = here + 1 if backwards else here - 1
        for k in range(moments.shape[1]):
            for j in range(moments.shape[2]):
                out[here, k, j] = out[there, k, j]
                _merge(out[here, k, j], moments[there, k, j])
    return out


@tiered(
    lambda _block, values, _target, before, *_: 30 * min(values.shape[0], BLOCK) * before[0].size // 4, most=3_000_000
)
def _numeric(
    block: int,
    values: Floats,
    target: Ints,
    before: Floats,
    after: Floats,
    all_rows: Floats,
    ddof: float,
    min_variance: float,
    log_floor: float,
    out: Floats,
) -> None:
    """Add the log densities of one block's rows, each class's normal estimated without the row."""
    classes, columns = all_rows.shape[0], all_rows.shape[1]
    start = block * BLOCK
    stop = min(start + BLOCK, values.shape[0])
    later = np.zeros((BLOCK, columns, 4))
    running = after[block].copy()
    for i in range(stop - 1, start - 1, -1):
        if target[i] >= 0:
            later[i - start] = running[target[i]]
            for j in range(columns):
                if values[i, j] == values[i, j]:
                    _add(running[target[i], j], values[i, j])
    running[:] = before[block]
    moments = np.zeros((classes, 4))
    everything = np.zeros(4)
    log_tau = math.log(2.0 * math.pi)
    for i in range(start, stop):
        own = target[i]
        if own < 0:
            continue
        for j in range(columns):
            if values[i, j] != values[i, j]:
                continue
            x = values[i, j]
            for k in range(classes):
                moments[k] = all_rows[k, j]
            moments[own] = running[own, j]
            _merge(moments[own], later[i - start, j])
            everything[:] = 0.0
            for k in range(classes):
                _merge(everything, moments[k])
            overall = everything[2] / everything[0] if everything[0] > 0.0 else 0.0
            if overall > 0.0:
                for k in range(classes):
                    free = moments[k, 0] - ddof
                    variance = moments[k, 2] / free if free > 0.0 else overall
                    variance = max(variance, min_variance * overall, SMALLEST)
                    centre = moments[k] if moments[k, 0] > 0.0 else everything
                    z = ((x - centre[1]) - centre[3]) / math.sqrt(variance)
                    norm = 0.5 * (log_tau + math.log(variance))
                    out[i, k] += max(log_floor, -0.5 * z * z - norm)
            _add(running[own, j], x)


@tiered(lambda start, stop, *_: 10 * (stop - start), most=500_000)
def _normalise_rows(start: int, stop: int, target: Ints, prior: Floats, out: Floats) -> None:
    for i in range(start, stop):
        if target[i] >= 0:
            normalise(out[i], prior[target[i]])


def nominal_logs(
    codes: Ints,
    target: Ints,
    log_prior: Floats,
    offsets: Longs,
    full: Floats,
    less: Floats,
) -> Floats:
    """Log P(class) + Σ log P(value given class) of each row without itself; NaN where the class is unknown."""
    codes, target = readable(codes), readable(target)
    out = np.full((len(target), full.shape[1]), np.nan)
    parts = 1 if codes.size < SMALL else threads.count()
    threads.each(
        lambda span: _nominal(span[0], span[1], codes, target, log_prior, offsets, full, less, out),
        threads.spans(len(target), parts),
    )
    return out


def add_numeric_logs(
    values: Floats,
    target: Ints,
    ddof: float,
    min_variance: float,
    log_floor: float,
    out: Floats,
) -> None:
    """Add Σ log density of each row under the normals of all other rows; values that can be squared, or NaN."""
    values, target = readable(values), readable(target)
    moments = _block_moments(values, target, out.shape[1])
    before, after = _running(moments, False), _running(moments, True)  # noqa: FBT003 (kernels take no keywords)
    all_rows = before[-1].copy()
    for k in range(out.shape[1]):
        for j in range(values.shape[1]):
            _merge(all_rows[k, j], moments[-1, k, j])

    def work(block: int) -> None:
        _numeric(
            block, values, target, before, after, all_rows, float(ddof), float(min_variance), log_floor, out
        )  # fmt: skip

    threads.each(work, range(len(moments)))


def normalise_rows(target: Ints, prior: Floats, out: Floats) -> None:
    """Log products to probabilities; prior[own class] where every class is impossible."""
    target = readable(target)
    parts = 1 if out.size < SMALL else threads.count()
    threads.each(lambda span: _normalise_rows(span[0], span[1], target, prior, out), threads.spans(len(out), parts))
