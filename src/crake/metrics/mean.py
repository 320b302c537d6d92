"""The mean of a measure over folds, those without a value left out and counted."""

from __future__ import annotations

import math
from collections.abc import Iterable

from crake.metrics.estimate import Estimate


def mean_of_defined(estimates: Iterable[Estimate]) -> Estimate:
    """The mean over the folds where the measure has a value; `method` says how many those are.

    >>> mean_of_defined([Estimate(0.5), Estimate(1.0), Estimate.undefined("no row is positive")])
    Estimate(value=0.75, interval=None, method='mean of 2 of 3 folds', reason='')
    """
    folds = list(estimates)
    if not folds:
        return Estimate.undefined("no folds")
    values = [fold.value for fold in folds if fold.value is not None]
    if not values:
        return Estimate.undefined(f"undefined in all {len(folds)} folds: {folds[0].reason}")
    counted = f"{len(folds)}" if len(values) == len(folds) else f"{len(values)} of {len(folds)}"
    return Estimate(math.fsum(values) / len(values), method=f"mean of {counted} folds")
