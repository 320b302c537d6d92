"""Three-point average precision: how precise a ranking is while 20, 50 and 80 % of the positives are found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.metrics.bootstrap import REPLICATES
from crake.metrics.estimate import Estimate, Interval, IntervalMethod
from crake.metrics.intervals import LEVEL, logit_interval
from crake.metrics.ranking.average_precision import precision
from crake.metrics.ranking.bootstrap import Formula, bootstrap_values, precision_at
from crake.metrics.ranking.ranking import Ranking

NORMAL = IntervalMethod(
    "normal bootstrap", f"bias-corrected bootstrap {{}}, logit scale, {REPLICATES} replicates", LEVEL
)

OF_FEW = replace(NORMAL, level=0.9, is_about=True)
FEW, RARE = 50, 0.1
"""Positives, and their share of the rows, below which the interval reaches only about 90 % in simulation."""

POINTS = (0.2, 0.5, 0.8)

NEARLY = 1 - 1e-12
"""Sums of fractional weights round: a recall so near below the one that is asked for reaches it."""


def three_point_average(ranking: Ranking, points: Sequence[float] = POINTS) -> Estimate:
    """The mean over r = 0.2, 0.5, 0.8 of the highest precision at any recall ≥ r.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> ranking = rank_scores([True, False, True, False], [4, 3, 2, 1])
    >>> three_point_average(ranking).value                                         # (1 + 1 + ⅔) / 3
    0.8888888888888888

    Eleven points 0, 0.1 … 1 are the average of the text retrieval conferences. Manning, Raghavan and Schütze (2008),
    Introduction to information retrieval, section 8.4.
    """
    if ranking.positives == 0:
        return Estimate.undefined("no row is positive")
    recalls = recall_points(points)
    reached = interpolated_precision(ranking, recalls)
    named = ", ".join(f"{r:g}" for r in points)
    formula = partial(precision_at, recalls=recalls, nearly=NEARLY)
    method = f"mean of the interpolated precision at recall {named}"
    value = float(reached.mean())
    interval = partial(_interval, ranking, formula, value, float(recalls.max()))
    is_rare = ranking.positives < FEW and ranking.positives < RARE * ranking.total
    return Estimate.with_interval(value, interval, OF_FEW if is_rare else NORMAL, method)


def _interval(ranking: Ranking, formula: Formula, value: float, recall: float) -> Interval | None:
    """Return value − bias ± z·spread on the logit scale, bias and spread those of a bootstrap; it holds the value.

    A highest precision is too high on average, which the bias takes off. At an end of 0 … 1 the replicates vary too
    little: there the precision of k rows has room for one more row on either side, and varies as a share of k + 2 rows.
    k is the number of rows called positive where the largest recall is reached.
    """
    if value <= 0:
        return None
    k = max(recall * ranking.positives / value, 1.0)
    values, shift = bootstrap_values(ranking, formula)
    bias, spread = (float(values.mean()) + shift - value, float(values.std())) if len(values) else (0.0, 0.0)
    centre = min(max(value - bias, 1 / (k + 2)), (k + 1) / (k + 2))
    if centre != value - bias:
        spread = max(spread, math.sqrt(centre * (1 - centre) / (k + 2)))
    low, high = logit_interval(centre, spread**2)
    return min(low, value), max(high, value)


def interpolated_precision(ranking: Ranking, recalls: Floats) -> Floats:
    """At each recall r the highest precision of all cutoffs with recall ≥ r; at least one row must be positive."""
    best_from_here = np.maximum.accumulate(precision(ranking)[::-1])[::-1]
    first = np.searchsorted(ranking.true_positives, np.asarray(recalls) * (ranking.positives * NEARLY))
    reached: Floats = best_from_here[first]
    return reached


def recall_points(points: Sequence[float] | Floats) -> Floats:
    """Recalls between 0 and 1, as they were given."""
    recalls = np.asarray(points, dtype=np.float64).reshape(-1)
    if recalls.size == 0 or not ((recalls >= 0) & (recalls <= 1)).all():
        raise CrakeError(f"recalls {points}; expected at least one number, each between 0 and 1")
    return recalls
