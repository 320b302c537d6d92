"""What a candidate is measured by: one number for each fold."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.metrics.confusion.matrix import ConfusionMatrix, confusion_matrix
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.cost.measures import mean_cost
from crake.metrics.estimate import Estimate
from crake.metrics.probability.brier import brier
from crake.metrics.probability.log_loss import log_loss
from crake.metrics.ranking.auc import auc, auc_weighted
from crake.metrics.ranking.average_precision import average_precision, average_precision_weighted
from crake.metrics.ranking.ranking import rank_class
from crake.table.schema import Label

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tested:
    """The rows of one fold: actual codes, probabilities, answers, weights (None: all 1)."""

    actual: NDArray[np.int32]
    probabilities: Floats
    answers: NDArray[np.intp]
    weights: Floats | None


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure by name; of `positive` where it speaks of one class, `costs` where it is a cost."""

    name: str
    classes: tuple[Label, ...]
    positive: Label | None = None
    costs: CostMatrix | None = None

    def __post_init__(self) -> None:
        if (self.name == "cost") != (self.costs is not None):
            raise CrakeError("measure='cost' and a cost matrix go together: Tuned(…, measure='cost', cost=…)")
        if self.positive is not None and self.positive not in self.classes:
            raise CrakeError(f"there is no class {self.positive!r} to call positive; classes: {list(self.classes)}")

    @property
    def sign(self) -> int:
        """1 where larger is better, −1 where smaller is."""
        return -1 if self.name in SMALLER else 1

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value it can have."""
        return BOUNDS.get(self.name, (0.0, 1.0))

    def of(self, tested: Tested) -> float:
        """The value of these rows, NaN where it is undefined."""
        found = MEASURES[self.name](self, tested)
        return float("nan") if found.value is None else found.value


def _matrix(measure: Measure, tested: Tested) -> ConfusionMatrix:
    return confusion_matrix(tested.actual, tested.answers, measure.classes, weights=tested.weights)


def _accuracy(measure: Measure, tested: Tested) -> Estimate:
    del measure
    # Right / all, without the matrix: it is what most searches ask for, fold by fold.
    right = tested.actual == tested.answers
    return Estimate(float(np.average(right, weights=tested.weights))) if len(right) else Estimate.undefined("no rows")


def _f1(measure: Measure, tested: Tested) -> Estimate:
    matrix = _matrix(measure, tested)
    return matrix.weighted("f") if measure.positive is None else matrix.f(measure.positive)


def _auc(measure: Measure, tested: Tested) -> Estimate:
    columns = tested.actual, tested.probabilities
    if measure.positive is None and len(measure.classes) != 2:
        return auc_weighted(*columns, tested.weights)
    return auc(*columns, _code(measure), tested.weights)


def _average_precision(measure: Measure, tested: Tested) -> Estimate:
    columns = tested.actual, tested.probabilities
    if measure.positive is None:
        return average_precision_weighted(*columns, tested.weights)
    return average_precision(rank_class(*columns, _code(measure), tested.weights))


def _mean_cost(measure: Measure, tested: Tested) -> Estimate:
    assert measure.costs is not None  # noqa: S101 (the measure was checked when it was made)
    return mean_cost(_matrix(measure, tested), measure.costs)


def _code(measure: Measure) -> int:
    return 1 if measure.positive is None else measure.classes.index(measure.positive)


def _of_matrix(name: str) -> Callable[[Measure, Tested], Estimate]:
    def value(measure: Measure, tested: Tested) -> Estimate:
        found: Estimate = getattr(_matrix(measure, tested), name)
        return found

    return value


def _of_probabilities(formula: Any) -> Callable[[Measure, Tested], Estimate]:
    def value(measure: Measure, tested: Tested) -> Estimate:
        del measure
        found: Estimate = formula(tested.actual, tested.probabilities, tested.weights)
        return found

    return value


MEASURES: dict[str, Callable[[Measure, Tested], Estimate]] = {
    "accuracy": _accuracy,
    "balanced_accuracy": _of_matrix("balanced_accuracy"),
    "kappa": _of_matrix("kappa"),
    "mcc": _of_matrix("mcc"),
    "f1": _f1,
    "auc": _auc,
    "average_precision": _average_precision,
    "log_loss": _of_probabilities(log_loss),
    "brier": _of_probabilities(brier),
    "cost": _mean_cost,
}
BOUNDS = {
    "kappa": (-1.0, 1.0),
    "mcc": (-1.0, 1.0),
    "log_loss": (0.0, math.inf),
    "brier": (0.0, 2.0),
    "cost": (-math.inf, math.inf),
}
SMALLER = frozenset({"log_loss", "brier", "cost"})
"""Measures of which the smaller value is better."""
