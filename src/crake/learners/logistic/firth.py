"""Firth's penalty, ½·log of the information's determinant: finite coefficients also where classes are separated.

It takes the first-order bias from maximum likelihood. Firth (1993), Bias reduction of maximum likelihood estimates,
Biometrika 80; Heinze and Schemper (2002), A solution to the problem of separation in logistic regression.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.kernels.linear.encoding import fill_matrix
from crake.learners.encoding.design import ROWS
from crake.learners.encoding.normal_equations import cholesky_solve
from crake.learners.logistic.fisher import HALVINGS, Fit, Iteration, Objective
from crake.learners.logistic.likelihood import Point
from crake.statistics.blocks import in_blocks

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
    """½·tr(I⁻¹·∂I/∂β) of every free coefficient.

    With Q = x'·I⁻¹·x of a row (outputs, outputs), output c of the row gets w/2 · p_c·(Q_cc − Σ_a Q_aa·p_a
    − 2·Σ_b Q_cb·p_b + 2·Σ_ab p_a·p_b·Q_ab), which for two classes is h·(½ − p), h the row's leverage.
    """
    likelihood = objective.likelihood
    design, M = likelihood.design, likelihood.outputs
    free = np.flatnonzero(objective.free)
    V = inverse.reshape(M, len(free), M, len(free))
    total = np.zeros((M, len(free)))
    for batch in in_blocks(likelihood.rows.batches(), ROWS):
        role = np.append(likelihood.role, np.int32(-1))[batch.target]
        for start in range(0, batch.rows, ROWS):
            stop = min(start + ROWS, batch.rows)
            matrix = np.empty((stop - start, len(design)))
            fill_matrix(*design.encoded(batch.codes, batch.values, start, stop), matrix)
            x, w = matrix[:, free], np.where(role[start:stop] >= 0, batch.weights[start:stop], 0.0)
            p = _shares(matrix @ coefficient)
            Q = np.einsum("nabj,nj->nab", np.einsum("ni,aibj->nabj", x, V, optimize=True), x, optimize=True)
            own = np.einsum("naa->na", Q)
            pull = own - (own * p).sum(1, keepdims=True) - 2 * np.einsum("ncb,nb->nc", Q, p)
            pull += 2 * np.einsum("na,nb,nab->n", p, p, Q)[:, None]
            total += (0.5 * w[:, None] * p * pull).T @ x
    return total.ravel()


def _shares(scores: Floats) -> Floats:
    """P of every class but the base, whose score is 0."""
    top = np.maximum(scores.max(axis=1, keepdims=True), 0.0)
    e = np.exp(scores - top)
    share: Floats = e / (e.sum(axis=1, keepdims=True) + np.exp(-top))
    return share
