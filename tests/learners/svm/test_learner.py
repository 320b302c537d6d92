"""Support vector machines against scikit-learn, the lectures, a quadratic program and hand calculations; bad input."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.svm import SVC
from tests.arithmetic import value_of

import crake
from crake.learners.registry import compared, too_slow
from crake.learners.svm import features
from crake.learners.svm.kernels import Kernel
from crake.learners.svm.platt import pairwise_coupling
from crake.modelfile import describe

RNG = np.random.default_rng(1)
X = RNG.normal(size=(120, 3))
Y = (X[:, 0] + X[:, 1] ** 2 > 0.7).astype(int) + (X[:, 2] > 0.8)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_decisions_of_scikit_learn(kernel: str, classes: int) -> None:
    y = np.minimum(Y, classes - 1)
    mine = crake.SVMClassifier(kernel, C=2.0, scale=False, probability="votes", coef0=0.5).fit(X, y)
    # Planes are found exactly; LIBSVM, which ends within its tolerance, comes near them when that is small.
    tol, near = (1e-9, 1e-5) if kernel == "linear" else (1e-3, 1e-9)
    its = SVC(kernel=kernel, C=2.0, coef0=0.5, decision_function_shape="ovo", tol=tol).fit(X, y)
    expected = its.decision_function(X)
    np.testing.assert_allclose(mine.decisions(X), expected if classes == 2 else -expected, atol=near)
    np.testing.assert_array_equal(mine.predict(X), its.predict(X))
    np.testing.assert_array_equal(mine.support_, its.support_)
    if kernel == "linear" and classes == 2:
        np.testing.assert_allclose(mine.coef_, its.coef_, atol=near)
        assert mine.margin_width_ == pytest.approx(2 / np.linalg.norm(its.coef_))


def test_a_row_just_at_the_margin_is_a_support_vector() -> None:
    """Rounding leaves it beyond the margin of the plane that is found by more than a millionth."""
    rng = np.random.default_rng(79)
    points, y = rng.normal(size=(10, 37)), np.where(rng.random(10) < 0.5, "a", "b")
    y[:2] = ["a", "b"]
    mine = crake.SVMClassifier(C=0.01, probability="votes").fit(points, y)
    its = crake.SVMClassifier(C=0.01, probability="votes", solver="libsvm", tol=1e-9).fit(points, y)
    assert sorted(mine.support_.tolist()) == sorted(its.support_.tolist())


def test_the_margin_of_the_lectures() -> None:
    """(0, 0) −, (2, 2) +: w = (½, ½), b = −1, width 2√2; both rows hold it."""
    model = crake.SVMClassifier(margin="hard", scale=False, probability="votes").fit([[0, 0], [2, 2]], [-1, 1])
    np.testing.assert_allclose(model.coef_, [[0.5, 0.5]], atol=1e-9)
    np.testing.assert_allclose(model.intercept_, [-1], atol=1e-9)
    assert model.margin_width_ == pytest.approx(2 * np.sqrt(2))
    assert sorted(model.support_.tolist()) == [0, 1]
    assert model.predict([[0.9, 0.9], [1.2, 1.0]]).tolist() == [-1, 1]


def test_the_widest_margin_is_that_of_the_quadratic_program() -> None:
    """min ½‖w‖² subject to y·(w·x + b) ≥ 1, solved by another program."""
    points = np.array([[0.0, 1.0], [1.0, 0.5], [0.5, 2.0], [3.0, 3.0], [4.0, 2.0], [3.5, 4.5]])
    sign = np.array([-1, -1, -1, 1, 1, 1])
    free = {"type": "ineq", "fun": lambda v: sign * (points @ v[:2] + v[2]) - 1}
    found = minimize(lambda v: 0.5 * v[:2] @ v[:2], np.array([1.0, 1.0, -3.0]), constraints=[free], tol=1e-12)
    model = crake.SVMClassifier(margin="hard", scale=False, probability="votes").fit(points, sign)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), found.x, atol=1e-5)
    assert model.margin_width_ == pytest.approx(2 / np.linalg.norm(found.x[:2]), rel=1e-5)


def test_an_explicit_map_gives_the_answers_of_the_polynomial_kernel() -> None:
    """(x·z + 1)² is the inner product of (1, √2·x1, √2·x2, x1², x2², √2·x1·x2): the lectures' point about kernels."""
    points = X[:, :2]
    y = (points[:, 0] ** 2 + points[:, 1] ** 2 > 1.2).astype(int)
    r = np.sqrt(2.0)
    a, b = points.T
    mapped = np.column_stack([np.ones(len(a)), r * a, r * b, a**2, b**2, r * a * b])
    kernel = Kernel("poly", gamma=1.0, degree=2, coef0=1.0)
    np.testing.assert_allclose(kernel(points, points), mapped @ mapped.T, atol=1e-12)
    options: dict[str, Any] = {"scale": False, "probability": "votes", "tol": 1e-8}
    implicit = crake.SVMClassifier("poly", degree=2, gamma=1.0, coef0=1.0, **options).fit(points, y)
    # The constant coordinate is left out: it has no influence beside b.
    explicit = crake.SVMClassifier("linear", **options).fit(mapped[:, 1:], y)
    np.testing.assert_allclose(implicit.decisions(points), explicit.decisions(mapped[:, 1:]), atol=1e-4)
    assert implicit.margin_width_ == pytest.approx(explicit.margin_width_, rel=1e-4)
    given = crake.SVMClassifier(lambda x, z: (x @ z.T + 1) ** 2, **options).fit(points, y)
    np.testing.assert_allclose(given.decisions(points), implicit.decisions(points), atol=1e-6)


