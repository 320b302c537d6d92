"""The plane of a linear kernel by an interior-point method, in time linear in the rows.

The dual of min ½‖w‖² + Σ C_i·max(0, 1 − y_i·(w·x_i + b)) is

    min ½·aᵀZZᵀa − Σ a_i  subject to  y·a = 0,  0 ≤ a_i ≤ C_i,       Z = rows x_i times y_i,  w = Zᵀa.

Its Newton systems are (D⁻¹ + ZZᵀ)·da = v with a diagonal D, and by the formula of Woodbury
(D⁻¹ + ZZᵀ)⁻¹ = D − DZ(I + ZᵀDZ)⁻¹ZᵀD one step costs rows × coordinates², whatever C is. Steps are Mehrotra's: a
predictor shows how much the complementary products a·s and (C − a)·t can shrink, a corrector centres them.

Ferris and Munson (2002), Interior-point methods for massive support vector machines; Mehrotra (1992), On the
implementation of a primal-dual interior point method.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from crake.arrays import Flags, Floats, Longs
from crake.kernels.blas_threads import single_thread
from crake.slow_modules import lapack

TIGHT = 1e-10
"""Relative duality gap at which the steps end."""
ENOUGH = 1e-6
"""Largest relative duality gap of a plane that counts as found."""
MOST_STEPS = 100
BLOCK = 4096
"""Rows whose products are added at a time, so that they stay in the cache."""


@dataclass(frozen=True, eq=False)
class Plane:
    """w·x + b; `gap` = (primal − dual objective)/(1 + primal) certifies it: no other plane is better by more."""

    w: Floats
    b: float
    steps: int
    gap: float
    is_support: Flags
    """True for rows with a > 0. Of the shares a/C of the bound and y·(w·x + b) − 1 beyond the margin one is 0."""

    @property
    def is_optimal(self) -> bool:
        """True if the certificate is small enough."""
        return self.gap <= ENOUGH


class _Point(NamedTuple):
    """A point inside the constraints. The rows of `values` are a, its distance C − a to the bound, and their two
    multipliers s and t; `b` is the threshold.
    """

    values: Floats
    b: float

    @property
    def a(self) -> Floats:
        """The coefficients of the rows."""
        a: Floats = self.values[0]
        return a

    def moved(self, step: _Point, length: float) -> _Point:
        """Return the point after this share of a step."""
        return _Point(self.values + length * step.values, self.b + length * step.b)

    def longest(self, step: _Point) -> float:
        """Return the share of a step, at most 1, that keeps all values positive."""
        shrinks = float((step.values / self.values).min())
        return 1.0 if shrinks >= -1.0 else -1.0 / shrinks


def best_plane(points: Floats, sign: Floats, cost: Floats, most_steps: int = MOST_STEPS) -> Plane:
    """Return the plane between rows of sign −1 and rows of sign 1; a row inside its margin costs `cost`."""
    # The bits of a sum depend on how many threads share it. Overflow ends in a point that is not optimal.
    with single_thread(), np.errstate(all="ignore"):
        return _best_plane(points, sign, cost, min(most_steps, MOST_STEPS))


def _best_plane(points: Floats, sign: Floats, cost: Floats, most_steps: int) -> Plane:
    at = _start(cost)
    best = Plane(np.zeros(points.shape[1]), 0.0, 0, np.inf, np.zeros(len(sign), bool))
    for steps in range(1, most_steps + 1):
        if (following := _next(points, sign, at)) is None:
            break
        at = following
        w = points.T @ (sign * at.a)
        gap = _gap(points, sign, cost, at, w)
        if gap < best.gap:
            best = Plane(w, at.b, steps, gap, at.a > cost * at.values[2])
        if gap <= TIGHT or (best.gap <= ENOUGH and steps - best.steps >= 5):
            break
    b = best_threshold(points @ best.w, sign, cost)
    return replace(best, b=b)


def _start(cost: Floats) -> _Point:
    """Begin in the middle of the box; the first steps find multipliers that fit the gradient."""
    one = np.ones(len(cost))
    return _Point(np.stack([cost / 2, cost / 2, one, one]), 0.0)


def _next(points: Floats, sign: Floats, at: _Point) -> _Point | None:
    """Take one predictor-corrector step; None where rounding leaves no direction."""
    a, room, s, t = at.values
    gradient = sign * (points @ (points.T @ (sign * a))) - 1.0
    off_dual = -(gradient + at.b * sign - s + t)
    off_sum = -float(sign @ a)
    d = 1.0 / (s / a + t / room)
    factor, refused = lapack.dpotrf(_cross_products(points, d), lower=True)
    if refused:
        return None

    def solve(v: Floats) -> Floats:
        x = d * v
        q, _ = lapack.dpotrs(factor, points.T @ (sign * x), lower=True)
        direction: Floats = x - d * sign * (points @ q)
        return direction

    by_sign = solve(sign)
    slope = float(sign @ by_sign)

    def step(toward: Floats) -> _Point:
        """Solve s·da + a·ds = toward[0] and t·d(room) + room·dt = toward[1] with the two residuals."""
        pull = toward / at.values[:2]
        x = solve(off_dual + pull[0] - pull[1])
        b = (float(sign @ x) - off_sum) / slope
        da = x - b * by_sign
        return _Point(np.stack([da, -da, pull[0] - s * da / a, pull[1] + t * da / room]), b)

    products = at.values[2:] * at.values[:2]
    mean = float(products.sum()) / (2 * len(sign))
    guess = step(-products)
    after = at.moved(guess, at.longest(guess)).values
    centring = (float(np.vdot(after[2:], after[:2])) / (2 * len(sign)) / mean) ** 3
    final = step(centring * mean - products - guess.values[2:] * guess.values[:2])
    return at.moved(final, min(1.0, 0.995 * at.longest(final))) if np.isfinite(final.a).all() else None


def _cross_products(points: Floats, d: Floats) -> Floats:
    """Return I + Σ d_i·x_i·x_iᵀ, added in blocks of rows."""
    total = np.eye(points.shape[1])
    root = np.sqrt(d)
    for start in range(0, len(points), BLOCK):
        part = points[start : start + BLOCK] * root[start : start + BLOCK, None]
        total += part.T @ part
    return total


def _gap(points: Floats, sign: Floats, cost: Floats, at: _Point, w: Floats) -> float:
    """Return the relative gap between the objective of this plane and that of a feasible point of the dual."""
    length = float(w @ w)
    inside = np.maximum(0.0, 1.0 - sign * (points @ w + at.b))
    primal = 0.5 * length + float(cost @ inside)
    positive, negative = float(at.a[sign > 0].sum()), float(at.a[sign < 0].sum())
    # The heavier side is scaled down, so that y·a = 0 and the bound is a true one.
    lighter = min(positive, negative)
    feasible = at.a * np.where(sign > 0, lighter / positive, lighter / negative)
    v = points.T @ (sign * feasible)
    dual = float(feasible.sum()) - 0.5 * float(v @ v)
    return (primal - dual) / (1.0 + abs(primal))


def best_threshold(decisions: Floats, sign: Floats, cost: Floats) -> float:
    """Return the b that costs least beside w·x = `decisions`; the middle where an interval of them does.

    The cost is piecewise linear in b: its slope begins at −Σ C of the rows of sign 1 and grows by C_i at y_i − w·x_i.

    >>> best_threshold(np.array([-2.0, 2.0]), np.array([-1.0, 1.0]), np.ones(2))
    0.0
    """
    corners = sign - decisions
    order: Longs = np.argsort(corners, kind="stable")
    total = np.cumsum(cost[order])
    needed = float(cost[sign > 0].sum())
    first = int(np.searchsorted(total, needed * (1 - 1e-12)))
    if abs(total[first] - needed) <= 1e-9 * total[-1] and first + 1 < len(order):
        return float(corners[order[first]] + corners[order[first + 1]]) / 2
    return float(corners[order[first]])
