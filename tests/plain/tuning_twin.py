"""Nested tuning, plainly: for every outer fold all candidates on all inner folds, the best refitted, its answers."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from sklearn.base import clone


def candidates(grid: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]


def inner_values(learner: Any, grid: dict[str, list[Any]], table: Any, plan: Any, measure: Any) -> np.ndarray:
    """The measure of every candidate (a line) in every inner fold (a column)."""
    lines = []
    for parameters in candidates(grid):
        line = []
        for train, test in plan.assign(table.target, table.schema.classes).splits():
            model = clone(learner).set_params(**parameters).fit(table.take(train))
            line.append(measure(table.target[test], model.probabilities(table, test)))
        lines.append(line)
    return np.array(lines)


def tuned(learner: Any, grid: dict[str, list[Any]], table: Any, plan: Any, measure: Any) -> tuple[dict[str, Any], Any]:
    """The parameters of the highest mean, of equals the first, and the learner fitted with them on all rows."""
    means = inner_values(learner, grid, table, plan, measure).mean(axis=1)
    best = candidates(grid)[next(i for i, mean in enumerate(means) if mean >= means.max() - 1e-12)]
    return best, clone(learner).set_params(**best).fit(table)


def nested(
    learner: Any, grid: dict[str, list[Any]], table: Any, outer: Any, inner: Any, measure: Any
) -> tuple[np.ndarray, list[dict[str, Any]]]:
    """Out-of-fold probabilities, and what was chosen in each outer fold."""
    found = np.empty((len(table), len(table.schema.classes)))
    chosen = []
    for train, test in outer.assign(table.target, table.schema.classes).splits():
        best, model = tuned(learner, grid, table.take(train), inner, measure)
        chosen.append(best)
        found[test] = model.probabilities(table, test)
    return found, chosen
