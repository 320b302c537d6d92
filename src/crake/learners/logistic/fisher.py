"""Fisher scoring: β ← β + I(β)⁻¹·gradient, the step halved while it does not help.

For logistic regression it is Newton's method, and iteratively reweighted least squares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.encoding.normal_equations import cholesky_solve
from crake.learners.logistic.likelihood import Likelihood, Point

HALVINGS = 40


@dataclass(frozen=True)
class Iteration:
    """One line of a trace: the log-likelihood before the step, and the largest change of a coefficient."""

    iteration: int
    log_likelihood: float
    largest_change: float


@dataclass(frozen=True)
class Fit:
    """The end of an optimisation. `information` is that of the free coefficients just before the last, tiny step."""

    coefficient: Floats
    log_likelihood: float
    information: Floats
    trace: tuple[Iteration, ...]
    stopped: str

    @property
    def converged(self) -> bool:
        """True if the optimiser came to its end by itself."""
        return not self.stopped


@dataclass
class Objective:
    """Log-likelihood − Σ penalty·β², over the free coefficients; `penalty` has one number per term."""

    likelihood: Likelihood
    free: NDArray[np.bool_]
    penalty: Floats
    places: NDArray[np.intp] = field(init=False)

    def __post_init__(self) -> None:
        outputs = self.likelihood.outputs
        self.places = np.flatnonzero(np.tile(self.free, outputs))

    def value(self, point: Point, coefficient: Floats) -> float:
        """Return the value to be maximised."""
        return point.value - float(np.sum(self.penalty[:, None] * coefficient**2))

    def gradient(self, point: Point, coefficient: Floats) -> Floats:
        """Return the gradient of the free coefficients, those of the first output first."""
        full = point.gradient - 2.0 * self.penalty[:, None] * coefficient
        return full.T.ravel()[self.places]

    def at(self, coefficient: Floats) -> Point:
        """Return the likelihood and its derivatives."""
        return self.likelihood.at(coefficient, information=True)

    def step(self, point: Point, coefficient: Floats, information: Floats) -> Floats | None:
        """Solve I·step = gradient; None if the information is singular."""
        return cholesky_solve(information, self.gradient(point, coefficient))

    def information(self, point: Point) -> Floats:
        """Return the information of the free coefficients."""
        matrix = point.information[np.ix_(self.places, self.places)]
        matrix[np.diag_indices(len(matrix))] += 2.0 * np.tile(self.penalty, self.likelihood.outputs)[self.places]
        return matrix

    def spread(self, step: Floats) -> Floats:
        """Return a step of the free coefficients as one of all (terms, outputs)."""
        full = np.zeros(len(self.free) * self.likelihood.outputs)
        full[self.places] = step
        return full.reshape(self.likelihood.outputs, -1).T


def fisher_scoring(
    objective: Objective,
    start: Floats,
    tol: float,
    max_iter: int,
    watch: Callable[[int, Point, Floats, Floats], str] = lambda *_: "",
    first: Point | None = None,
) -> Fit:
    """Iterate until no coefficient moves by more than `tol`, the steps fail, or `watch` gives a reason to stop.

    `watch(iteration, point, coefficient, step)` is called before each step but the last. `first` is the likelihood at
    the start, with information, where it is known already.
    """
    coefficient = start
    trace: list[Iteration] = []
    point = objective.at(coefficient) if first is None else first
    for iteration in range(1, max_iter + 1):
        gradient, information = objective.gradient(point, coefficient), objective.information(point)
        step = objective.step(point, coefficient, information)
        if step is None or not np.isfinite(step).all():
            return Fit(coefficient, point.value, information, tuple(trace), "singular")
        largest, gain = float(np.abs(step).max(initial=0.0)), float(gradient @ step)
        value = objective.value(point, coefficient)
        trace.append(Iteration(iteration, point.value, largest))
        change = objective.spread(step)
        if largest <= tol or gain <= 4 * np.finfo(float).eps * abs(value):
            # The likelihood's own slope is not 0 where a penalty holds against it.
            value = point.value + float(np.sum(point.gradient * change)) - 0.5 * gain
            return Fit(coefficient + change, value, information, tuple(trace), "")
        stopped = watch(iteration, point, coefficient, change)
        if stopped:
            return Fit(coefficient, point.value, information, tuple(trace), stopped)
        # Where every row is nearly certain the likelihood is rounded by more than the last steps gain.
        slope = float(np.abs(gradient).max(initial=0.0)) if gain < 1e-8 * abs(value) else 0.0
        moved = _moved(objective, coefficient, change, value, slope)
        if moved is None:
            return Fit(coefficient, point.value, information, tuple(trace), "no step helps")
        coefficient, point = moved
    return Fit(coefficient, point.value, information, tuple(trace), f"{max_iter} iterations were not enough")


def _moved(
    objective: Objective, coefficient: Floats, change: Floats, value: float, slope: float
) -> tuple[Floats, Point] | None:
    """Return the whole step, or half of it, a quarter …: the first that does not make things worse.

    The whole step is also taken if it halves the steepest `slope`: at the maximum that has more digits than the value.
    """
    least = value - 1e-13 * abs(value)
    for halving in range(HALVINGS):
        moved = coefficient + 0.5**halving * change
        # The first attempt is nearly always taken, so its information is asked for at once.
        point = objective.at(moved) if halving == 0 else objective.likelihood.at(moved)
        is_flatter = halving == 0 and 2 * np.abs(objective.gradient(point, moved)).max(initial=0.0) < slope
        if is_flatter or objective.value(point, moved) >= least:
            return moved, point if halving == 0 else objective.at(moved)
    return None
