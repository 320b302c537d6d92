"""Terms of the rows for a measure that is no sum over rows and has no formula for what a row does to it.

Lift, Kolmogorov–Smirnov, Hand and Till's AUC and the calibration error are measured again without one group of rows
after another. What the measure loses with a group is the term of its rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.metrics.bootstrap import SEED

GROUPS = 40
"""Groups of rows; each takes one measurement of each learner."""


def jackknife_terms(evaluation: Any, value: Callable[[Any], float | None]) -> Floats | None:
    """Return one term per tested row: their mean is the measure, the spread of the mean its standard error.

    With θ of all rows, θ₋g without group g and G groups, the group has the pseudo-value T_g = G·θ − (G − 1)·θ₋g. Rows
    of a group share it, so that its distance from θ is multiplied by √(n/G): then n rows vary as their G groups do.
    Every round of a repeated plan is measured by itself. None where the measure is undefined without some group.

    Shao and Wu (1989), A general theory for jackknife variance estimation (groups, for measures that are not smooth).
    """
    terms = [_of_round(part, value) for part in evaluation.by_repeat()]
    return None if any(each is None for each in terms) else np.concatenate(terms)  # type: ignore[arg-type]


def _of_round(part: Any, value: Callable[[Any], float | None]) -> Floats | None:
    whole, group = value(part), groups_of(part.out_of_fold.actual)
    count = int(group.max(initial=0)) + 1
    if whole is None or count < 2:
        return None
    without = [value(part.at_lines(group != each)) for each in range(count)]
    if any(each is None for each in without):
        return None
    away = (count - 1) * (whole - np.array(without, np.float64))[group]
    return np.asarray(whole + np.sqrt(len(group) / count) * (away - away.mean()))


def groups_of(actual: NDArray[Any]) -> NDArray[np.intp]:
    """Return the group of each row: equal parts of every class, dealt in a chance order that is always the same.

    >>> groups_of(np.array([0, 0, 1, 1, 1]))
    array([0, 1, 3, 4, 2])
    """
    n = len(actual)
    order = np.random.default_rng(SEED).permutation(n)
    by_class = order[np.argsort(actual[order], kind="stable")]
    group = np.empty(n, np.intp)
    group[by_class] = np.arange(n) % min(GROUPS, n)
    return group
