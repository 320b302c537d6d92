"""Learning curves beside plain refitting."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import crake
from crake.evaluation.studies.learning_curve import _even_order, complexity_curve, learning_curve
from crake.metrics.measures import CLASSIFICATION, find_measure
from crake.table.examples import load


def test_all_rows_are_the_cross_validation_itself() -> None:
    iris = load("iris")
    curve = learning_curve("c4.5", iris, rows=[0.2, 1.0])
    assert curve.places == (27, 135)
    whole = crake.evaluate("c4.5", iris)
    assert curve.test_error[1] == pytest.approx(float(whole.error))
    trained = [
        np.mean(clone(crake.C45Classifier()).fit(iris.take(train)).predict(iris.take(train)) != labels(iris, train))
        for each in crake.CrossValidation().rounds(iris.target, iris.schema.classes)
        for train, _ in each.splits()
    ]
    assert curve.training_error[1] == pytest.approx(np.mean(trained))


def labels(table: crake.Table, rows: np.ndarray) -> np.ndarray:
    return np.array(table.labels(table.target[rows]), dtype=object)


def test_every_beginning_has_the_classes_shares() -> None:
    codes = np.array([0] * 70 + [1] * 20 + [2] * 10)
    order = _even_order(np.arange(100), codes, 3)
    assert sorted(order.tolist()) == list(range(100))
    for count in (10, 20, 50):
        shares = np.bincount(codes[order[:count]], minlength=3) / count
        np.testing.assert_allclose(shares, [0.7, 0.2, 0.1], atol=0.1)


def test_a_deeper_tree_errs_less_in_training() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    curve = complexity_curve(
        DecisionTreeClassifier(random_state=0), X, y, parameter="max_depth", values=[1, 3, None], plan=crake.Holdout()
    )
    assert (np.diff(curve.training_error) < 0).all()
    assert curve.training_error[-1] == 0
    assert curve.best in (1, 3)
    assert curve.bands == (None, None, None)
    assert "max_depth" in str(curve)
    assert curve.to_dict()["folds"] == 1


@pytest.mark.parametrize("measure", [each.name for each in CLASSIFICATION if not each.needs_costs])
def test_any_measure_makes_a_curve(measure: str) -> None:
    table = load("breast-cancer")
    plan = crake.CrossValidation(3)
    curve = learning_curve("naive-bayes", table, rows=[0.1, 1.0], plan=plan, measure=measure, positive="malignant")
    evaluation = crake.evaluate("naive-bayes", table, plan=plan, positive="malignant")
    assert curve.test[1] == pytest.approx(float(evaluation.across_folds(measure)))
    assert list(curve.to_dict())[3:5] == [f"training_{measure}", f"test_{measure}"]
    assert f"test {measure.replace('_', ' ')}" in str(curve)
    words = "greatest" if find_measure(measure).greater_is_better else "least"
    assert f"The {words} test" in curve.draw().svg()


def test_curves_of_regressors_take_their_measures() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 2))
    y = X[:, 0] + rng.normal(size=120) / 4
    curve = complexity_curve(
        crake.CARTRegressor(), X, y, parameter="max_depth", values=[1, 4], plan=crake.CrossValidation(4), measure="r2"
    )
    assert curve.measure == "r_squared"
    assert curve.best == 4
    assert (curve.training > curve.test).all()
    with pytest.raises(crake.CrakeError, match="'auc' measures predicted classes"):
        learning_curve(crake.CARTRegressor(), X, y, measure="auc")
    with pytest.raises(crake.CrakeError, match="speaks of classes"):
        learning_curve(crake.CARTRegressor(), X, y, positive="a")


def test_a_curve_of_undefined_values_is_an_error() -> None:
    with pytest.raises(crake.CrakeError, match="auc is undefined in every fold of a place"):
        learning_curve("naive-bayes", load("golf"), rows=[1.0], plan=crake.LeaveOneOut(), measure="auc")


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(crake.CrakeError, match="no parameter 'depth'"):
        complexity_curve("cart", load("iris"), parameter="depth", values=[1])
    with pytest.raises(crake.CrakeError, match="values is empty"):
        complexity_curve("cart", load("iris"), parameter="max_depth", values=[])
    with pytest.raises(crake.CrakeError, match="expected shares"):
        learning_curve("cart", load("iris"), rows=[0])


def test_values_may_repeat_and_need_no_hash() -> None:
    golf, plan = load("golf"), crake.CrossValidation(3)
    twice = crake.complexity_curve("naive-bayes", golf, parameter="alpha", values=[1, 1.0, 2], plan=plan)
    assert len(twice.places) == len(twice.test_error) == 3
    assert twice.test_error[0] == twice.test_error[1]
    assert twice.bands[0] == twice.bands[1]
    given = crake.complexity_curve("naive-bayes", golf, parameter="prior", values=[[0.5, 0.5], [0.1, 0.9]], plan=plan)
    assert given.places == ([0.5, 0.5], [0.1, 0.9])


def test_a_plan_may_name_a_column() -> None:
    curve = crake.learning_curve(
        "1r", load("iris"), rows=[0.5], plan=crake.GroupedCrossValidation("petal width (cm)", folds=3)
    )
    assert curve.folds == 3
    assert "groups by petal width (cm)" in curve.plan
