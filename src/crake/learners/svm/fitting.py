"""The machines of these points.

Planes are found by an interior-point method unless there are more coordinates than rows; for anything else LIBSVM, as
scikit-learn ships it, does the optimising.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from crake.arrays import Flags, Floats, Longs
from crake.errors import DataError
from crake.learners.base.interruptible import interruptible
from crake.learners.svm.interior_point import best_plane
from crake.learners.svm.kernels import Kernel
from crake.learners.svm.machines import Machines, pair_coefficients
from crake.slow_modules import sklearn_exceptions

DEAREST = 1e3
"""The most that a heavy row inside the margin costs (a row of weight 1 always costs C): the optimiser ends."""
FEW_COORDINATES = 50
"""Coordinates up to which planes are found by the interior-point method however few the rows are; beyond, half as many
as a pair of classes has rows. Its steps cost rows × coordinates²; LIBSVM costs the import of scikit-learn."""
MOST_GIVEN = 20_000
"""Rows whose inner products under a kernel that is a function are all held: 3 GB."""


@dataclass(frozen=True)
class Settings:
    """The settings of an optimiser."""

    kernel: Kernel
    C: float
    tol: float
    max_iter: int
    solver: str


@dataclass(frozen=True, eq=False)
class Fitted:
    """The machines, the rows that are support vectors (in the machines' order), the optimiser's steps (of the pair that
    took most), and whether it finished.
    """

    machines: Machines
    support: Longs
    steps: int
    converged: bool


class PairPlane(NamedTuple):
    """The plane of a pair of classes, the steps to it, whether they finished, and the rows that hold the plane."""

    w: Floats
    b: float
    steps: int
    converged: bool
    is_support: Flags


def fitted(points: Floats, y: Longs, weights: Floats | None, settings: Settings) -> Fitted:
    """Return the machines of all pairs of the classes 0, 1 … of y, each of which has rows."""
    if weights is not None:
        weights = np.minimum(weights, max(1.0, DEAREST / settings.C))
    if settings.solver == "liblinear":
        return _by_liblinear(points, y, weights, settings)
    if _has_few_coordinates(points, y, settings) and (result := _by_interior_point(points, y, weights, settings)):
        return result
    return _by_libsvm(points, y, weights, settings)


def _has_few_coordinates(points: Floats, y: Longs, settings: Settings) -> bool:
    """Return True if planes are found sooner, and better, by the interior-point method than by LIBSVM."""
    if settings.solver != "auto" or not settings.kernel.is_linear:
        return settings.solver == "interior-point"
    rows_of_pair = 2 * len(y) / (int(y.max()) + 1)
    return bool(points.shape[1] <= max(FEW_COORDINATES, rows_of_pair / 2))


def _by_libsvm(points: Floats, y: Longs, weights: Floats | None, settings: Settings) -> Fitted:
    """Return LIBSVM's machines, of any kernel."""
    from sklearn.svm import SVC  # noqa: PLC0415  # half a second, for those who need it

    kernel = settings.kernel
    name = "precomputed" if callable(kernel.name) else kernel.name
    machine = SVC(
        kernel=name, C=settings.C, gamma=kernel.gamma, degree=kernel.degree, coef0=kernel.coef0,
        tol=settings.tol, max_iter=settings.max_iter, cache_size=500,
    )  # fmt: skip
    matrix = points
    if name == "precomputed":
        if len(points) > MOST_GIVEN:
            raise DataError(f"a kernel that is given takes at most {MOST_GIVEN} rows; found {len(points)}")
        matrix = kernel(points, points)
    converged = _run(machine, matrix, y, weights)
    return Fitted(
        _machines(machine, points, kernel), machine.support_.astype(np.int64), int(np.max(machine.n_iter_)), converged
    )


def _run(machine: Any, points: Floats, y: Longs, weights: Floats | None) -> bool:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        interruptible(lambda: machine.fit(points, y, sample_weight=weights))
    return not any(issubclass(each.category, sklearn_exceptions.ConvergenceWarning) for each in caught)


def _machines(machine: Any, points: Floats, kernel: Kernel) -> Machines:
    """From scikit-learn's public arrays. Of several classes its signs favour the earlier one; ours the later."""
    sign = 1.0 if len(machine.classes_) == 2 else -1.0
    counts = machine.n_support_.astype(np.int64)
    dual = sign * np.ascontiguousarray(machine.dual_coef_, np.float64)
    b = sign * np.ascontiguousarray(machine.intercept_, np.float64)
    vectors = np.ascontiguousarray(points[machine.support_])
    if not kernel.is_linear:
        return Machines(kernel, counts, vectors, dual, b)
    own = (pair_coefficients(counts, dual, i, j) for i, j in combinations(range(len(counts)), 2))
    w = np.array([a @ vectors[places] for places, a in own])
    return Machines(kernel, counts, np.zeros((0, points.shape[1])), np.zeros((len(counts) - 1, 0)), b, w)


def _by_interior_point(points: Floats, y: Longs, weights: Floats | None, settings: Settings) -> Fitted | None:
    """Return the planes of all pairs, each with a certificate; None where rounding leaves one without."""

    def plane_of(rows: Longs, sign: Floats) -> PairPlane:
        cost = np.full(len(rows), settings.C) if weights is None else settings.C * weights[rows]
        plane = best_plane(points[rows], sign, cost, settings.max_iter)
        return PairPlane(plane.w, plane.b, plane.steps, plane.is_optimal, plane.is_support)

    result = _planes(points, y, settings.kernel, plane_of)
    return result if result.converged else None


def _by_liblinear(points: Floats, y: Longs, weights: Floats | None, settings: Settings) -> Fitted:
    """LIBLINEAR on each pair: its threshold is penalised along with w."""
    from sklearn.svm import LinearSVC  # noqa: PLC0415

    def plane_of(rows: Longs, sign: Floats) -> PairPlane:
        machine = LinearSVC(
            loss="hinge", C=settings.C, tol=settings.tol, max_iter=min(settings.max_iter, 10_000), random_state=0
        )
        has_converged = _run(
            machine, points[rows], (sign > 0).astype(np.int64), None if weights is None else weights[rows]
        )
        w, b = machine.coef_[0], float(machine.intercept_[0])
        is_inside = sign * (points[rows] @ w + b) <= 1 + 1e-3
        return PairPlane(w, b, int(machine.n_iter_), has_converged, is_inside)

    return _planes(points, y, settings.kernel, plane_of)


def _planes(
    points: Floats,
    y: Longs,
    kernel: Kernel,
    plane_of: Callable[[Longs, Floats], PairPlane],
) -> Fitted:
    """Return the planes of all pairs of classes."""
    classes = int(y.max()) + 1
    w, b, steps, converged, inside = [], [], 0, True, np.zeros(len(y), bool)
    for i, j in combinations(range(classes), 2):
        rows = np.flatnonzero((y == i) | (y == j))
        sign = np.where(y[rows] == j, 1.0, -1.0)
        found = plane_of(rows, sign)
        w.append(found.w)
        b.append(found.b)
        steps, converged = max(steps, found.steps), converged and found.converged
        inside[rows] |= found.is_support
    support = np.flatnonzero(inside)
    support = support[np.argsort(y[support], kind="stable")].astype(np.int64)
    counts = np.bincount(y[support], minlength=classes).astype(np.int64)
    nothing = np.zeros((0, points.shape[1])), np.zeros((classes - 1, 0))
    machines = Machines(kernel, counts, *nothing, np.array(b), np.array(w))
    return Fitted(machines, support, steps, converged)
