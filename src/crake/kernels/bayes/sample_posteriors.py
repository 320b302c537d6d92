"""Naive Bayes' posteriors under the models of many samples: each row by the models that have not seen it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel, readable, threads
from crake.kernels.bayes.posterior import normalise

Floats = NDArray[np.float64]


@kernel
def _sample_posteriors(
    codes: NDArray[np.int32],
    start: int,
    stop: int,
    left_out: NDArray[np.bool_],
    prior: Floats,
    log_prior: Floats,
    offsets: NDArray[np.int64],
    log_likelihood: Floats,
    place: NDArray[np.int64],
    out: Floats,
) -> None:
    classes, samples = log_prior.shape
    total, row = np.empty((classes, samples)), np.empty(classes)
    for i in range(start, stop):
        for k in range(classes):
            for r in range(samples):
                total[k, r] = log_prior[k, r]
        for j in range(codes.shape[1]):
            v = codes[i, j]
            if v >= 0:
                factor = log_likelihood[offsets[j] + v]
                for k in range(classes):
                    for r in range(samples):
                        total[k, r] += factor[k, r]
        for r in range(samples):
            if not left_out[i, r]:
                continue
            at = place[r]
            place[r] += 1
            if classes == 2 and max(total[0, r], total[1, r]) > -math.inf:
                # `normalise` of two classes, without the loops: the larger is exp(0) = 1.
                share = math.exp(-abs(total[0, r] - total[1, r]))
                larger = 0 if total[0, r] >= total[1, r] else 1
                out[at, larger], out[at, 1 - larger] = 1.0 / (1.0 + share), share / (1.0 + share)
                continue
            for k in range(classes):
                row[k] = total[k, r]
            normalise(row, prior[r])
            for k in range(classes):
                out[at, k] = row[k]


def sample_posteriors(
    codes: NDArray[np.int32],
    left_out: NDArray[np.bool_],
    prior: Floats,
    log_prior: Floats,
    offsets: NDArray[np.int64],
    log_likelihood: Floats,
) -> list[Floats]:
    """P(class given row) of the rows that `left_out[row, sample]` names, one array a sample, in row order.

    `prior[sample, class]`, `log_prior[class, sample]`, `log_likelihood[offset of column + code, class, sample]`: the
    samples lie side by side, so that the sums are taken in vectors; each in the order of the columns, as for one model.
    """
    codes = readable(codes)
    spans = threads.spans(len(codes), threads.count())
    counts = np.stack([left_out[a:b].sum(axis=0) for a, b in spans])
    ends = np.cumsum(counts.sum(axis=0))
    out = np.empty((int(ends[-1]), len(log_prior)))
    # Each span of rows writes behind those before it, sample by sample.
    places = ends - counts.sum(axis=0) + np.cumsum(counts, axis=0) - counts
    threads.each(
        lambda at: _sample_posteriors(
            codes, *spans[at], left_out, prior, log_prior, offsets, log_likelihood, places[at], out
        ),
        range(len(spans)),
        codes.size * left_out.shape[1],
    )
    return np.split(out, ends[:-1])
