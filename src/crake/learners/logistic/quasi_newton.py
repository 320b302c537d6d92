"""Too many coefficients for a matrix of their pairs: limited-memory quasi-Newton steps to the same maximum."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.learners.logistic.fisher import Fit, Iteration, Objective

MEMORY = 20
"""Steps remembered: each costs two vectors of coefficients."""


def quasi_newton(objective: Objective, start: Floats, tol: float, max_iter: int) -> Fit:
    """L-BFGS (Byrd, Lu, Nocedal and Zhu, 1995; SciPy's) until the largest gradient, per row, is below `tol`."""
    from scipy.optimize import minimize  # noqa: PLC0415  # it takes a tenth of a second to load

    likelihood = objective.likelihood
    trace: list[Iteration] = []
    rows = max(1.0, -likelihood.at(np.zeros_like(start)).value / np.log(likelihood.outputs + 1))

    def loss(free: Floats) -> tuple[float, Floats]:
        coefficient = objective.spread(free)
        point = likelihood.at(coefficient)
        trace.append(Iteration(len(trace) + 1, point.value, float("nan")))
        return -objective.value(point, coefficient) / rows, -objective.gradient(point, coefficient) / rows

    result = minimize(
        loss,
        start.T.ravel()[objective.places],
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": max_iter, "maxfun": 2 * max_iter, "maxcor": MEMORY, "gtol": tol, "ftol": 0.0},
    )
    coefficient = objective.spread(result.x)
    value = likelihood.at(coefficient).value
    # Where no step helps any more the digits of the sum are used up: that is as far as it goes.
    is_there = bool(result.success) or float(np.abs(result.jac).max(initial=0.0)) <= 100 * tol
    stopped = "" if is_there else f"{result.nit} quasi-Newton iterations were not enough"
    return Fit(coefficient, value, np.zeros((0, 0)), tuple(trace), stopped)