def test_one_predictor_in_closed_form() -> None:
    """The last row of one class at 3, the first of the other at 5: w = 2/(5 − 3), b = −(5 + 3)/(5 − 3)."""
    model = crake.SVMClassifier(margin="hard", scale=False, probability="votes").fit([[1], [3], [5], [9]], [0, 0, 1, 1])
    np.testing.assert_allclose([model.coef_[0, 0], model.intercept_[0]], [1.0, -4.0], atol=1e-6)
    assert model.margin_width_ == pytest.approx(2.0)


def test_no_hard_margin_where_there_is_none() -> None:
    crossing, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "a", "b"]
    with pytest.raises(crake.CrakeError, match=r"no plane separates a from b.*take margin='soft'"):
        crake.SVMClassifier(margin="hard").fit(crossing, y)
    curved = crake.SVMClassifier("rbf", gamma=1.0, margin="hard", probability="votes").fit(crossing, y)
    assert curved.predict(crossing).tolist() == y
    with pytest.raises(crake.CrakeError, match="no margin under this kernel separates a from b"):
        crake.SVMClassifier("rbf", margin="hard").fit([[1.0], [1.0], [2.0]], ["a", "b", "b"])


def test_a_kernel_that_is_no_inner_product_is_said_to_be_none() -> None:
    with pytest.warns(crake.CrakeWarning, match="not positive semidefinite"):
        crake.SVMClassifier(lambda x, z: -(x @ z.T), probability="votes").fit(X, Y > 0)
    with pytest.warns(crake.CrakeWarning, match="kernel sigmoid is not positive semidefinite"):
        model = crake.SVMClassifier("sigmoid", coef0=-2.0, probability="votes").fit(X, Y > 0)
    assert "·x·z − 2)" in str(model)
    assert np.isfinite(model.predict_proba(X)).all()
    with pytest.raises(crake.CrakeError, match="not symmetric"):
        crake.SVMClassifier(lambda x, z: x[:, :1] - z[:, :1].T).fit(X, Y > 0)
    with pytest.raises(crake.CrakeError, match="returned the shape"):
        crake.SVMClassifier(lambda x, z: x @ x.T[:, :1]).fit(X, Y > 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        crake.SVMClassifier("poly", degree=2, probability="votes").fit(X, Y > 0)


def test_probabilities_follow_the_decision_and_are_not_from_the_rows_fitted() -> None:
    y = (X[:, 0] + RNG.normal(size=120) > 0).astype(int)
    model = crake.SVMClassifier().fit(X, y)
    f, p = model.decisions(X), model.predict_proba(X)[:, 1]
    assert (np.diff(p[np.argsort(f)]) >= 0).all()
    noise, coins = RNG.normal(size=(80, 60)), np.arange(80) % 2
    sure = crake.SVMClassifier(C=100.0).fit(noise, coins)
    # It has every training row right, and its sigmoid knows that this means little.
    assert ((sure.decisions(noise) > 0) == coins).all()
    assert sure.predict_proba(noise).max() < 0.8


def test_coupling_recovers_probabilities_that_fit_together() -> None:
    p = np.array([[0.5, 0.3, 0.15, 0.05]])
    r = p[:, :, None] / (p[:, :, None] + p[:, None, :])
    r[:, range(4), range(4)] = 0
    np.testing.assert_allclose(pairwise_coupling(r), p, atol=1e-12)


def test_votes_of_three_classes() -> None:
    model = crake.SVMClassifier(probability="votes").fit(crake.read("iris"))
    found = model.predict_proba(crake.read("iris"))
    assert set(np.unique(found.round(9))) <= {0.0, round(1 / 3, 9), round(2 / 3, 9)}
    assert len(model.margin_width_) == 3


def test_weights_are_copies_where_no_row_lies_in_the_middle() -> None:
    w = RNG.integers(0, 4, 120).astype(float)
    options: dict[str, Any] = {"probability": "votes", "tol": 1e-9}
    rows = np.repeat(np.arange(120), w.astype(int))
    for kernel in ("linear", "rbf"):
        one = crake.SVMClassifier(kernel, **options).fit(X, Y > 0, sample_weight=w)
        other = crake.SVMClassifier(kernel, **options).fit(X[rows], Y[rows] > 0)
        np.testing.assert_allclose(one.decisions(X), other.decisions(X), atol=1e-5)


def test_liblinear_finds_nearly_the_plane_of_libsvm() -> None:
    y = (X[:, 0] - X[:, 1] > 0.1).astype(int)
    one = crake.SVMClassifier(probability="votes").fit(X, y)
    other = crake.SVMClassifier(solver="liblinear", probability="votes").fit(X, y)
    assert np.mean(one.predict(X) == other.predict(X)) > 0.95
    with pytest.raises(crake.CrakeError, match="solver='liblinear' finds planes only"):
        crake.SVMClassifier("rbf", solver="liblinear").fit(X, y)


def test_scales_constants_gaps_and_new_values() -> None:
    wide = X * np.array([1e300, 1e-300, 1.0])
    plain = crake.SVMClassifier().fit(X, Y)
    np.testing.assert_allclose(
        crake.SVMClassifier().fit(wide, Y).predict_proba(wide), plain.predict_proba(X), atol=1e-6
    )
    with pytest.raises(crake.CrakeError, match="scale=True"):
        crake.SVMClassifier(scale=False).fit(wide, Y)
    constant = crake.SVMClassifier().fit(np.column_stack([X, np.full(120, 7.0)]), Y)
    np.testing.assert_allclose(
        constant.predict_proba(np.column_stack([X, np.full(120, -1e9)])), plain.predict_proba(X), atol=1e-6
    )
    table = crake.read("tax")
    for missing in ("indicator", "mean", "drop"):
        for scale in (True, "range", False):
            model = crake.SVMClassifier(missing=missing, scale=scale).fit(table)
            strange = [["Maybe", None, np.nan], ["No", "Single", 1e300], [None, "Widowed", -1e300]]
            found = model.predict_proba(pd.DataFrame(strange, columns=model.feature_names_in_))
            assert np.isfinite(found).all()
            np.testing.assert_allclose(found.sum(axis=1), 1)


def test_names_of_single_rows_are_refused_before_they_fill_the_memory() -> None:
    frame = pd.DataFrame({"id": np.arange(20_000).astype(str), "x": np.arange(20_000.0)}).assign(
        id=lambda f: "r" + f.id
    )
    with pytest.raises(crake.CrakeError, match=r"\('id' has 20,000 levels\) would take 3\.2 GB"):
        crake.SVMClassifier().fit(frame, np.arange(20_000) % 2)


def test_rows_are_asked_about_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    model = crake.SVMClassifier("rbf").fit(X, Y)
    expected = model.predict_proba(X)
    monkeypatch.setattr(features, "CELLS", 50)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-12)


