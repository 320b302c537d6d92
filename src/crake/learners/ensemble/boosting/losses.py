"""Losses: the score to start from, gradients, and what a leaf adds to a score."""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Floats, Ints, Rows
from crake.kernels.boosting.arrays import Bins
from crake.kernels.boosting.gradients import ABSOLUTE, SQUARED, logistic_gradients, number_gradients, softmax_gradients
from crake.learners.base.class_weights import class_totals
from crake.learners.ensemble.boosting.team import Team
from crake.slow_modules import special

PART = 20_000
"""Rows worth another thread."""
LARGEST_STEP = 10.0
"""The largest step of log odds. A leaf with a row of a rare class has next to no curvature: Newton's step would be a
hundred and more, and the next rounds would swing further and further."""
RAREST = 1e-12
"""The share of a class that no row has."""


class Loss:
    """A loss of scores, one row of scores per output. `is_curved`: the hessian is |g|·(1 − |g|), otherwise 1."""

    outputs = 1
    is_curved = False
    largest = 1.0
    """No gradient is larger."""
    exponent = 0
    """Scores are in units of 2 to this power."""
    largest_step = math.inf
    """No leaf adds more, before the learning rate."""

    def base(self, weights: Floats) -> Floats:
        """Return the score without any tree, one per output: that of the least loss. No weights stand for ones."""
        raise NotImplementedError

    def gradients(self, score: Floats, gradient: Floats, team: Team) -> None:
        """Set the gradients, shaped as the scores: (outputs, rows)."""
        raise NotImplementedError

    def value(self, score: Floats, rows: Rows, weights: Floats) -> float:
        """Return the mean loss of some rows, by weight, in units of the scores."""
        raise NotImplementedError

    def in_target_units(self, values: list[float]) -> list[float]:
        """Return mean losses in units of the target; one that is too large for a number is the largest number."""
        return values

    def leaf_value(self, score: Floats, rows: Ints, weights: Floats) -> float | None:
        """Return what a leaf of these rows adds; None: the step of Newton's method."""
        del score, rows, weights
        return None


class Logistic(Loss):
    """−log P of two classes: the score is the log odds of the second one."""

    is_curved = True
    largest_step = LARGEST_STEP

    def __init__(self, target: Ints) -> None:
        self.label = target.astype(np.float64, copy=False)

    def base(self, weights: Floats) -> Floats:
        """Return the log odds of the second class among all rows."""
        p = _shares(self.label.astype(np.uint8), weights, 2)
        return np.array([math.log(p[1] / p[0])])

    def gradients(self, score: Floats, gradient: Floats, team: Team) -> None:
        """Set P − label."""
        spans = team.spans(0, score.shape[1], PART)
        team.run(logistic_gradients, [(score[0], self.label, *span, gradient[0]) for span in spans])

    def value(self, score: Floats, rows: Rows, weights: Floats) -> float:
        """Return the mean of −log P(class)."""
        signed = np.where(self.label[rows] > 0, -score[0, rows], score[0, rows])
        return float(np.average(np.logaddexp(0.0, signed), weights=weights))


