"""The mean of a measure over folds, those without a value left out and counted."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

from crake.metrics.estimate import Estimate, IntervalMethod
from crake.metrics.intervals import LEVEL, corrected_interval

CORRECTED = IntervalMethod("corrected t", "corrected resampled t {} (Nadeau and Bengio)", LEVEL, counts_folds=True)


def mean_of_defined(estimates: Iterable[Estimate], test_to_train_ratio: float | None = None) -> Estimate:
    """The mean over the folds where the measure has a value; `method` says how many those are.

    With `test_to_train_ratio` (rows tested / rows learned from) it has Nadeau and Bengio's corrected interval.

    >>> mean_of_defined([Estimate(0.5), Estimate(1.0), Estimate.undefined("no row is positive")])
    Estimate(value=0.75, interval=None, method='mean of 2 of 3 folds', reason='')
    >>> mean_of_defined([Estimate(0.7), Estimate(0.8), Estimate(0.9)], test_to_train_ratio=1 / 2).method
    'mean of 3 folds; corrected resampled t 95 % (Nadeau and Bengio)'
    """
    folds = list(estimates)
    if not folds:
        return Estimate.undefined("no folds")
    values = [fold.value for fold in folds if fold.value is not None]
    if not values:
        return Estimate.undefined(f"undefined in all {len(folds)} folds: {folds[0].reason}")
    counted = f"{len(folds)}" if len(values) == len(folds) else f"{len(values)} of {len(folds)}"
    mean, method = math.fsum(values) / len(values), f"mean of {counted} folds"
    if test_to_train_ratio is None or len(values) < 2:
        return Estimate(mean, method=method)
    interval = partial(corrected_interval, values, test_to_train_ratio, LEVEL)
    return Estimate.with_interval(mean, interval, CORRECTED, method)
