"""A start from a sample: of many rows a few blocks bring the coefficients so near that half of the passes are saved."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.encoding import NarrowRows
from crake.learners.logistic.fisher import Objective, fisher_scoring
from crake.learners.logistic.likelihood import Likelihood
from crake.statistics.blocks import in_blocks
from crake.statistics.gather import Batches

MANY_ROWS = 250_000
BLOCK, SAMPLED_BLOCKS = 512, 128
"""65,536 rows: the coefficients of a sample are about as far from those of all rows as their standard errors."""
RIDGE = 1e-2
"""Keeps what the sample cannot tell apart, or has no row of, near 0."""


def start_from_sample(rows: Batches, count: int, likelihood: Likelihood, start: Floats, deviation: Floats) -> Floats:
    """Return coefficients of a sample of blocks of rows; `start` itself if rows are few or the sample does not help.

    The blocks are chosen by their numbers, so that neither threads nor batches change the outcome.
    """
    # By row numbers an engine would have to send all its rows.
    if count < MANY_ROWS or likelihood.is_mapped:
        return start
    sample = Likelihood(_sampled(rows, count), likelihood.design, likelihood.role)
    objective = Objective(sample, ~likelihood.design.is_constant, RIDGE * deviation**2)
    fit = fisher_scoring(objective, start, 1e-3, 15)
    return fit.coefficient if fit.converged else start


def _sampled(rows: Batches, count: int) -> NarrowRows:
    stride = max(1, count // BLOCK // SAMPLED_BLOCKS)
    if isinstance(rows, NarrowRows):
        return rows.take(_chosen(0, len(rows), stride))
    parts = []
    for batch in in_blocks(rows.batches(), BLOCK):
        chosen = _chosen(batch.start // BLOCK, batch.rows, stride)
        parts.append([array[chosen] for array in (batch.codes, batch.values, batch.target, batch.weights)])
    return NarrowRows(rows.schema, *(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _chosen(first: int, rows: int, stride: int) -> NDArray[np.intp]:
    """Return the rows of every stride-th block, from block `first` on."""
    blocks = np.arange(-first % stride, -(-rows // BLOCK), stride)
    chosen = (blocks[:, None] * BLOCK + np.arange(BLOCK)).ravel()
    return chosen[chosen < rows]
