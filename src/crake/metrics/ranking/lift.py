"""Lift: how many times more positives the highest-ranked share of the rows holds than a share drawn by chance."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.metrics.bootstrap import METHOD as PERCENTILES
from crake.metrics.estimate import Estimate, Interval
from crake.metrics.ranking.bootstrap import bootstrap_ends, gain_of
from crake.metrics.ranking.ranking import Ranking


def lift_at(ranking: Ranking, share: float) -> Estimate:
    """gain(q) / q: the recall among the first q · n rows over what chance would give; 1 = no better than chance.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> ranking = rank_scores([True, True, False, False, False], [5, 4, 3, 2, 1])
    >>> lift_at(ranking, 0.2).value, lift_at(ranking, 1).value                           # (½) / 0.2; 1
    (2.5, 1.0)
    """
    gain = gain_at(ranking, share)
    if gain.value is None or share == 0:
        return Estimate.undefined(gain.reason or "no rows are taken")
    method = f"lift of the first {share:.4g} of the rows"
    interval = partial(_lift_interval, ranking, share)
    return Estimate.with_interval(gain.value / share, interval, PERCENTILES, method)


def gain_at(ranking: Ranking, share: float) -> Estimate:
    """The share of all positives among the first q · n rows (cumulative gain).

    Where the q · n-th row lies among equal scores, they are taken in chance order: the expected number counts.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> gain_at(rank_scores([True, True, False, False], [2, 1, 1, 1]), 0.5).value        # (1 + ⅓) / 2
    0.6666666666666666
    """
    if not 0 <= share <= 1:
        raise CrakeError(f"share = {share}; expected the share of the rows that is taken, 0 … 1, such as 0.1")
    if ranking.positives == 0:
        return Estimate.undefined("no row is positive")
    method = f"gain of the first {share:.4g} of the rows"
    interval = partial(_gain_interval, ranking, share)
    return Estimate.with_interval(float(gains(ranking, share)), interval, PERCENTILES, method)


def _gain_interval(ranking: Ranking, share: float) -> Interval | None:
    return bootstrap_ends(ranking, partial(gain_of, share=share), (0.0, 1.0))


def _lift_interval(ranking: Ranking, share: float) -> Interval | None:
    between = _gain_interval(ranking, share)
    return None if between is None else (between[0] / share, between[1] / share)


def gains(ranking: Ranking, shares: ArrayLike) -> Floats:
    """Straight lines between (rows taken, positives found) at the distinct scores; at least one row is positive."""
    rows = np.concatenate([[0.0], ranking.true_positives + ranking.false_positives])
    positives = np.concatenate([[0.0], ranking.true_positives])
    return np.asarray(np.interp(np.asarray(shares) * rows[-1], rows, positives) / ranking.positives)
