"""Planes by the interior-point method: at the optimum, which their own duality gap and LIBSVM both show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.svm import SVC

import crake
from crake.learners.svm.interior_point import best_plane, best_threshold


def rows(n: int, p: int, steepness: float = 1.5, offset: float = 0.4) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(n + p)
    X = generator.normal(size=(n, p)) @ (np.eye(p) + 0.3 * generator.normal(size=(p, p)))
    chance = 1 / (1 + np.exp(-steepness * (X @ generator.normal(size=p) + offset)))
    return X, np.where(generator.random(n) < chance, 1.0, -1.0)


def objective(X: np.ndarray, sign: np.ndarray, cost: np.ndarray, w: np.ndarray, b: float) -> float:
    return float(0.5 * w @ w + cost @ np.maximum(0, 1 - sign * (X @ w + b)))


@pytest.mark.parametrize(
    ("n", "p", "C", "steepness", "offset"),
    [
        (60, 2, 1.0, 1.5, 0.0),
        (300, 5, 1e-4, 1.5, 0.4),
        (300, 5, 100.0, 1.5, 0.4),
        (400, 3, 1.0, 50.0, 0.0),
        (400, 20, 1.0, 1.5, -4.0),
        (500, 4, 1.0, 0.0, 0.0),
    ],
)
def test_no_plane_of_libsvm_is_better(n: int, p: int, C: float, steepness: float, offset: float) -> None:
    X, sign = rows(n, p, steepness, offset)
    cost = np.full(n, C)
    plane = best_plane(X, sign, cost)
    peer = SVC(kernel="linear", C=C, tol=1e-6).fit(X, sign)
    own = objective(X, sign, cost, plane.w, plane.b)
    assert plane.is_optimal
    assert own <= objective(X, sign, cost, peer.coef_[0], float(peer.intercept_[0])) * (1 + 1e-9)
    assert plane.w == pytest.approx(peer.coef_[0], abs=2e-3 * np.abs(peer.coef_).max())


def test_the_gap_is_the_distance_to_a_bound_from_below() -> None:
    X, sign = rows(200, 3)
    cost = np.ones(200)
    plane = best_plane(X, sign, cost)
    own = objective(X, sign, cost, plane.w, plane.b)
    worse = [
        objective(X, sign, cost, plane.w * scale, plane.b + shift) for scale in (0.9, 1.1) for shift in (-0.1, 0.1)
    ]
    assert 0 <= plane.gap <= 1e-9
    assert min(worse) > own


def test_a_weight_of_two_is_the_row_twice() -> None:
    X, sign = rows(150, 3)
    weights = np.where(np.arange(150) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(150), weights.astype(int))
    heavy, copied = best_plane(X, sign, weights), best_plane(X[twice], sign[twice], np.ones(len(twice)))
    assert heavy.w == pytest.approx(copied.w, abs=1e-6)
    assert heavy.b == pytest.approx(copied.b, abs=1e-6)


def test_the_threshold_is_the_middle_of_those_that_cost_least() -> None:
    assert best_threshold(np.array([-3.0, 3.0]), np.array([-1.0, 1.0]), np.ones(2)) == 0.0
    # Between b = −2 (row 2 at its margin) and b = 2 (row 0 at its margin) nothing is lost.
    assert best_threshold(np.array([-3.0, -3.0, 3.0]), np.array([-1.0, -1.0, 1.0]), np.ones(3)) == 0.0
    # Two rows against one: the side of two decides.
    assert best_threshold(np.array([0.0, 0.0, 0.0]), np.array([-1.0, -1.0, 1.0]), np.ones(3)) == -1.0


def test_the_plane_of_many_rows_is_that_of_libsvm_and_needs_no_more_support() -> None:
    X, sign = rows(1200, 4)
    y = np.where(sign > 0, "yes", "no")
    quick = crake.SVMClassifier(probability="votes").fit(X, y)
    exact = crake.SVMClassifier(probability="votes", solver="libsvm", tol=1e-7).fit(X, y)
    assert quick.n_iter_ < 100 < exact.n_iter_
    assert quick.coef_ == pytest.approx(exact.coef_, abs=1e-4)
    assert set(quick.support_) == set(exact.support_)
    assert np.mean(quick.predict(X) == exact.predict(X)) > 0.998


def test_three_classes_have_a_plane_for_each_pair() -> None:
    X, sign = rows(600, 3)
    y = (sign > 0) + (X[:, 1] > 0.5).astype(int)
    quick, exact = (
        crake.SVMClassifier(probability="votes", solver=solver, tol=1e-4).fit(X, y)
        for solver in ("interior-point", "libsvm")
    )
    assert quick.coef_ == pytest.approx(exact.coef_, abs=5e-3)


@pytest.mark.parametrize("make", [lambda X: X * 1e200, np.zeros_like, lambda X: np.repeat(X[:1], len(X), 0)])
def test_rows_that_leave_no_direction_still_give_a_machine(make: Any) -> None:
    X, sign = rows(1100, 3)
    model = crake.SVMClassifier(probability="votes").fit(make(X), sign)
    assert np.isfinite(model.coef_).all()
    assert set(model.predict(make(X))) <= {-1.0, 1.0}


def test_other_kernels_are_raised_on() -> None:
    X, sign = rows(60, 2)
    with pytest.raises(crake.CrakeError, match="solver='interior-point' finds planes only; kernel is 'rbf'"):
        crake.SVMClassifier("rbf", solver="interior-point").fit(X, sign)
