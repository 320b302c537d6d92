"""Calibrated probabilities: the sigmoid's optimum, isotonic steps, held-out rows, and that it mends naive Bayes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import crake
from crake.learners.base.sigmoid import fit_sigmoid
from crake.learners.meta.calibrate.isotonic import fit_isotonic
from crake.learners.meta.calibrate.odds import log_odds
from crake.table.examples import load

BREAST = load("breast-cancer")


def answers(seed: int, rows: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Log odds three times too large, what was true, and weights."""
    generator = np.random.default_rng(seed)
    true = generator.normal(size=rows) * 2
    is_class = generator.random(rows) < expit(true - 0.5)
    return 3 * true, is_class, generator.integers(1, 4, rows).astype(float)


@pytest.mark.parametrize("seed", range(4))
def test_the_sigmoid_is_the_minimum_of_platts_loss(seed: int) -> None:
    f, is_class, weights = answers(seed)
    found = fit_sigmoid(f, is_class, weights)
    positive, negative = weights[is_class].sum(), weights[~is_class].sum()
    target = np.where(is_class, (positive + 1) / (positive + 2), 1 / (negative + 2))

    def loss(at: Any) -> float:
        z = at[0] * f + at[1]
        return float(weights @ (np.logaddexp(0, z) - target * z))

    best = minimize(loss, [0.3, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000})
    assert (found.a, found.b) == pytest.approx(tuple(best.x), abs=1e-5)
    assert found.a == pytest.approx(1 / 3, abs=0.12)


def test_separated_classes_and_huge_odds_stay_finite() -> None:
    f = np.array([-36.0, -30, 30, 36])
    found = fit_sigmoid(f, f > 0, np.ones(4))
    assert 0 < found.a < 1
    assert found(f) == pytest.approx([0.25, 0.25, 0.75, 0.75], abs=0.05)
    one_class = fit_sigmoid(f, np.zeros(4, bool), np.ones(4))
    assert one_class(f) == pytest.approx(np.full(4, 1 / 6))


def test_the_order_is_never_turned_round() -> None:
    f, is_class, weights = answers(1)
    assert fit_sigmoid(f, ~is_class, weights).a == 0
    line = fit_isotonic(f, ~is_class, weights)
    assert np.all(np.diff(line(np.sort(f))) >= 0)


def test_isotonic_steps_are_bounded_means() -> None:
    f, is_class = np.array([1.0, 2, 3, 4]), np.array([False, True, False, True])
    line = fit_isotonic(f, is_class, np.ones(4))
    assert line(f) == pytest.approx([1 / 6, 0.5, 0.5, 5 / 6])
    assert line(np.array([-9.0, 2.5, 99])) == pytest.approx([1 / 6, 0.5, 5 / 6])


def test_log_odds_are_exact_at_both_ends() -> None:
    p = np.array([[1e-10, 1 - 1e-10], [1.0, 1e-10], [0.0, 1.0]])
    assert log_odds(p, 1) == pytest.approx([23.0259, -23.0259, 36.0], rel=1e-5)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_it_mends_naive_bayes(method: str) -> None:
    plain = crake.evaluate("naive-bayes", BREAST)
    mended = crake.evaluate(crake.Calibrated(method=method), BREAST)
    assert float(mended.log_loss) < 0.35 * float(plain.log_loss)
    assert float(mended.accuracy) == pytest.approx(float(plain.accuracy), abs=0.015)
    assert mended.name == f"naive Bayes, calibrated ({method})"


@pytest.mark.parametrize("inner", [crake.NaiveBayesClassifier(), crake.NaiveBayesClassifier(precision="estimated")])
def test_the_maps_come_from_rows_not_seen(inner: Any) -> None:
    """By hand: five refits, their answers, one sigmoid a class, normalised."""
    iris = load("iris")
    model = crake.Calibrated(inner).fit(iris)
    assignment = crake.CrossValidation(5).assign(iris.target, iris.schema.classes)
    found = np.empty((150, 3))
    for train, test in assignment.splits():
        found[test] = clone(inner).fit(iris.take(train)).probabilities(iris, test)
    maps = [fit_sigmoid(log_odds(found, k), iris.target == k, np.ones(150)) for k in range(3)]
    raw = clone(inner).fit(iris).predict_proba(iris)
    each = np.column_stack([maps[k](log_odds(raw, k)) for k in range(3)])
    np.testing.assert_allclose(model.predict_proba(iris), each / each.sum(axis=1, keepdims=True), rtol=1e-7)


def test_a_holdout_and_missing_classes() -> None:
    held = crake.Calibrated(plan=crake.Holdout()).fit(BREAST)
    assert np.isfinite(held.predict_proba(BREAST)).all()
    few = load("weather").take(np.arange(4))
    np.testing.assert_allclose(crake.Calibrated().fit(few).predict_proba(few).sum(axis=1), 1)


def test_explained() -> None:
    model = crake.Calibrated().fit(load("tax"))
    row = {"refund": ["No"], "marital_status": ["Single"], "taxable_income": [120.0]}
    worked = model.explain({name: value[0] for name, value in row.items()})
    assert "Calibrated: log odds f of the answer" in str(worked)
    assert worked["Yes"] == model.predict_proba(pd.DataFrame(row))[0, 1]
    assert worked["No"] + worked["Yes"] == pytest.approx(1)
    three = crake.Calibrated(method="isotonic").fit(load("iris")).explain([5.1, 3.5, 1.4, 0.2])
    assert "corner 1 of" in str(three)
    assert sum(three[label] for label in ("setosa", "versicolor", "virginica")) == pytest.approx(1)


def test_one_class_is_not_calibrated_and_says_so() -> None:
    model = crake.Calibrated().fit([[1.0], [2.0]], ["a", "a"])
    assert model.predict([[5.0]]).tolist() == ["a"]
    assert str(model).startswith("Not calibrated: all 2 rows with a known class are of class 'a'")
    assert "not calibrated" in str(model.explain([1.0]))


def test_learners_of_others_are_refused() -> None:
    with pytest.raises(crake.CrakeError, match="CalibratedClassifierCV"):
        crake.Calibrated(LogisticRegression()).fit(load("iris"))


def test_round_trip(tmp_path: Any) -> None:
    iris = load("iris")
    for method in ("sigmoid", "isotonic"):
        inner = crake.NaiveBayesClassifier(numeric="kernel")
        model = crake.Calibrated(inner, method=method, plan=crake.CrossValidation(3)).fit(iris)
        crake.save(model, tmp_path / "m.crake")
        loaded = crake.load(tmp_path / "m.crake")
        np.testing.assert_array_equal(loaded.predict_proba(iris), model.predict_proba(iris))
        assert (str(loaded), repr(loaded)) == (str(model), repr(model))
