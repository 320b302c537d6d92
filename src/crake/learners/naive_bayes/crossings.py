"""Values of a number at which two classes of naive Bayes are equally probable, and the ranges of its columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.learners.base.row_query import Range, RowQuery, range_of
from crake.learners.naive_bayes.workings import log_factors
from crake.table.schema import Column

if TYPE_CHECKING:
    from crake.learners.naive_bayes.learner import NaiveBayesClassifier


def gaussian_crossings(model: NaiveBayesClassifier, query: RowQuery, column: Column, answer: int) -> Floats:
    """Solve a_c + log f_c(x) = a_k + log f_k(x), a quadratic in x; a is the logarithm of all other factors.

    A floor makes a density a constant far from its mean. Then the crossings with the constant are added.
    """
    j = model.schema_.numeric.index(column)
    mean, deviation = model.mean_[:, j], model.gaussians_.deviation[:, j]
    if not np.all(deviation > 0) or not np.all(np.isfinite(deviation)):
        return np.zeros(0)
    if "factors" not in query.memory:
        query.memory["factors"] = log_factors(model, query.row)
    others = query.memory["factors"]
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


def column_range(model: NaiveBayesClassifier, j: int) -> Range | None:
    """Return the range of numeric column j: of its kernels, or two standard deviations about the class means."""
    if model.numeric_ == "kernel":
        kernels = model.kernels_
        points = [kernels.points[kernels.of(j, k)] for k in range(len(model.classes_))]
        return range_of(np.ldexp(np.concatenate(points), kernels.exponent[j]))
    mean, deviation = model.mean_[:, j], model.gaussians_.deviation[:, j]
    return range_of(np.concatenate([mean - 2 * deviation, mean + 2 * deviation]))


def _equal(m: float, s: float, other_m: float, other_s: float, gap: float) -> list[float]:
    """Return the x with gap + log φ((x − m)/s)/s = log φ((x − m′)/s′)/s′, as u = x − m.

    >>> _equal(0.0, 1.0, 4.0, 1.0, 0.0)
    [2.0]
    """
    d = other_m - m
    A = 0.5 / other_s**2 - 0.5 / s**2
    B = -d / other_s**2
    C = 0.5 * d * d / other_s**2 + gap - math.log(s) + math.log(other_s)
    return [m + u for u in _quadratic(A, B, C)]


def _level(m: float, s: float, height: float) -> list[float]:
    """Return the x at which log φ((x − m)/s)/s has this height."""
    inside = -2.0 * (height + math.log(s) + 0.5 * math.log(2.0 * math.pi))
    return [m - s * math.sqrt(inside), m + s * math.sqrt(inside)] if inside >= 0 else []


def _quadratic(A: float, B: float, C: float) -> list[float]:
    """Return the roots of A·u² + B·u + C, without the loss of digits of the schoolbook formula."""
    if A == 0 or abs(A * C) < 1e-18 * B * B:
        near = [-C / B] if B != 0 else []
        return near if A == 0 or B == 0 else [*near, -B / A]
    inside = B * B - 4 * A * C
    if inside < 0:
        return []
    q = -0.5 * (B + math.copysign(math.sqrt(inside), B))
    return [q / A, C / q] if q != 0 else [0.0]
