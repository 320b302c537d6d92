"""Weights by class are weights of rows: `class_weight` gives the model of `sample_weight` by each row's class."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.class_weight import compute_sample_weight
from tests.contract.estimators import CLASSIFIERS, SMALL, each_reading, title

import crake
from crake.learners.base.class_weights import class_weighted
from crake.table.examples import load

LEARNERS = tuple(make(**SMALL.get(make, {})) for make in CLASSIFIERS if "class_weight" in make().get_params())
WEIGHTS: dict[Any, float] = {"setosa": 2.0, "virginica": 0.5}

X, Y = load("iris").to_xy()
ROWS = np.r_[0:50, 50:80, 100:112]
X, Y = X.take(ROWS), Y[ROWS]
NUMBERS = np.column_stack(X.columns)


def test_every_classifier_but_the_wrappers_has_it() -> None:
    wrappers = {"Balanced", "Calibrated", "Selected", "Tuned", "WithCutoff", "AdaBoostClassifier", "BaggingClassifier"}
    wrappers |= {"ArbiterTreeClassifier", "CombinerTreeClassifier"}
    assert {type(each).__name__ for each in LEARNERS} == {make.__name__ for make in CLASSIFIERS} - wrappers


@pytest.mark.parametrize("learner", LEARNERS, ids=title)
def test_weights_by_class_are_weights_of_rows(learner: Any) -> None:
    expected = clone(learner).fit(X, Y, sample_weight=compute_sample_weight(WEIGHTS, Y)).predict_proba(X)
    model = clone(learner).set_params(class_weight=WEIGHTS).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-9, atol=1e-12)


# Rows are weighted before a learner sees them: it is enough to try each way that learners read rows.
every_reading = pytest.mark.parametrize("learner", each_reading(LEARNERS), ids=title)


@every_reading
@pytest.mark.parametrize("weights", ["balanced", WEIGHTS], ids=str)
def test_weights_by_class_of_a_table_and_of_x_and_y(learner: Any, weights: Any) -> None:
    expected = clone(learner).fit(X, Y, sample_weight=compute_sample_weight(weights, Y)).predict_proba(X)
    weighted = clone(learner).set_params(class_weight=weights)
    for model in (clone(weighted).fit(X, Y), clone(weighted).fit(load("iris").take(ROWS))):
        np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-9, atol=1e-12)


@every_reading
def test_weights_by_class_and_of_rows_are_multiplied(learner: Any) -> None:
    rows = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float)
    expected = clone(learner).fit(X, Y, sample_weight=rows * compute_sample_weight(WEIGHTS, Y)).predict_proba(X)
    model = clone(learner).set_params(class_weight=WEIGHTS).fit(X, Y, sample_weight=rows)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-9, atol=1e-12)


def test_balanced_classes_weigh_the_same_whatever_the_rows_weigh() -> None:
    table = load("iris").take(ROWS).with_weights(np.random.default_rng(0).random(len(ROWS)))
    weights = class_weighted(table, "balanced").weights
    assert weights is not None
    totals = np.bincount(table.target, weights)
    np.testing.assert_allclose(totals, totals[0])
    assert weights.sum() == pytest.approx(table.weights.sum())


def test_the_models_of_scikit_learn() -> None:
    for weights in ("balanced", {"setosa": 1.0, "versicolor": 3.0, "virginica": 0.2}):
        tree = crake.CARTClassifier(max_depth=1, min_samples_leaf=1e-6, class_weight=weights).fit(NUMBERS, Y)
        peer: Any = DecisionTreeClassifier(max_depth=1, class_weight=weights, random_state=0).fit(NUMBERS, Y)
        np.testing.assert_allclose(tree.predict_proba(NUMBERS), peer.predict_proba(NUMBERS), atol=1e-12)
        machine = crake.SVMClassifier(
            "rbf", gamma=0.5, scale=False, tol=1e-8, probability="votes", class_weight=weights
        ).fit(NUMBERS, Y)
        peer = SVC(gamma=0.5, tol=1e-8, class_weight=weights).fit(NUMBERS, Y)
        np.testing.assert_allclose(np.abs(machine.dual_coef_), np.abs(peer.dual_coef_), atol=1e-4)
    two = np.where(Y == "setosa", "setosa", "other")
    logistic = crake.LogisticClassifier(class_weight="balanced").fit(NUMBERS[:, 1:2], two)
    peer = LogisticRegression(C=np.inf, tol=1e-10, solver="newton-cholesky", class_weight="balanced")
    peer.fit(NUMBERS[:, 1:2], two)
    np.testing.assert_allclose(logistic.predict_proba(NUMBERS[:, 1:2]), peer.predict_proba(NUMBERS[:, 1:2]), atol=1e-6)


def test_folds_are_weighted_by_their_own_training_rows() -> None:
    table, plan = load("iris").take(ROWS), crake.CrossValidation(3)
    for learner in (crake.NaiveBayesClassifier, crake.MajorityClassifier, crake.OneRuleClassifier):
        evaluation = crake.evaluate(learner(class_weight="balanced"), table, plan=plan)
        (assignment,) = plan.rounds(table.target, table.schema.classes)
        for fold in range(3):
            train, test = assignment.split(fold)
            model = learner(class_weight="balanced").fit(table.take(train))
            rows = evaluation.out_of_fold
            own = np.isin(rows.rows, test)
            np.testing.assert_allclose(rows.probabilities[own], model.probabilities(table, rows.rows[own]), rtol=1e-12)


def test_wrappers_leave_them_to_the_inner_learner(tmp_path: Path) -> None:
    table = load("iris").take(ROWS)
    inner = crake.NaiveBayesClassifier(class_weight="balanced")
    for wrapper in (
        crake.Tuned(inner, {"class_weight": [None, "balanced"]}, plan=crake.CrossValidation(2)),
        crake.Calibrated(inner, plan=crake.CrossValidation(2)),
        crake.WithCutoff(crake.C45Classifier(class_weight={"setosa": 3.0}), plan=crake.CrossValidation(2)),
    ):
        model = wrapper.fit(table)
        crake.save(model, tmp_path / "model.crake")
        again = crake.load(tmp_path / "model.crake")
        np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
        assert again.estimator.class_weight == wrapper.estimator.class_weight


def test_weights_that_cannot_be(tmp_path: Path) -> None:
    table = load("iris")
    for weights, message in (
        ({"setsoa": 2.0}, "Did you mean 'setosa'"),
        ({"setosa": 0.0}, "expected a positive number"),
        ({"setosa": "2"}, "expected a positive number"),
        ({"setosa": np.nan}, "expected a positive number"),
    ):
        with pytest.raises(crake.CrakeError, match=message):
            crake.C45Classifier(class_weight=weights).fit(table)
    with pytest.raises(crake.CrakeError, match="Did you mean"):
        crake.C45Classifier(class_weight={"setsoa": 2.0}).fit(X, Y)
    with pytest.raises(ValueError, match="class_weight"):
        crake.C45Classifier(class_weight="equal").fit(X, Y)
    # A fold may be without a class.
    crake.C45Classifier(class_weight={"setosa": 2.0, "versicolor": 1.0, "x": 3}).fit(X[:80], Y[:80])
    crake.write_csv(table, tmp_path / "iris.csv")
    scan = crake.read(tmp_path / "iris.csv", target=table.schema.target, in_memory=False)
    for learner in (crake.NaiveBayesClassifier(class_weight="balanced"), crake.LogisticClassifier(class_weight={})):
        with pytest.raises(crake.CrakeError, match="class_weight needs rows in memory"):
            learner.fit(scan)
        with pytest.raises(crake.CrakeError, match="rows in memory"):
            crake.evaluate(learner, scan)


def test_portions() -> None:
    weights = {"setosa": 2.0, "virginica": 0.5, "versicolor": 1.5}
    whole = crake.NaiveBayesClassifier(class_weight=weights).fit(X, Y)
    parts = crake.NaiveBayesClassifier(class_weight=weights)
    for start in (0, 40, 70):
        stop = {0: 40, 40: 70, 70: len(Y)}[start]
        parts.partial_fit(X[start:stop], Y[start:stop])
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), rtol=1e-9)
    balanced = crake.NaiveBayesClassifier(class_weight="balanced").fit(X, Y)
    for change in (balanced.partial_fit, balanced.forget):
        with pytest.raises(crake.CrakeError, match="depends on all rows at once"):
            change(X, Y)
    with pytest.raises(crake.CrakeError, match="depends on all rows at once"):
        balanced.merge(balanced)


def test_a_tree_is_pruned_again_with_its_weights() -> None:
    table = load("breast-cancer")
    unpruned = crake.C45Classifier(pruning=None, raising=False, class_weight="balanced").fit(table)
    whole = crake.C45Classifier(raising=False, collapse=False, class_weight="balanced").fit(table)
    again = unpruned.prune("pessimistic", table, raising=False)
    np.testing.assert_allclose(again.predict_proba(table), whole.predict_proba(table))
