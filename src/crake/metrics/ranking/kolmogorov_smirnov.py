"""The Kolmogorov-Smirnov statistic: how far apart the scores of the two sides lie at the best place."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from crake.metrics.estimate import Estimate, Interval, IntervalMethod
from crake.metrics.intervals import LEVEL, wilson
from crake.metrics.ranking.bootstrap import bootstrap_values, largest_gap
from crake.metrics.ranking.ranking import Ranking

METHOD = IntervalMethod("differences of shares", "Newcombe {} at this score, less the optimism of its choice", LEVEL)


def kolmogorov_smirnov(ranking: Ranking) -> Estimate:
    """max_i |TPR_i − FPR_i|, the largest gap between the two sides' distributions of scores; 0 … 1.

    `method` names the score at which the gap is; the highest of them where several are equal.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> found = kolmogorov_smirnov(rank_scores([True, True, False, True, False], [5, 4, 3, 2, 1]))
    >>> print(found, found.method.split("; ")[0], sep="; ")                               # ⅔ − 0
    0.667 [0.000, 0.860]; two-sample Kolmogorov-Smirnov, at score ≥ 4
    """
    if ranking.missing_side:
        return Estimate.undefined(ranking.missing_side)
    gaps = np.abs(ranking.true_positives / ranking.positives - ranking.false_positives / ranking.negatives)
    at = int(np.argmax(gaps))
    method = f"two-sample Kolmogorov-Smirnov, at score ≥ {ranking.scores[at]:.6g}"
    return Estimate.with_interval(float(gaps[at]), partial(_interval, ranking, at), METHOD, method)


def _interval(ranking: Ranking, at: int) -> Interval:
    """Return the interval of the difference of two shares, moved down by the optimism of choosing the largest.

    A largest gap is larger in replicates than in the rows they are drawn from, as there it is larger than in all rows
    there are. The lower end gives up the whole of that optimism, the upper end, as it is itself uncertain, half.

    Newcombe (1998), Interval estimation for the difference between independent proportions, method 10.
    """
    P, N = ranking.positives, ranking.negatives
    above, below = (float(ranking.true_positives[at]), P), (float(ranking.false_positives[at]), N)
    if above[0] / P < below[0] / N:
        above, below = below, above
    (s, m), (r, n) = above, below
    value = s / m - r / n
    (low_s, high_s), (low_r, high_r) = wilson(s, m), wilson(r, n)
    down, up = math.hypot(s / m - low_s, high_r - r / n), math.hypot(high_s - s / m, r / n - low_r)
    values, shift = bootstrap_values(ranking, largest_gap)
    optimism = max(0.0, float(values.mean()) + shift - value) if len(values) else 0.0
    return max(0.0, value - down - optimism), min(1.0, max(value, value + up - optimism / 2))