def test_one_class_is_certain_and_has_no_margin() -> None:
    model = crake.SVMClassifier().fit(X, ["a"] * 120)
    assert model.predict_proba(X[:3]).tolist() == [[1.0]] * 3
    assert "one class only" in str(model)
    assert "one class only" in str(model.explain(X[0]))
    with pytest.raises(crake.CrakeError, match="one class only"):
        _ = model.margin_width_


def test_a_plane_that_tells_nothing_apart_has_no_margin() -> None:
    model = crake.SVMClassifier(probability="votes").fit([[1.0], [2.0], [3.0]], ["p", "q", "p"])
    assert np.isnan(model.margin_width_)
    assert "none: w = 0" in str(model)
    assert "distance from its middle" not in str(model.explain([2.0]))


def test_rows_without_a_class_do_not_shift_the_numbers_of_support_vectors() -> None:
    y = np.array([None, *np.where(Y > 0, "b", "a")], object)
    model = crake.SVMClassifier(probability="votes").fit(np.vstack([X[:1], X]), y)
    plain = crake.SVMClassifier(probability="votes").fit(X, y[1:])
    np.testing.assert_array_equal(model.support_, plain.support_ + 1)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_terms_of_an_explanation_add_up(kernel: str) -> None:
    model = crake.SVMClassifier(kernel, scale="range").fit(X, Y > 0)
    worked = model.explain(X[5])
    values = {step.statement: value_of(step.value) for step in worked.sections[0].steps}
    f = values.pop("f")
    assert sum(values.values()) == pytest.approx(f, abs=2e-3)
    assert f == pytest.approx(float(model.decisions(X[[5]])[0]), abs=1e-3)
    assert worked["True"] == pytest.approx(float(model.predict_proba(X[[5]])[0, 1]))