class Multinomial(Loss):
    """−log P of several classes: the scores are logarithms but for a constant."""

    is_curved = True
    largest_step = LARGEST_STEP

    def __init__(self, target: Ints, classes: int) -> None:
        self.target, self.outputs = np.ascontiguousarray(target, np.int32), classes

    def base(self, weights: Floats) -> Floats:
        """Return the logarithm of each class's share."""
        logs: Floats = np.log(_shares(self.target, weights, self.outputs))
        return logs

    def gradients(self, score: Floats, gradient: Floats, team: Team) -> None:
        """Set P(class) − (is the class)."""
        spans = team.spans(0, score.shape[1], PART // self.outputs + 1)
        team.run(softmax_gradients, [(score, self.target, *span, gradient) for span in spans])

    def value(self, score: Floats, rows: Rows, weights: Floats) -> float:
        """Return the mean of −log P(class)."""
        logs = special.log_softmax(score[:, rows], axis=0)
        return float(np.average(-logs[self.target[rows], np.arange(len(rows))], weights=weights))


class Squared(Loss):
    """Half the squared error. Numbers are in units of a power of two, `unit`, so that none is larger than 1."""

    kind = SQUARED

    def __init__(self, y: Floats) -> None:
        _, exponent = np.frexp(np.abs(y).max())
        self.exponent = int(exponent)
        self.y = np.ldexp(y, -self.exponent)

    def base(self, weights: Floats) -> Floats:
        """Return the mean; its sum is exact, so the order of the rows does not matter."""
        weighted = (weights * self.y, math.fsum(weights)) if len(weights) else (self.y, len(self.y))
        mean = math.fsum(weighted[0]) / weighted[1]
        return np.array([min(max(mean, float(self.y.min())), float(self.y.max()))])

    def gradients(self, score: Floats, gradient: Floats, team: Team) -> None:
        """Set score − y."""
        spans = team.spans(0, score.shape[1], PART)
        team.run(number_gradients, [(score[0], self.y, *span, self.kind, gradient[0]) for span in spans])
        if self.kind == SQUARED:
            self.largest = max(float(gradient.max()), -float(gradient.min()))

    def value(self, score: Floats, rows: Rows, weights: Floats) -> float:
        """Return the mean of half the squared error."""
        return 0.5 * float(np.average((score[0, rows] - self.y[rows]) ** 2, weights=weights))

    def in_target_units(self, values: list[float]) -> list[float]:
        """Return the losses times the unit, or its square."""
        with np.errstate(over="ignore", under="ignore"):
            scaled = np.ldexp(values, (2 if self.kind == SQUARED else 1) * self.exponent)
        return [float(value) for value in np.minimum(scaled, np.finfo(np.float64).max)]


class Absolute(Squared):
    """The absolute error: a leaf adds the median of what is left of its rows."""

    kind = ABSOLUTE

    def base(self, weights: Floats) -> Floats:
        """Return the median."""
        return np.array([median(self.y, weights)])

    def value(self, score: Floats, rows: Rows, weights: Floats) -> float:
        """Return the mean absolute error."""
        return float(np.average(np.abs(score[0, rows] - self.y[rows]), weights=weights))

    def leaf_value(self, score: Floats, rows: Ints, weights: Floats) -> float | None:
        """Return the median of what is left."""
        return median(self.y[rows] - score[0, rows], weights[rows] if len(weights) else weights)


def _shares(codes: Ints | Bins, weights: Floats, classes: int) -> Floats:
    """Return the share of each class, by weight; no weights are ones.

    >>> _shares(np.array([0, 1, 0]), np.array([1.0, 6.0, 1.0]), 2).tolist()
    [0.25, 0.75]
    """
    return shares_of(class_totals(codes, weights, classes))


def shares_of(sums: Floats) -> Floats:
    """Return the shares of classes from the sums of their weights."""
    shares: Floats = np.maximum(sums / math.fsum(sums), RAREST)
    return shares


def median(values: Floats, weights: Floats) -> float:
    """Return the median of values that occur as often as they weigh; between two the mean of both.

    >>> median(np.array([3.0, 1.0, 9.0, 5.0]), np.array([1.0, 1.0, 2.0, 0.0]))
    6.0
    >>> median(np.array([3.0, 1.0, 9.0]), np.zeros(0))
    3.0
    """
    if len(weights) == 0:
        return float(np.median(values)) + 0.0  # never −0.0, which may stand on either side of 0.0
    values, weights = values[weights > 0] + 0.0, weights[weights > 0]
    order = np.lexsort((weights, values))  # equal values by weight: the sums round alike in any order of the rows
    summed = np.cumsum(weights[order])
    half = 0.5 * summed[-1]
    at = int(np.searchsorted(summed, half, side="left"))
    if summed[at] == half and at + 1 < len(order):
        return float(0.5 * values[order[at]] + 0.5 * values[order[at + 1]])
    return float(values[order[at]])
