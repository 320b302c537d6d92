"""A start from a sample: of many rows a few blocks bring the coefficients so near that half of the passes are saved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.learners.logistic.fisher import Objective, fisher_scoring
from crake.learners.logistic.likelihood import Likelihood
from crake.statistics.gather import Batches, in_blocks
from crake.table.batch import Batch
from crake.table.schema import Schema

Floats = NDArray[np.float64]

MANY_ROWS = 250_000
BLOCK, SAMPLED_BLOCKS = 512, 128
"""65,536 rows: the coefficients of a sample are about as far from those of all rows as their standard errors."""
RIDGE = 1e-2
"""Keeps what the sample cannot tell apart, or has no row of, near 0."""


@dataclass(frozen=True)
class HeldRows:
    """A few rows, held."""

    schema: Schema
    batch: Batch

    def batches(self) -> Iterator[Batch]:
        """All of them in one batch."""
        yield self.batch


def start_from_sample(rows: Batches, count: int, likelihood: Likelihood, start: Floats, deviation: Floats) -> Floats:
    """Coefficients of every so-many-th block of rows; `start` itself if there are few rows, or the sample is no help.

    The blocks are chosen by their numbers, so that neither threads nor batches change the outcome.
    """
    if count < MANY_ROWS:
        return start
    sample = Likelihood(_sampled(rows, count), likelihood.design, likelihood.role)
    objective = Objective(sample, ~likelihood.design.is_constant, RIDGE * deviation**2)
    fit = fisher_scoring(objective, start, 1e-3, 15)
    return fit.coefficient if fit.converged else start


def _sampled(rows: Batches, count: int) -> HeldRows:
    stride = max(1, count // BLOCK // SAMPLED_BLOCKS)
    parts = []
    for batch in in_blocks(rows.batches(), BLOCK):
        first = batch.start // BLOCK
        blocks = np.arange(-first % stride, -(-batch.rows // BLOCK), stride)
        chosen = (blocks[:, None] * BLOCK + np.arange(BLOCK)).ravel()
        chosen = chosen[chosen < batch.rows]
        parts.append([array[chosen] for array in (batch.codes, batch.values, batch.target, batch.weights)])
    codes, values, target, weights = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return HeldRows(rows.schema, Batch(0, codes, values, target, weights))
