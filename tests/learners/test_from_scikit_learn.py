"""Models of scikit-learn predict the same as crake's, also at thresholds, and are saved and exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import discriminant_analysis, ensemble, linear_model, naive_bayes, svm, tree

import crake

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=(120, 3)).round(1), RNG.integers(0, 4, 120)])
CLASSES = np.array(["a", "b", "c"])[(X[:, 0] + X[:, 1] > 0.3).astype(int) + (X[:, 2] > 1)]
NUMBERS = X @ [1, 2, 3, 4.0]
MODELS: list[Any] = [
    tree.DecisionTreeClassifier(random_state=0),
    tree.ExtraTreeClassifier(random_state=0),
    ensemble.RandomForestClassifier(4, random_state=0),
    ensemble.ExtraTreesClassifier(4, random_state=0),
    ensemble.GradientBoostingClassifier(n_estimators=3),
    ensemble.HistGradientBoostingClassifier(max_iter=3),
    naive_bayes.GaussianNB(),
    naive_bayes.BernoulliNB(binarize=0.1, alpha=0.5),
    ensemble.BaggingClassifier(n_estimators=3, random_state=0),
    ensemble.BaggingRegressor(n_estimators=3, random_state=0),
    linear_model.LogisticRegression(),
    discriminant_analysis.LinearDiscriminantAnalysis(),
    linear_model.LinearRegression(),
    linear_model.Ridge(fit_intercept=False),
    linear_model.Lasso(0.1),
    linear_model.ElasticNet(0.1),
    linear_model.HuberRegressor(),
    linear_model.SGDRegressor(),
    tree.DecisionTreeRegressor(random_state=0),
    tree.ExtraTreeRegressor(random_state=0),
    ensemble.RandomForestRegressor(4, random_state=0),
    ensemble.ExtraTreesRegressor(4, random_state=0),
    ensemble.GradientBoostingRegressor(n_estimators=3),
    ensemble.HistGradientBoostingRegressor(max_iter=3),
]


def rows_at(model: Any) -> Any:
    """Return rows at thresholds in double and in single precision, and a hair beyond them."""
    trees = [model] if hasattr(model, "tree_") else list(np.ravel(getattr(model, "estimators_", [])))
    if not trees:
        return np.vstack([X, 100 * X, np.zeros((1, 4))])
    cuts = np.concatenate([each.tree_.threshold[each.tree_.feature >= 0] for each in trees] or [np.zeros(1)])
    single = cuts.astype(np.float32)
    beyond = np.nextafter(single, np.float32(np.inf)).astype(float)
    middle = (single.astype(float) + beyond) / 2
    near = [cuts, np.nextafter(cuts, np.inf), single.astype(float), beyond, middle, np.nextafter(middle, np.inf)]
    return np.vstack([X, *(RNG.choice(each, (60, 4)) for each in near)])


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_predictions_are_equal(model: Any, tmp_path: Path) -> None:
    is_classifier = hasattr(model, "predict_proba")
    model.fit(X, CLASSES if is_classifier else NUMBERS)
    own, rows = crake.from_sklearn(model), rows_at(model)
    if is_classifier:
        np.testing.assert_allclose(own.predict_proba(rows), model.predict_proba(rows), rtol=0, atol=1e-12)
        assert own.predict(rows).tolist() == model.predict(rows).tolist()
    else:
        np.testing.assert_allclose(own.predict(rows), model.predict(rows), rtol=1e-12, atol=1e-12)
    crake.save(own, tmp_path / "m.crake")
    again = crake.load(tmp_path / "m.crake")
    assert again.predict(rows).tolist() == own.predict(rows).tolist()
    assert "def predict(row)" in again.to_python()
    assert str(own.explain(X[0]))


def test_missing_values_go_where_scikit_learn_sends_them() -> None:
    gaps = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
    for model in (tree.DecisionTreeClassifier(random_state=0), ensemble.HistGradientBoostingClassifier(max_iter=3)):
        model.fit(gaps, CLASSES)
        np.testing.assert_allclose(
            crake.from_sklearn(model).predict_proba(gaps), model.predict_proba(gaps), rtol=0, atol=1e-12
        )


def test_categories() -> None:
    codes = RNG.integers(0, 3, (120, 3))
    model = naive_bayes.CategoricalNB(alpha=0.5).fit(codes, CLASSES)
    own = crake.from_sklearn(model)
    np.testing.assert_allclose(own.predict_proba(codes), model.predict_proba(codes), rtol=0, atol=1e-12)


@pytest.mark.parametrize("classes", [CLASSES, CLASSES == "a"], ids=["three", "two"])
def test_the_largest_score_answers(classes: Any, tmp_path: Path) -> None:
    """Classifiers without probabilities: one class against the rest wins as it does against each other class."""
    for model in (svm.LinearSVC(), linear_model.RidgeClassifier(), linear_model.SGDClassifier(random_state=0)):
        model.fit(X, classes)
        own = crake.from_sklearn(model)
        assert own.predict(X).tolist() == model.predict(X).tolist()
        crake.save(own, tmp_path / "m.crake")
        assert crake.load(tmp_path / "m.crake").predict(X).tolist() == model.predict(X).tolist()
        if len(model.classes_) == 2:
            np.testing.assert_allclose(own.decisions(X), model.decision_function(X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("classes", [CLASSES, CLASSES == "a"], ids=["three", "two"])
def test_sums_over_columns_of_counts(classes: Any) -> None:
    counts = RNG.poisson(2.0, (120, 5)).astype(float)
    models = [
        naive_bayes.MultinomialNB(),
        naive_bayes.ComplementNB(norm=True),
        naive_bayes.BernoulliNB(),
        linear_model.LogisticRegression(fit_intercept=False),
    ]
    for model in models:
        model.fit(counts, classes)
        own = crake.from_sklearn(model)
        np.testing.assert_allclose(own.predict_proba(counts), model.predict_proba(counts), rtol=0, atol=1e-12)
    binary = (counts > 2).astype(float)
    model = naive_bayes.BernoulliNB(binarize=None).fit(binary, classes)
    shares = crake.from_sklearn(model).predict_proba(binary)
    np.testing.assert_allclose(shares, model.predict_proba(binary), rtol=0, atol=1e-12)


def test_a_model_that_was_fitted_elsewhere_says_so() -> None:
    linear = crake.from_sklearn(linear_model.LinearRegression().fit(X, NUMBERS))
    assert "it was fitted elsewhere, and the rows are not known" in str(linear)
    assert " rows, " not in str(linear)
    odds = crake.from_sklearn(linear_model.LogisticRegression().fit(X, CLASSES))
    assert "no standard errors: scikit-learn fitted this model" in str(odds)
    assert "log-likelihood" not in str(odds)
    with pytest.raises(crake.CrakeError, match="missing"):
        odds.predict(np.full((1, 4), np.nan))


def test_linear_models_without_a_counterpart_are_refused() -> None:
    apart = linear_model.LogisticRegression(solver="liblinear")
    two = linear_model.SGDClassifier(loss="modified_huber").fit(X, CLASSES == "a")
    three = linear_model.SGDClassifier(loss="log_loss").fit(X, CLASSES)
    for model, reason in ((two, "got loss='modified_huber'"), (three, "got loss='log_loss' with 3 classes")):
        with pytest.raises(crake.CrakeError, match=reason):
            crake.from_sklearn(model)
    # scikit-learn itself refuses to fit three classes apart; a model of an older version could be such a one.
    apart.fit(X, CLASSES == "a")
    apart.classes_ = np.array(["a", "b", "c"])
    with pytest.raises(crake.CrakeError, match="one class against the rest"):
        crake.from_sklearn(apart)
    with pytest.raises(crake.CrakeError, match="one target, got 2"):
        crake.from_sklearn(linear_model.LinearRegression().fit(X, X[:, :2]))
    with pytest.raises(crake.CrakeError, match="members that see all columns"):
        crake.from_sklearn(ensemble.BaggingClassifier(max_features=2).fit(X, CLASSES))
    with pytest.raises(crake.CrakeError, match=r"got AdaBoostClassifier: crake's keeps the errors of every round"):
        crake.from_sklearn(ensemble.AdaBoostClassifier().fit(X, CLASSES))
    multinomial = naive_bayes.MultinomialNB().fit(np.abs(X), CLASSES)
    multinomial.feature_log_prob_[0, 0] = -np.inf  # as alpha=0 gives a column that a class does not have
    with pytest.raises(crake.CrakeError, match="expected alpha above 0"):
        crake.from_sklearn(multinomial)


def test_others_are_refused_with_the_reason() -> None:
    with pytest.raises(crake.CrakeError, match=r"one of DecisionTreeClassifier, .* got PoissonRegressor"):
        crake.from_sklearn(linear_model.PoissonRegressor().fit(X, NUMBERS - NUMBERS.min()))
    with pytest.raises(crake.CrakeError, match="not fitted: call fit first"):
        crake.from_sklearn(tree.DecisionTreeClassifier())
    with pytest.raises(crake.CrakeError, match="one target, got 2"):
        crake.from_sklearn(tree.DecisionTreeRegressor().fit(X, X[:, :2]))
    exponential = ensemble.GradientBoostingClassifier(n_estimators=2, loss="exponential").fit(X, CLASSES == "a")
    with pytest.raises(crake.CrakeError, match="got 'exponential'"):
        crake.from_sklearn(exponential)
    # No tree asks about the last column, but scikit-learn has put it before the others.
    coded = np.column_stack([X, np.arange(len(X)) % 2])
    model = ensemble.HistGradientBoostingClassifier(max_iter=1, max_depth=1, categorical_features=[4])
    with pytest.raises(crake.CrakeError, match="got categorical_features"):
        crake.from_sklearn(model.fit(coded, CLASSES))


def test_a_class_alone_or_several_labels_have_no_scores() -> None:
    labels = np.column_stack([CLASSES == "a", X[:, 0] > 0]).astype(int)
    with pytest.raises(crake.CrakeError, match="one target, got several labels"):
        crake.from_sklearn(linear_model.RidgeClassifier().fit(X, labels))
    alone = np.zeros(len(X))
    for model in (linear_model.RidgeClassifier(), discriminant_analysis.LinearDiscriminantAnalysis()):
        with pytest.raises(crake.CrakeError, match="at least two classes, got 1"):
            crake.from_sklearn(model.fit(X, alone))


def test_a_multinomial_model_of_two_classes_has_twice_the_score() -> None:
    """Versions before 1.8 take a softmax of the score and of minus the score."""
    model = linear_model.LogisticRegression().fit(X, CLASSES == "a")
    score = model.decision_function(X)
    model.multi_class = "multinomial"
    np.testing.assert_allclose(
        crake.from_sklearn(model).predict_proba(X)[:, 1], 1 / (1 + np.exp(-2 * score)), atol=1e-12
    )
