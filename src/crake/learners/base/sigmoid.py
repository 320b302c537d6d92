"""Platt's sigmoid: P = 1/(1 + exp(−(a·f + b))) of log odds f, by maximum likelihood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.render.workings import number
from crake.slow_modules import special

EPSILON = float(np.finfo(np.float64).eps)
STEPS = 100
"""Newton's method needs about ten; more than this many means that it walks in place."""


@dataclass(frozen=True)
class Sigmoid:
    """a = 1, b = 0 leaves probabilities as they are; a < 1 draws them away from 0 and 1."""

    a: float
    b: float

    def written(self, f: str) -> str:
        """Return the formula with its numbers.

        >>> Sigmoid(0.5, -0.25).written("f")
        '1/(1 + exp(−(0.5·f − 0.25)))'
        """
        sign = "−" if self.b < 0 else "+"
        return f"1/(1 + exp(−({number(self.a)}·{f} {sign} {number(abs(self.b))})))"

    def __call__(self, log_odds: Floats) -> Floats:
        calibrated: Floats = special.expit(self.a * log_odds + self.b)
        return calibrated


def fit_sigmoid(log_odds: Floats, is_class: NDArray[np.bool_], weights: Floats) -> Sigmoid:
    """Newton's method on the log loss, halving steps that do not lower it.

    a is at least 0: a learner that ranks worse than chance gets the class's share, not its answers turned round.
    The targets are (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2) in place of 1 and 0, so that a stays finite where the classes
    are separated.

    Platt (1999), Probabilistic outputs for support vector machines; Lin, Lin and Weng (2007), A note on it.
    """
    positive, negative = float(weights[is_class].sum()), float(weights[~is_class].sum())
    target = np.where(is_class, (positive + 1) / (positive + 2), 1 / (negative + 2))
    weights = weights / weights.sum()
    # Scaled to ±1: log odds of naive Bayes may be in the hundreds, and a then as small.
    scale = max(float(np.abs(log_odds).max(initial=0.0)), 1e-300)
    x = np.column_stack([log_odds / scale, np.ones(len(log_odds))])
    at = np.array([0.0, np.log((positive + 1) / (negative + 1))])
    loss = _loss(x @ at, target, weights)
    for _ in range(STEPS):
        p = special.expit(x @ at)
        gradient = x.T @ (weights * (p - target))
        curvature = (x * (weights * p * (1 - p))[:, None]).T @ x + 1e-12 * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        nearer, lower = _shorter(x, at, step, target, weights, loss)
        if not lower < loss * (1 - 1e-14):
            break
        at, loss = nearer, lower
    if at[0] > 0:
        return Sigmoid(float(at[0] / scale), float(at[1]))
    share = float(np.clip(weights @ target, EPSILON, 1 - EPSILON))
    return Sigmoid(0.0, float(np.log(share / (1 - share))))


def _shorter(x: Floats, at: Floats, step: Floats, target: Floats, weights: Floats, loss: float) -> tuple[Floats, float]:
    """Return the step, halved until it lowers the loss; no step where none does."""
    for halving in range(40):
        nearer = at - step / 2.0**halving
        lower = _loss(x @ nearer, target, weights)
        if lower < loss:
            return nearer, lower
    return at, loss


def _loss(z: Floats, target: Floats, weights: Floats) -> float:
    """Σ w·(log(1 + e^z) − t·z)."""
    return float(weights @ (np.logaddexp(0.0, z) - target * z))
