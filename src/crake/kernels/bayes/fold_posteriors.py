"""Naive Bayes' posteriors under the models of several folds: each row by the model of its own fold."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel, readable, threads
from crake.kernels.bayes.posterior import normalise

Floats = NDArray[np.float64]


@kernel
def _fold_posteriors(
    codes: NDArray[np.int32],
    start: int,
    stop: int,
    fold: NDArray[np.int32],
    prior: Floats,
    log_prior: Floats,
    offsets: NDArray[np.int64],
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
    codes: NDArray[np.int32],
    fold: NDArray[np.int32],
    prior: Floats,
    log_prior: Floats,
    offsets: NDArray[np.int64],
    log_likelihood: Floats,
) -> Floats:
    """P(class given row) of every row whose fold is not −1, NaN of the others.

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
