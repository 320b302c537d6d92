"""Newton's method for many coefficients: its steps by conjugate gradients, which never make the information matrix.

A step of Fisher scoring solves I·step = gradient, at a cost cubic in the coefficients of all classes. Conjugate
gradients need products of I with directions only, one pass over the rows each. A preconditioner keeps their number
small: the information of each output by itself or, of very many terms, its diagonal. Nocedal and Wright (2006),
Numerical Optimization, chapter 7.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from crake.arrays import Floats
from crake.learners.logistic.fisher import Objective
from crake.learners.logistic.likelihood import Point

MOST_PRODUCTS = 250
"""Products of the information with a direction in one step; an inexact step still leads upwards."""
LARGEST_BLOCKS = 1e9
"""Outputs × terms³ up to which the information of each output is inverted: a tenth of a second."""
LOOSEST, TIGHTEST = 0.1, 1e-6
"""The share of the gradient that a step may leave: loose at first, tighter as the maximum comes near."""


@dataclass
class LargeObjective(Objective):
    """An objective whose steps are sought by conjugate gradients; `products` counts them."""

    products: int = field(default=0, init=False)
    first_norm: float = field(default=0.0, init=False)

    def at(self, coefficient: Floats) -> Point:
        """Return the likelihood and its gradient."""
        return self.likelihood.at(coefficient)

    def information(self, point: Point) -> Floats:  # noqa: ARG002 (it is what others have)
        """Return no matrix."""
        return np.zeros((0, 0))

    def step(self, point: Point, coefficient: Floats, information: Floats) -> Floats | None:  # noqa: ARG002
        """Solve I·step = gradient until what is left of the gradient is small."""
        right = self.spread(self.gradient(point, coefficient))
        inverse = _Preconditioner(self, coefficient)
        residual, step = right, np.zeros_like(right)
        direction = scaled = inverse(residual)
        norm = first = float(np.vdot(residual, scaled))
        self.first_norm = self.first_norm or np.sqrt(first)
        share = np.clip(np.sqrt(np.sqrt(first) / self.first_norm) if self.first_norm else 0.0, TIGHTEST, LOOSEST)
        for _ in range(MOST_PRODUCTS):
            if norm <= share**2 * first or norm <= 0:
                break
            product = self._product(coefficient, direction)
            curvature = float(np.vdot(direction, product))
            if not curvature > 0:  # a direction in which the likelihood is flat: rounding is all that is left
                step = step if step.any() else direction
                break
            step = step + norm / curvature * direction
            residual = residual - norm / curvature * product
            scaled = inverse(residual)
            before, norm = norm, float(np.vdot(residual, scaled))
            direction = scaled + norm / before * direction
        return step.T.ravel()[self.places]

    def _product(self, coefficient: Floats, direction: Floats) -> Floats:
        self.products += 1
        product = self.likelihood.curvature(coefficient, direction) + 2.0 * self.penalty[:, None] * direction
        product[~self.free] = 0.0
        return product


class _Preconditioner:
    """The inverse of the information of each output by itself, or of its diagonal."""

    def __init__(self, objective: Objective, coefficient: Floats) -> None:
        self.free = np.flatnonzero(objective.free)
        P, M = coefficient.shape
        penalty = 2.0 * objective.penalty
        self.inverse = None
        if M * P**3 <= LARGEST_BLOCKS:
            blocks = objective.likelihood.own_information(coefficient, blocks=True)
            blocks[:, np.arange(P), np.arange(P)] += penalty
            diagonal = np.einsum("kii->ik", blocks).copy()
            self.inverse = _inverted(blocks[:, self.free[:, None], self.free])
        else:
            diagonal = objective.likelihood.own_information(coefficient, blocks=False) + penalty[:, None]
        self.scale = 1.0 / np.where(diagonal > 0, diagonal, 1.0)

    def __call__(self, gradient: Floats) -> Floats:
        if self.inverse is None:
            return self.scale * gradient
        result = np.zeros_like(gradient)
        result[self.free] = np.einsum("kij,jk->ik", self.inverse, gradient[self.free], optimize=True)
        return result


def _inverted(blocks: Floats) -> Floats | None:
    """Return the inverse of each matrix, scaled to ones on its diagonal meanwhile; None if one is singular."""
    diagonal = np.einsum("kii->ki", blocks)
    if not (diagonal > 0).all():
        return None
    scale = 1.0 / np.sqrt(diagonal)
    unit = blocks * scale[:, :, None] * scale[:, None, :]
    try:
        np.linalg.cholesky(unit)
        inverse: Floats = np.linalg.inv(unit) * scale[:, :, None] * scale[:, None, :]
    except np.linalg.LinAlgError:
        return None
    return inverse
