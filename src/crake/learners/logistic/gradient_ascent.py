"""The lectures' batch gradient ascent: w_i ← w_i + η·Σ_l x_i·(y − p), until no w_i changes by more than a threshold.

The columns are those of the table, not standardised ones, so that a student can follow it with pencil and paper.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.learners.encoding import Design
from crake.learners.logistic.fisher import Fit, Iteration, Objective


def gradient_ascent(objective: Objective, design: Design, rate: float | None, tol: float, max_iter: int) -> Fit:
    """From w = 0. Without a rate: 4 / the largest eigenvalue of X'X, the largest step that can never overshoot."""
    likelihood, free = objective.likelihood, objective.free
    shift = _shifts(design)
    standardised = np.zeros((len(design), likelihood.outputs))
    trace: list[Iteration] = []
    eta = rate if rate is not None else _safe_rate(objective, design, shift)
    for iteration in range(1, max_iter + 1):
        point = likelihood.at(standardised)
        pull = point.gradient - 2.0 * objective.penalty[:, None] * standardised
        change = eta * np.where(free[:, None], _users_gradient(design, shift, pull), 0.0)
        standardised = standardised + _standardised_change(design, shift, change)
        largest = float(np.abs(change).max(initial=0.0))
        trace.append(Iteration(iteration, point.value, largest))
        if not np.isfinite(standardised).all():
            return Fit(np.zeros_like(standardised), point.value, np.zeros((0, 0)), tuple(trace), "it ran away")
        if largest <= tol:
            value = likelihood.at(standardised).value
            return Fit(standardised, value, np.zeros((0, 0)), tuple(trace), "")
    stopped = f"{max_iter} iterations were not enough"
    return Fit(standardised, likelihood.at(standardised).value, np.zeros((0, 0)), tuple(trace), stopped)


def _shifts(design: Design) -> Floats:
    """Return the means of the numbers, in the users' units."""
    return np.ldexp(design.centre + design.rest, design.exponent)


def _deviations(design: Design) -> Floats:
    return np.ldexp(np.where(design.spread > 0, design.spread, 1.0), design.exponent)


def _users_gradient(design: Design, mean: Floats, gradient: Floats) -> Floats:
    """Σ x·residual from Σ z·residual: x = mean + deviation·z."""
    users, m = gradient.copy(), design.numbers
    users[:m] = _deviations(design)[:, None] * gradient[:m] + mean[:, None] * gradient[m]
    return users


def _standardised_change(design: Design, mean: Floats, change: Floats) -> Floats:
    """Return a change of the users' coefficients as one of the standardised ones."""
    moved, m = change.copy(), design.numbers
    moved[:m] = _deviations(design)[:, None] * change[:m]
    moved[m] = change[m] + mean @ change[:m]
    return moved


def _safe_rate(objective: Objective, design: Design, mean: Floats) -> float:
    """1/L, L the largest curvature that log-likelihood and penalty can have: a quarter (a half) of X'X's, and 2λ."""
    likelihood = objective.likelihood
    P, M = len(design), likelihood.outputs
    # At 0 all classes are equally probable: X'VX with V = K⁻¹(1 − K⁻¹) is X'X but for that factor.
    information = likelihood.at(np.zeros((P, M)), information=True).information[:P, :P]
    share = 1.0 / (M + 1)
    products = information / (share * (1.0 - share))
    change = np.eye(P)
    into = _standardised_change(design, mean, change)
    users = into.T @ products @ into
    places = np.flatnonzero(objective.free)
    most = float(np.linalg.eigvalsh(users[np.ix_(places, places)])[-1]) if len(places) else 1.0
    bound = (0.25 if M == 1 else 0.5) * most + 2.0 * float(objective.penalty.max(initial=0.0))
    return 1.0 / bound if np.isfinite(bound) and bound > 0 else 0.0
