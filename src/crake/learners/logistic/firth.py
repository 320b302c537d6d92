"""Firth's penalty, ½·log of the information's determinant: finite coefficients also where classes are separated.

It takes the first-order bias from maximum likelihood. Firth (1993), Bias reduction of maximum likelihood estimates,
Biometrika 80; Heinze and Schemper (2002), A solution to the problem of separation in logistic regression.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.learners.encoding.normal_equations import cholesky_solve
from crake.learners.logistic.fisher import HALVINGS, Fit, Iteration, Objective
from crake.learners.logistic.likelihood import Point

LARGEST_STEP = 5.0


def firth(objective: Objective, start: Floats, tol: float, max_iter: int) -> Fit:
    """Maximise log-likelihood + ½·log|I|; steps of Fisher scoring on the modified score, halved while they do harm."""
    likelihood, coefficient = objective.likelihood, start
    trace: list[Iteration] = []
    point = likelihood.at(coefficient, information=True)
    information = objective.information(point)
    for iteration in range(1, max_iter + 1):
        inverse = cholesky_solve(information, np.eye(len(information)))
        if inverse is None:
            return Fit(coefficient, point.value, information, tuple(trace), "singular")
        score = objective.gradient(point, coefficient) + _modification(objective, coefficient, inverse)
        step = inverse @ score
        largest = float(np.abs(step).max(initial=0.0))
        trace.append(Iteration(iteration, point.value, largest))
        change = objective.spread(step) * min(1.0, LARGEST_STEP / largest if largest > 0 else 1.0)
        if largest <= tol:
            return Fit(coefficient + change, likelihood.at(coefficient + change).value, information, tuple(trace), "")
        value = penalised(point, information)
        for halving in range(HALVINGS):
            moved = coefficient + 0.5**halving * change
            point = likelihood.at(moved, information=True)
            information = objective.information(point)
            if penalised(point, information) >= value - 1e-12 * abs(value):
                break
        coefficient = moved
    return Fit(coefficient, point.value, information, tuple(trace), f"{max_iter} iterations were not enough")


def penalised(point: Point, information: Floats) -> float:
    """Log-likelihood + ½·log|I|."""
    sign, logarithm = np.linalg.slogdet(information)
    return point.value + 0.5 * float(logarithm) if sign > 0 else -np.inf


def _modification(objective: Objective, coefficient: Floats, inverse: Floats) -> Floats:
    """½·tr(I⁻¹·∂I/∂β) of every free coefficient."""
    likelihood = objective.likelihood
    P, M = coefficient.shape
    free = np.flatnonzero(objective.free)
    spread = np.zeros((M, M, P + 1, P + 1))
    spread[:, :, free[:, None], free] = inverse.reshape(M, len(free), M, len(free)).transpose(0, 2, 1, 3)
    return likelihood.modification(coefficient, spread).T.ravel()[objective.places]
