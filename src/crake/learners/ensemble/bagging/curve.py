"""The error out of bag by the number of members, with its interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from crake.learners.ensemble.bagging.out_of_bag import estimate
from crake.learners.ensemble.error_curves import ErrorCurve

if TYPE_CHECKING:
    from crake.learners.ensemble.bagging.learner import BaggingClassifier


def curve_out_of_bag(model: BaggingClassifier) -> ErrorCurve:
    """Return the error of the first member, of the first two, and so on, on the rows that their samples lack.

    Wilson's interval of the error after each member counts the rows that the samples up to that member are expected to
    leave out. The curve begins with the first member whose sample lacks a row.
    """
    errors, (_, rows) = model.oob_errors_, model._oob_counts  # noqa: SLF001 (its own picture)
    low, high = [], []
    for at, error in enumerate(errors.tolist(), start=1):
        if math.isnan(error):
            low.append(error)
            high.append(error)
            continue
        tested = rows * _share_left_out(float(model.max_samples), at, len(errors))
        ends = estimate(error * tested, tested).interval or (error, error)
        low.append(float(ends[0]))
        high.append(float(ends[1]))
    return ErrorCurve("out of bag", errors, np.array(low), np.array(high))


def _share_left_out(draws: float, first: int, members: int) -> float:
    """Return the rows that some of the first samples lack, as a share of those that some of all samples lack.

    A sample has `draws` draws per row of the table. It holds a given row with probability p = 1 − exp(−draws). At least
    one of k samples lacks the row with probability 1 − p^k.

    >>> round(_share_left_out(1.0, 1, 2), 6) == round(1 / (1 + (1 - math.exp(-1))), 6)
    True
    >>> _share_left_out(800.0, 1, 4)
    0.25
    """
    lacking = math.exp(-draws)
    inside = math.log1p(-lacking) if lacking < 0.5 else math.log(-math.expm1(-draws))
    return math.expm1(first * inside) / math.expm1(members * inside) if inside < 0 else first / members
