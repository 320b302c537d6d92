"""Bootstrap intervals of ranking measures that jump: the rows of each step are drawn, no row is looked at again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.metrics.bootstrap import REPLICATES, Resampling
from crake.metrics.estimate import Interval
from crake.metrics.intervals import LEVEL
from crake.metrics.ranking.ranking import Ranking

STEPS = 500
"""A ranking of more steps is drawn in this many, with as much of both sides in each: a million rows cost as 500 do."""

Formula = Callable[[Floats, Floats], Floats]
"""From TP and FP at the steps of each replicate, shape (replicates, steps), to one number per replicate."""


def bootstrap_ends(ranking: Ranking, formula: Formula, limits: Interval, level: float = LEVEL) -> Interval | None:
    """Return the middle 95 % of the replicates, moved from the coarser ranking to the value of all steps."""
    values, shift = bootstrap_values(ranking, formula)
    if len(values) == 0:
        return None
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return max(limits[0], float(low) + shift), min(limits[1], float(high) + shift)


def bootstrap_values(ranking: Ranking, formula: Formula) -> tuple[Floats, float]:
    """Return the measure in each replicate of the coarser ranking, and the value of all steps less the coarser one's.

    There are no values where the measure has none in most replicates, or the same in all.
    """
    coarse = coarsened(ranking, STEPS)
    x = float(formula(coarse.true_positives[None, :], coarse.false_positives[None, :])[0])
    exact = float(formula(ranking.true_positives[None, :], ranking.false_positives[None, :])[0])
    values = _replicates(coarse, formula)
    values = values[~np.isnan(values)]
    if 2 * len(values) <= REPLICATES or values.min() == values.max():
        return np.empty(0), exact - x
    return values, exact - x


def coarsened(ranking: Ranking, steps: int) -> Ranking:
    """Return these rows in about `steps` steps at most, the shares of both sides together as even as they can be."""
    if len(ranking) <= steps:
        return ranking
    share = ranking.true_positives / ranking.positives + ranking.false_positives / max(ranking.negatives, 1e-300)
    last = np.unique(np.searchsorted(share, np.linspace(0, share[-1], steps + 1)[1:]).clip(0, len(ranking) - 1))
    last = np.union1d(last, [len(ranking) - 1])
    return Ranking(ranking.scores[last], ranking.true_positives[last], ranking.false_positives[last])


def _replicates(ranking: Ranking, formula: Formula) -> Floats:
    counts = np.stack([np.diff(ranking.true_positives, prepend=0.0), np.diff(ranking.false_positives, prepend=0.0)])
    values = []
    for replicates in Resampling.of_counts(counts).draw():
        sides = np.cumsum(replicates.reshape(len(replicates), 2, -1), axis=2)
        with np.errstate(invalid="ignore", divide="ignore"):
            values.append(formula(sides[:, 0], sides[:, 1]))
    return np.concatenate(values)


def largest_gap(TP: Floats, FP: Floats) -> Floats:
    """The largest |TPR − FPR|; NaN where a side has no rows."""
    return np.asarray(np.abs(TP / TP[:, -1:] - FP / FP[:, -1:]).max(axis=1))


def precision_at(TP: Floats, FP: Floats, recalls: Floats, nearly: float) -> Floats:
    """The mean over the recalls r of the highest precision at a recall of at least r."""
    precision = np.where(TP + FP > 0, TP / np.maximum(TP + FP, 1e-300), 0.0)
    best_from_here = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    first = np.stack([np.argmax(r * nearly * TP[:, -1:] <= TP, axis=1) for r in recalls], axis=1)
    highest = np.take_along_axis(best_from_here, first, axis=1).mean(axis=1)
    return np.asarray(np.where(TP[:, -1] > 0, highest, np.nan))


def gain_of(TP: Floats, FP: Floats, share: float) -> Floats:
    """The share of the positives among the first rows, on straight lines between the steps."""
    rows_taken = TP + FP
    target = share * rows_taken[:, -1]
    at: NDArray[np.intp] = np.argmax(rows_taken >= target[:, None] * (1 - 1e-12), axis=1)
    rows = np.arange(len(TP))
    before = np.where(at > 0, rows_taken[rows, at - 1], 0.0)
    positives = np.where(at > 0, TP[rows, at - 1], 0.0)
    width = rows_taken[rows, at] - before
    part = np.where(width > 0, (target - before) / np.where(width > 0, width, 1), 1.0).clip(0, 1)
    return np.asarray((positives + part * (TP[rows, at] - positives)) / TP[:, -1])
