"""A start from a sample: of many rows some bring the coefficients so near that half of the passes are saved."""

from __future__ import annotations

from crake.arrays import Floats
from crake.learners.logistic.fisher import Objective, fisher_scoring
from crake.learners.logistic.likelihood import Likelihood

MANY_ROWS = 250_000
SAMPLED_ROWS = 65_536
"""Rows of the sample. Its coefficients differ from those of all rows by about their standard errors."""
RIDGE = 1e-2
"""Keeps what the sample cannot tell apart, or has no row of, near 0."""


def start_from_sample(likelihood: Likelihood, start: Floats, deviation: Floats) -> Floats:
    """Return coefficients of a sample of the rows; `start` itself if rows are few or the sample does not help.

    The rows are those of the lowest hashes of their cells, so that neither their order nor where they are changes the
    outcome.
    """
    count = likelihood.bounds.weight
    if count < MANY_ROWS:
        return start
    share = SAMPLED_ROWS / count
    sample = likelihood.sample(share)
    if sample is None:
        return start
    objective = Objective(sample, ~likelihood.design.is_constant, RIDGE * deviation**2)
    fit = fisher_scoring(objective, start, 1e-3, 15)
    if not fit.converged:
        return start
    likelihood.expected = sample.expected.of_more_rows(1.0 / share)
    return fit.coefficient
