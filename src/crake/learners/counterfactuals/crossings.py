"""Where the answer and another class are equally probable as one number moves, in closed form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.learners.counterfactuals.queries import Asked
from crake.learners.naive_bayes.workings import log_factors
from crake.table.schema import Column

Floats = NDArray[np.float64]


def linear_crossings(asked: Asked, column: Column, answer: int) -> Floats:
    """Logistic regression: x + (z_c − z_k) / (β_k − β_c), z the scores at x, for every other class k."""
    model: Any = asked.model
    if model.outputs_ == 0:
        return np.zeros(0)
    j = model.schema_.numeric.index(column)
    x = float(asked.cell(column.name))
    design = model.design_
    if math.isnan(x):
        x = float(np.ldexp(design.centre[j] + design.rest[j], design.exponent[j]))
    scores = np.append(0.0, design.scores(asked.edited([(column.name, x)]), model.coefficient_)[0])
    slopes = np.append(0.0, design.in_users_units(model.coefficient_)[j])
    role = model.role_
    own = int(role[answer])
    others = [int(k) for k in role if k >= 0 and k != own]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found: Floats = np.array([x + (scores[own] - scores[k]) / (slopes[k] - slopes[own]) for k in others])
    finite: Floats = found[np.isfinite(found)]
    return finite


def gaussian_crossings(asked: Asked, column: Column, answer: int) -> Floats:
    """Naive Bayes: a_c + log f_c(x) = a_k + log f_k(x), a the logarithm of all other factors; a quadratic in x.

    A floor makes a density a constant far from its mean: then the crossing with the constant, too.
    """
    model: Any = asked.model
    j = model.schema_.numeric.index(column)
    mean, deviation = model.mean_[:, j], model.gaussians_.deviation[:, j]
    if not np.all(deviation > 0) or not np.all(np.isfinite(deviation)):
        return np.zeros(0)
    if "factors" not in asked.memory:
        asked.memory["factors"] = log_factors(model, asked.row)
    others = asked.memory["factors"]
    with np.errstate(divide="ignore"):
        a = np.log(model.class_prior_) + sum((f for name, f in others.items() if name != column.name), np.zeros(1))
        floor = float(np.log(np.float64(model.floor)))
    roots: list[float] = []
    for k in range(len(model.classes_)):
        if k == answer or not np.isfinite(a[k]):
            continue
        gap = float(a[answer] - a[k])
        roots += _equal(mean[answer], deviation[answer], mean[k], deviation[k], gap)
        if math.isfinite(floor):
            roots += _level(mean[answer], deviation[answer], floor - gap)
            roots += _level(mean[k], deviation[k], floor + gap)
    return np.array([root for root in roots if math.isfinite(root)])


def _equal(m: float, s: float, other_m: float, other_s: float, gap: float) -> list[float]:
    """The x with gap + log φ((x − m)/s)/s = log φ((x − m′)/s′)/s′, as u = x − m.

    >>> _equal(0.0, 1.0, 4.0, 1.0, 0.0)
    [2.0]
    """
    d = other_m - m
    A = 0.5 / other_s**2 - 0.5 / s**2
    B = -d / other_s**2
    C = 0.5 * d * d / other_s**2 + gap - math.log(s) + math.log(other_s)
    return [m + u for u in _quadratic(A, B, C)]


def _level(m: float, s: float, height: float) -> list[float]:
    """The x at which log φ((x − m)/s)/s has this height."""
    inside = -2.0 * (height + math.log(s) + 0.5 * math.log(2.0 * math.pi))
    return [m - s * math.sqrt(inside), m + s * math.sqrt(inside)] if inside >= 0 else []


def _quadratic(A: float, B: float, C: float) -> list[float]:
    """The roots of A·u² + B·u + C, without the loss of digits of the schoolbook formula."""
    if A == 0 or abs(A * C) < 1e-18 * B * B:
        near = [-C / B] if B != 0 else []
        return near if A == 0 or B == 0 else [*near, -B / A]
    inside = B * B - 4 * A * C
    if inside < 0:
        return []
    q = -0.5 * (B + math.copysign(math.sqrt(inside), B))
    return [q / A, C / q] if q != 0 else [0.0]
