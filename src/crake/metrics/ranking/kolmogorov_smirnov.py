"""The Kolmogorov-Smirnov statistic: how far apart the scores of the two sides lie at the best place."""

from __future__ import annotations

from functools import partial

import numpy as np

from crake.metrics.estimate import Estimate
from crake.metrics.ranking.bootstrap import BASIC, bootstrap_ends, largest_gap
from crake.metrics.ranking.ranking import Ranking


def kolmogorov_smirnov(ranking: Ranking) -> Estimate:
    """max_i |TPR_i − FPR_i|, the largest gap between the two sides' distributions of scores; 0 … 1.

    `method` names the score at which the gap is; the highest of them where several are equal.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> found = kolmogorov_smirnov(rank_scores([True, True, False, True, False], [5, 4, 3, 2, 1]))
    >>> print(found, found.method, sep="; ")                                            # ⅔ − 0
    0.667 [0.333, 0.833]; two-sample Kolmogorov-Smirnov, at score ≥ 4; basic bootstrap 95 %, 1000 replicates
    """
    if ranking.missing_side:
        return Estimate.undefined(ranking.missing_side)
    gaps = np.abs(ranking.true_positives / ranking.positives - ranking.false_positives / ranking.negatives)
    at = int(np.argmax(gaps))
    method = f"two-sample Kolmogorov-Smirnov, at score ≥ {ranking.scores[at]:.6g}"
    interval = partial(bootstrap_ends, ranking, largest_gap, (0.0, 1.0), basic=True)
    return Estimate.with_interval(float(gaps[at]), interval, BASIC, method)
