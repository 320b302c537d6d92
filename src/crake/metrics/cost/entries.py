"""Registry entries of the costs of errors; each takes a cost matrix."""

from __future__ import annotations

import math

from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.cost.measures import mean_cost, normalised_cost, total_cost
from crake.metrics.estimate import Estimate
from crake.metrics.measure import Measure
from crake.metrics.predictions import Predictions


def _mean(p: Predictions, costs: CostMatrix) -> Estimate:
    return mean_cost(p.confusion, costs)


def _total(p: Predictions, costs: CostMatrix) -> Estimate:
    return total_cost(p.confusion, costs)


def _normalised(p: Predictions, costs: CostMatrix) -> Estimate:
    return normalised_cost(p.confusion, costs)


MEAN_COST = Measure[Predictions](
    "mean_cost",
    "mean cost",
    "The cost of a row: Σ n(j called i) · C(i given j) / n.",
    _mean,
    greater_is_better=False,
    bounds=(-math.inf, math.inf),
    needs_costs=True,
    aliases=("cost",),
    is_shown=False,
)
TOTAL_COST = Measure[Predictions](
    "total_cost",
    "total cost",
    "The cost of all tested rows; of several rounds the mean.",
    _total,
    greater_is_better=False,
    bounds=(-math.inf, math.inf),
    needs_costs=True,
    is_shown=False,
)
NORMALISED_COST = Measure[Predictions](
    "normalised_cost",
    "normalised cost",
    "(cost − least) / (most − least): 0 if every row were given its cheapest class, 1 if its dearest.",
    _normalised,
    greater_is_better=False,
    needs_costs=True,
    is_shown=False,
)