def test_not_converged_is_said() -> None:
    with pytest.warns(crake.CrakeWarning, match="has not converged in 3 steps"):
        model = crake.SVMClassifier(max_iter=3, probability="votes").fit(X, Y > 0)
    assert "not converged" in str(model)


def test_files_of_planes_hold_no_rows_and_those_of_kernels_do(tmp_path: Path) -> None:
    iris = crake.read("iris")
    crake.save(crake.SVMClassifier().fit(iris), tmp_path / "plane.crake")
    assert describe(tmp_path / "plane.crake").rows_held == 0
    curved = crake.SVMClassifier("rbf").fit(iris)
    with pytest.warns(crake.CrakeWarning, match=f"holds {len(curved.support_)} of the rows"):
        crake.save(curved, tmp_path / "curved.crake")
    loaded = crake.load(tmp_path / "curved.crake")
    np.testing.assert_array_equal(loaded.predict_proba(iris), curved.predict_proba(iris))
    np.testing.assert_array_equal(loaded.support_, curved.support_)
    given = crake.SVMClassifier(lambda x, z: x @ z.T).fit(iris)
    with pytest.raises(crake.CrakeError, match=r"(?s)kernel is a function|cannot be saved"):
        crake.save(given, tmp_path / "given.crake")


def test_in_compare_unless_there_are_very_many_rows() -> None:
    assert {"knn", "svm"} <= set(compared(1000))
    assert "svm" not in compared(20_000)
    assert "knn" in compared(20_000)
    assert "SVM is left out, slow with 20,000 rows" in too_slow(20_000)[0]
    assert "SVM" in str(crake.compare(crake.read("iris"), learners=["majority", "svm"]))


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_rows_in_the_way_are_numbered_as_they_were_given(kernel: str) -> None:
    X = [[np.nan], [9.0], [1.0], [1.0], [3.0], [4.0]]
    y = np.array(["a", None, "a", "b", "b", "b"], dtype=object)
    asked = crake.SVMClassifier(kernel, margin="hard", missing="drop", probability="votes")
    with pytest.raises(crake.CrakeError, match=r"training rows (2|3|2, 3)\)"):
        asked.fit(X, y)
    learned = crake.SVMClassifier(kernel, missing="drop").fit(X, y)
    assert set(learned.support_.tolist()) <= {2, 3, 4, 5}
