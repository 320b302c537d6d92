"""Members of other libraries: their columns, weights, seeds, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import crake
from crake.errors import CrakeError
from crake.kernels import threads
from crake.learners.ensemble.bagging.samples import samples
from crake.learners.ensemble.foreign import ForeignClassifier
from crake.table.examples import load


def gappy() -> crake.Table:
    """Numbers, names and missing values of both."""
    return crake.read(
        pa.table(
            {
                "x": [1.0, 2.0, None, 6.0, 7.0, 9.0],
                "c": ["a", "b", "a", None, "c", "b"],
                "y": ["no", "no", "no", "yes", "yes", "yes"],
            }
        ),
        target="y",
    )


def test_names_are_columns_of_0_and_1_and_missing_numbers_are_means() -> None:
    member = ForeignClassifier(GaussianNB()).fit(gappy())
    expected = [[1, 1, 0, 0], [2, 0, 1, 0], [5, 1, 0, 0], [6, 0, 0, 0], [7, 0, 0, 1], [9, 0, 1, 0]]
    assert member.columns_.matrix(gappy()).tolist() == expected
    trees = ForeignClassifier(HistGradientBoostingClassifier(max_iter=1)).fit(gappy())
    assert np.isnan(trees.columns_.matrix(gappy())[2, 0])  # it takes missing values itself
    new = crake.read(pa.table({"x": [3.0], "c": ["never met"]}))
    assert member.columns_.matrix(member._coded(new)).tolist() == [[3, 0, 0, 0]]


def test_adaboost_of_scikit_learns_stumps_is_scikit_learns() -> None:
    table = load("breast-cancer")
    X, y = table.to_xy()
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    own = crake.AdaBoostClassifier(stump, n_estimators=5).fit(table)
    peer = AdaBoostClassifier(stump, n_estimators=5).fit(X, y)
    np.testing.assert_allclose(own.estimator_errors_, peer.estimator_errors_, atol=1e-9)
    np.testing.assert_allclose(own.predict_proba(table), peer.predict_proba(X), atol=1e-9)


def test_bags_of_scikit_learn_learn_from_copies_of_rows_with_a_seed_each() -> None:
    table = load("iris")
    X, y = table.matrix([column.name for column in table.schema.features], float), table.target
    model = crake.BaggingClassifier(DecisionTreeClassifier(max_features=1), n_estimators=3).fit(table)
    each = []
    for sample in samples(np.ones(150), 150, 3, "crake", 1):
        member = DecisionTreeClassifier(max_features=1, random_state=sample.seed)
        each.append(member.fit(X[sample.rows], y[sample.rows]).predict_proba(X))
    np.testing.assert_allclose(model.predict_proba(table), np.mean(each, axis=0), atol=1e-12)
    assert model.oob_score_.value > 0.85
    np.testing.assert_allclose(
        model.feature_importances_, np.mean([one.estimator_.feature_importances_ for one in model.estimators_], axis=0)
    )


@pytest.mark.parametrize(
    "learner",
    [
        MLPClassifier(hidden_layer_sizes=(2,), max_iter=5),
        make_pipeline(StandardScaler(), LogisticRegression()),
        LinearSVC(),
    ],
    ids=["network", "pipeline", "no probabilities"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_any_classifier_is_a_member_and_threads_do_not_matter(learner: Any) -> None:
    table, found = gappy(), []
    for number in (1, 3):
        with threads.limited(number):
            found.append(crake.BaggingClassifier(learner, n_estimators=4).fit(table).predict_proba(table))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_allclose(found[0].sum(axis=1), 1.0)
    assert not hasattr(learner, "classes_")  # members are clones


def test_adaboost_samples_by_weight_where_a_member_takes_no_weights_and_says_so() -> None:
    table = load("iris")
    model = crake.AdaBoostClassifier(KNeighborsClassifier(15), n_estimators=4).fit(table)
    note = "KNeighborsClassifier.fit takes no sample_weight: each member learned from a sample of the rows by weight"
    assert note in str(model)
    assert note in str(model.explain(table.take([0])))
    sampled = crake.AdaBoostClassifier(ForeignTree(), n_estimators=4, resample=True).fit(table)
    unable = crake.AdaBoostClassifier(ForeignTree(), n_estimators=4).fit(table)
    np.testing.assert_array_equal(unable.predict_proba(table), sampled.predict_proba(table))
    assert "takes no sample_weight" not in str(sampled)  # it was asked for
    assert np.mean(model.predict(table) == np.array(table.schema.classes)[table.target]) > 0.95


class ForeignTree(ClassifierMixin, BaseEstimator):
    """A learner of another library that takes no weights."""

    def fit(self, X: Any, y: Any) -> ForeignTree:
        """Fit a small tree."""
        self.tree_ = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Return the classes."""
        return self.tree_.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities."""
        return self.tree_.predict_proba(X)


def test_nearest_neighbours_of_crake_take_weights_in_adaboost() -> None:
    table = load("iris")
    model = crake.AdaBoostClassifier(crake.NeighborsClassifier(15), n_estimators=3).fit(table)
    assert "sample_weight" not in str(model)
    assert len(model.estimators_) == 3
    assert model.training_errors_[-1] <= model.training_errors_[0]


def test_regressors_of_other_libraries() -> None:
    X = load("iris").matrix(["sepal length (cm)", "petal length (cm)"], float)
    model = crake.BaggingRegressor(LinearRegression(), n_estimators=3).fit(X[:, 1:], X[:, 0])
    each = [LinearRegression().fit(X[s.rows, 1:], X[s.rows, 0]) for s in samples(np.ones(150), 150, 3, "crake", 1)]
    np.testing.assert_allclose(
        model.predict(X[:, 1:]), np.mean([one.predict(X[:, 1:]) for one in each], axis=0), atol=1e-12
    )
    boosted = crake.AdaBoostRegressor(DecisionTreeRegressor(max_depth=2), n_estimators=3).fit(X[:, 1:], X[:, 0])
    assert boosted.score(X[:, 1:], X[:, 0]) > 0.7
    with pytest.raises(CrakeError, match=r"member 2 of 3, KNeighborsRegressor\(\), .*take resample=True"):
        crake.AdaBoostRegressor(KNeighborsRegressor(), n_estimators=3, resample=False).fit(X[:, 1:], X[:, 0])


def test_a_sample_of_one_class_is_that_class() -> None:
    member = ForeignClassifier(GaussianNB()).fit(gappy().take(np.array([0, 1, 2])))
    assert member.predict_proba(gappy()).tolist() == [[1.0, 0.0]] * 6


def test_what_is_no_member_is_refused_with_a_hint() -> None:
    table = load("iris")
    with pytest.raises(CrakeError, match=r"got a LinearRegression: BaggingRegressor takes regressors"):
        crake.BaggingClassifier(LinearRegression()).fit(table)
    with pytest.raises(CrakeError, match=r"got a LinearRegressor: AdaBoostRegressor takes regressors"):
        crake.AdaBoostClassifier(crake.LinearRegressor()).fit(table)
    with pytest.raises(CrakeError, match=r"got a GaussianNB: AdaBoostClassifier takes classifiers"):
        crake.AdaBoostRegressor(GaussianNB()).fit(np.ones((4, 1)), np.arange(4.0))
    with pytest.raises(CrakeError, match=r"got a WithCutoff: give the learner within it"):
        crake.BaggingClassifier(crake.WithCutoff(GaussianNB())).fit(table)
    with pytest.raises(CrakeError, match=r"got a GaussianNB: BaggingClassifier takes classifiers"):
        crake.BaggingRegressor(GaussianNB()).fit(np.ones((4, 1)), np.arange(4.0))
    with pytest.raises(CrakeError, match=r"got a KMeans: it does not say that it is a classifier"):
        crake.BaggingClassifier(KMeans(3)).fit(table)
    with pytest.raises(CrakeError, match=r"got a KMeans: it does not say that it is a regressor"):
        crake.BaggingRegressor(KMeans(3)).fit(np.ones((4, 1)), np.arange(4.0))
    with pytest.raises(CrakeError, match=r"member 1 of 2, GaussianNB\(priors=\[2\]\), cannot be fitted: .*priors"):
        crake.BaggingClassifier(GaussianNB(priors=[2]), n_estimators=2).fit(table)


def test_a_member_that_answers_no_number_is_an_error() -> None:
    X, y = np.ones((20, 1)), ["a", "b"] * 10
    with pytest.warns(RuntimeWarning), pytest.raises(CrakeError, match=r"GaussianNB\(\) answers nan; expected finite"):
        crake.BaggingClassifier(GaussianNB(), n_estimators=2).fit(X, y)


class Answers(ClassifierMixin, BaseEstimator):
    """A learner of another library that takes codes 0, 1, … only, and answers the same for every row."""

    def __init__(self, each: Any) -> None:
        self.each = each

    def fit(self, X: Any, y: Any) -> Answers:
        """Check the codes."""
        self.classes_ = np.unique(y)
        assert self.classes_.tolist() == list(range(len(self.classes_)))
        return self

    def predict(self, X: Any) -> Any:
        """Return the answer."""
        return np.full(len(X), self.each)


class AnswersProbabilities(Answers):
    """One that answers the same probabilities for every row."""

    def predict_proba(self, X: Any) -> Any:
        """Return the answer."""
        return np.tile(self.each, (len(X), 1))


def test_a_sample_without_a_class_between_others_has_codes_without_a_gap() -> None:
    table = load("iris").take(np.array([0, 1, 148, 149]))
    assert ForeignClassifier(Answers(1)).fit(table).predict_proba(table).tolist() == [[0, 0, 1]] * 4
    fitted = ForeignClassifier(AnswersProbabilities([0.25, 0.75])).fit(table)
    assert fitted.predict_proba(table).tolist() == [[0.25, 0, 0.75]] * 4


def test_answers_that_are_no_classes_and_no_probabilities_are_errors() -> None:
    table = load("iris")
    for learner, message in (
        (Answers(-1), r"answers -1; expected a class"),
        (Answers(3), r"answers 3; expected a class"),
        (AnswersProbabilities([2.0, -1.0, 0.0]), r"answers \[2.0, -1.0, 0.0\]; expected probabilities"),
        (AnswersProbabilities([0.5, 0.25, 0.0]), r"expected probabilities, none below 0 and with the sum 1"),
        (AnswersProbabilities([0.5, 0.5]), r"of the shape \(150, 2\); expected \(150, 3\)"),
    ):
        with pytest.raises(CrakeError, match=message):
            ForeignClassifier(learner).fit(table).predict_proba(table)


def test_a_name_without_levels_takes_no_importance_of_the_next_column() -> None:
    columns = {"m": pa.array([None] * 6, pa.dictionary(pa.int8(), pa.string())), "x": [1.0, 2, 3, 7, 8, 9]}
    table = crake.read(pa.table({**columns, "y": list("aaabbb")}), target="y", nominal=["m"])
    assert len(table.schema["m"].levels) == 0
    assert ForeignClassifier(DecisionTreeClassifier()).fit(table).feature_importances_.tolist() == [0, 1]


def test_a_model_file_holds_no_member_of_another_library(tmp_path: Any) -> None:
    model = crake.BaggingClassifier(GaussianNB(), n_estimators=2).fit(load("iris"))
    with pytest.raises(CrakeError, match="GaussianNB cannot be saved: a model file holds learners of crake"):
        crake.save(model, tmp_path / "model.crake")
