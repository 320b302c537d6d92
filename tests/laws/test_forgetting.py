"""Forgetting rows = never having learned them; merging two models = learning both sets of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tests.laws.tables import Row, rows, table, wild

import crake
from crake.table.examples import load

COUNTING = [
    crake.MajorityClassifier(),
    crake.OneRuleClassifier(min_bucket=1),
    crake.NaiveBayesClassifier(numeric="kernel"),
    crake.NaiveBayesClassifier(numeric="kernel", precision="estimated"),
    crake.NaiveBayesClassifier(numeric="discretised"),
]
whole = st.integers(1, 3).map(float)
some_rows = rows(wild, whole, min_size=3)


def title(learner: Any) -> str:
    return repr(learner)


@pytest.mark.parametrize("learner", COUNTING, ids=title)
@settings(max_examples=10)
@given(some=some_rows, data=st.data())
def test_counts_are_forgotten_bit_for_bit(learner: Any, some: list[Row], data: st.DataObject) -> None:
    everything = table(some)
    stay = np.array(data.draw(st.lists(st.booleans(), min_size=len(some), max_size=len(some))))
    stay[0], stay[-1] = True, False
    model = clone(learner).fit(everything).forget(everything.take(np.flatnonzero(~stay)))
    expected = clone(learner).fit(everything.take(np.flatnonzero(stay)))
    np.testing.assert_array_equal(model.predict_proba(everything), expected.predict_proba(everything))


@pytest.mark.parametrize("learner", [*COUNTING, crake.NaiveBayesClassifier()], ids=title)
@settings(max_examples=10)
@given(one=some_rows, other=some_rows)
def test_merging_is_learning_both(learner: Any, one: list[Row], other: list[Row]) -> None:
    a, b = clone(learner).fit(table(one)), clone(learner).fit(table(other))
    before = a.predict_proba(table(one))
    together = clone(learner).fit(table(one + other)).predict_proba(table(one + other))
    np.testing.assert_allclose(a.merge(b).predict_proba(table(one + other)), together, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(a.predict_proba(table(one)), before)


def test_moments_are_forgotten_where_digits_remain() -> None:
    iris = load("iris")
    gone = np.arange(0, 150, 3)
    model = crake.NaiveBayesClassifier().fit(iris).forget(iris.take(gone))
    expected = crake.NaiveBayesClassifier().fit(iris.take(np.setdiff1d(np.arange(150), gone)))
    np.testing.assert_allclose(model.mean_, expected.mean_, rtol=1e-13)
    np.testing.assert_allclose(model.variance_, expected.variance_, rtol=1e-12)


@settings(max_examples=25)
@given(
    stay=st.lists(st.floats(-1e3, 1e3, width=32), min_size=3, max_size=12, unique=True),
    gone=st.lists(st.floats(-1e9, 1e9, width=32), min_size=1, max_size=5),
)
def test_a_variance_is_right_to_half_its_digits_or_refused(stay: list[float], gone: list[float]) -> None:
    X = np.array(stay + gone)[:, None]
    y = ["a"] * len(X)
    model = crake.NaiveBayesClassifier().fit(X, y)
    expected = crake.NaiveBayesClassifier().fit(X[: len(stay)], y[: len(stay)])
    try:
        model.forget(X[len(stay) :], y[len(stay) :])
    except crake.CrakeError:
        left = float(np.sum((X[: len(stay)] - X[: len(stay)].mean()) ** 2))
        assert left < 1.001e-8 * float(np.sum((X - X.mean()) ** 2))
        return
    np.testing.assert_allclose(model.variance_, expected.variance_, rtol=1e-6)
    np.testing.assert_allclose(model.mean_, expected.mean_, atol=1e-6 * float(np.sqrt(expected.variance_[0, 0])))


def test_an_outlier_takes_no_digits_with_it() -> None:
    X, y = [[0.1], [0.2], [0.4], [1e12]], ["a"] * 4
    model = crake.NaiveBayesClassifier().fit(X, y).forget(X[3:], y[3:])
    expected = crake.NaiveBayesClassifier().fit(X[:3], y[:3])
    np.testing.assert_array_equal(model.variance_, expected.variance_)
    np.testing.assert_array_equal(model.mean_, expected.mean_)


@pytest.mark.parametrize(
    ("X", "y", "why"),
    [
        ([["sunny", 1.0]], ["yes"], "1 rows with x0 = 'sunny' and class 'yes' are to be forgotten, but 0 were learned"),
        ([["rainy", 1.0]] * 3, ["yes"] * 3, "3 rows of class 'yes' are to be forgotten, but 2 were learned"),
        ([["fog", 1.0]], ["no"], "'fog'"),
        ([[None, 1.0]], ["no"], "x0 = missing"),
        ([["sunny", 1.0]], ["maybe"], "'maybe'"),
    ],
)
def test_rows_that_were_not_learned(X: list[Any], y: list[str], why: str) -> None:
    learned = [["sunny", 1.0], ["rainy", 2.0], ["rainy", 3.0], ["sunny", 4.0]]
    for numeric in ("gaussian", "kernel", "discretised"):
        model = crake.NaiveBayesClassifier(numeric=numeric).fit(learned, ["no", "yes", "yes", "no"])
        before = model.predict_proba(learned)
        with pytest.raises(crake.CrakeError, match=why):
            model.forget(X, y)
        np.testing.assert_array_equal(model.predict_proba(learned), before)


def test_a_value_that_was_not_learned() -> None:
    model = crake.NaiveBayesClassifier(numeric="kernel").fit([[1.0], [2.0], [3.0]], ["a", "a", "b"])
    with pytest.raises(crake.CrakeError, match="values of x0 that were not learned"):
        model.forget([[1.5]], ["a"])
    with pytest.raises(crake.CrakeError, match="nothing left"):
        model.forget([[1.0], [2.0], [3.0]], ["a", "a", "b"])


def test_fractional_weights_and_estimated_precision_are_refused() -> None:
    X, y = [[1.0], [2.0], [3.0]], ["a", "a", "b"]
    weighted = crake.NaiveBayesClassifier().fit(X, y, sample_weight=[0.5, 1, 1])
    with pytest.raises(crake.CrakeError, match="fractional weight"):
        weighted.forget(X[:1], y[:1], sample_weight=[0.5])
    estimated = crake.NaiveBayesClassifier(precision="estimated").fit(X, y)
    assert not hasattr(estimated, "forget")
    assert not hasattr(estimated, "merge")


def test_levels_of_forgotten_rows_are_gone_and_classes_stay() -> None:
    X, y = [["red"], ["blue"], ["red"], ["green"]], ["a", "a", "b", "c"]
    model = crake.NaiveBayesClassifier().fit(X, y).forget(X[3:], y[3:])
    assert model.schema_.features[0].levels == ("blue", "red")
    assert model.classes_.tolist() == ["a", "b", "c"]
    fresh = crake.NaiveBayesClassifier().fit(X[:3], y[:3])
    np.testing.assert_array_equal(model.predict_proba(X)[:, :2], fresh.predict_proba(X))
    assert not model.predict_proba(X)[:, 2].any()


def test_rows_of_unknown_class_are_counted_back() -> None:
    X, y = [[1.0], [2.0], [3.0]], np.array(["a", "b", None], object)
    model = crake.NaiveBayesClassifier(numeric="kernel").fit(X, y)
    assert model.left_out_ == 1
    model.forget(X[1:], y[1:])
    assert (model.left_out_, model.class_count_.tolist()) == (0, [1, 0])


def test_models_that_are_unlike_are_not_merged() -> None:
    weather, tax = load("weather"), load("tax")
    model = crake.NaiveBayesClassifier().fit(weather)
    with pytest.raises(crake.CrakeError, match=r"alpha=1\.0 and 0"):
        model.merge(crake.NaiveBayesClassifier(alpha=0).fit(weather))
    with pytest.raises(crake.CrakeError, match="two of a kind"):
        model.merge(crake.MajorityClassifier().fit(weather))
    with pytest.raises(crake.CrakeError, match="different columns"):
        model.merge(crake.NaiveBayesClassifier().fit(tax))


@pytest.mark.parametrize("learner", [crake.OneRuleClassifier(), crake.NaiveBayesClassifier(numeric="discretised")])
def test_a_model_from_a_file_does_not_know_the_values(learner: Any, tmp_path: Any) -> None:
    iris = load("iris")
    crake.save(learner.fit(iris), tmp_path / "model.crake")
    loaded = crake.load(tmp_path / "model.crake")
    np.testing.assert_array_equal(loaded.predict_proba(iris), learner.predict_proba(iris))
    for change in (lambda: loaded.forget(iris.take(np.arange(3))), lambda: loaded.merge(loaded)):
        with pytest.raises(crake.CrakeError, match="comes from a file"):
            change()
