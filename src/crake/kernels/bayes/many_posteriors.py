"""Naive Bayes' posteriors under many models of the same rows: the models of folds, or of samples."""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel, readable, threads
from crake.kernels.bayes.posterior import normalise


@kernel
def _fold_posteriors(
    codes: Ints,
    start: int,
    stop: int,
    fold: Ints,
    prior: Floats,
    log_prior: Floats,
    offsets: Longs,
    log_likelihood: Floats,
    out: Floats,
) -> None:
    classes = log_prior.shape[1]
    for i in range(start, stop):
        f = fold[i]
        if f < 0:
            for k in range(classes):
                out[i, k] = math.nan
            continue
        if classes == 2:
            # Two sums in registers: half the time of the loop over classes, and the same sums.
            one, other = log_prior[f, 0], log_prior[f, 1]
            for j in range(codes.shape[1]):
                v = codes[i, j]
                if v >= 0:
                    one += log_likelihood[f, offsets[j] + v, 0]
                    other += log_likelihood[f, offsets[j] + v, 1]
            out[i, 0], out[i, 1] = one, other
        else:
            for k in range(classes):
                out[i, k] = log_prior[f, k]
            for j in range(codes.shape[1]):
                v = codes[i, j]
                if v >= 0:
                    for k in range(classes):
                        out[i, k] += log_likelihood[f, offsets[j] + v, k]
        normalise(out[i], prior[f])


def fold_posteriors(
    codes: Ints,
    fold: Ints,
    prior: Floats,
    log_prior: Floats,
    offsets: Longs,
    log_likelihood: Floats,
) -> Floats:
    """Return P(class given row) of every row under the model of its fold, NaN for rows of fold −1.

    `prior` and `log_prior` have shape (folds, classes), `log_likelihood` (folds, all levels, classes). The rows are
    read one after the other, whatever their folds; each sum is taken in the order of the columns, as for one model.
    """
    codes, fold = readable(codes), readable(fold)
    out = np.empty((len(codes), prior.shape[1]))
    threads.each(
        lambda span: _fold_posteriors(codes, *span, fold, prior, log_prior, offsets, log_likelihood, out),
        threads.spans(len(codes), threads.count()),
        codes.size,
    )
    return out


@kernel
def _sample_posteriors(
    codes: Ints,
    start: int,
    stop: int,
    left_out: Flags,
    prior: Floats,
    log_prior: Floats,
    offsets: Longs,
    log_likelihood: Floats,
    place: Longs,
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
    codes: Ints,
    left_out: Flags,
    prior: Floats,
    log_prior: Floats,
    offsets: Longs,
    log_likelihood: Floats,
) -> list[Floats]:
    """Return P(class given row) of the rows that `left_out[row, sample]` names: one array per sample, in row order.

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
