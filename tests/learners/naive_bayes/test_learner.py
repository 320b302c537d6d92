"""Naive Bayes beside its plain twin, beside scikit-learn, and at the edges of its parameters."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB
from tests.laws.tables import Row, rows, table
from tests.plain import naive_bayes_twin

import crake
from crake.table.examples import load

NaiveBayes = crake.NaiveBayesClassifier


@given(
    rows(weights=st.integers(1, 3).map(float)),
    st.sampled_from([Fraction(0), Fraction(1), Fraction(1, 2), Fraction(100)]),
)
def test_counts_beside_fractions(some: list[Row], alpha: Fraction) -> None:
    nominal = table(some).select(["colour", "wind", "label"])
    found = NaiveBayes(alpha=float(alpha)).fit(nominal).predict_proba(nominal)
    cells = [[None if code < 0 else code for code in row[:2]] for row in some]
    labels, weights = [row[4] for row in some], [int(row[5]) for row in some]
    for i, row in enumerate(cells):
        twin = naive_bayes_twin.nominal_posterior(cells, labels, weights, row, (3, 2), 3, alpha)
        np.testing.assert_allclose(found[i], [float(p) for p in twin], rtol=1e-12, atol=0)


@given(
    st.lists(st.floats(-100, 100), min_size=3, max_size=8, unique=True),
    st.lists(st.floats(-100, 100), min_size=3, max_size=8, unique=True),
    st.floats(-100, 100),
)
def test_densities_beside_the_formula(one: list[float], other: list[float], x: float) -> None:
    model = NaiveBayes(min_variance=0).fit([[v] for v in [*one, *other]], ["a"] * len(one) + ["b"] * len(other))
    log_odds = np.log(len(one)) - np.log(len(other))
    log_odds += naive_bayes_twin.normal_log_density(x, one) - naive_bayes_twin.normal_log_density(x, other)
    if abs(log_odds) < 500:
        found = model.predict_proba([[x]])[0]
        assert np.log(found[0]) - np.log(found[1]) == pytest.approx(log_odds, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_beside_scikit_learn(name: str) -> None:
    X, y = load(name).to_xy()
    values = np.column_stack(X.columns)
    ours = NaiveBayes(ddof=0, min_variance=0).fit(values, y).predict_proba(values)
    theirs = GaussianNB(var_smoothing=0).fit(values, y).predict_proba(values)
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-300)


def test_a_class_of_equal_values_is_almost_a_point() -> None:
    X, y = [[1.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    for smallest in (0, 1e-300, 1e-9):
        answers = NaiveBayes(min_variance=smallest).fit(X, y).predict([[1.0], [2.0], [50.0]])
        assert answers.tolist() == ["a", "b", "b"]


def test_a_constant_column_says_nothing_whatever_its_size() -> None:
    y = ["a", "b", "b", "b"]
    for constant in (0.1, 1e-200, 1e200, 0.0, -5e-324):
        X = [[constant, 1.0], [constant, 2.0], [constant, 2.5], [constant, 3.0]]
        with_it = NaiveBayes().fit(X, y)
        without = NaiveBayes().fit([row[1:] for row in X], y)
        for x in (constant, 1e308, -1.0):
            np.testing.assert_array_equal(with_it.predict_proba([[x, 2.0]]), without.predict_proba([[2.0]]))


def test_the_zero_constant_and_the_m_estimate() -> None:
    X, y = [["u"], ["u"], ["v"], ["w"]], ["a", "a", "a", "b"]
    assert NaiveBayes(zero=0.25).fit(X, y).likelihood_[0].tolist() == [[2 / 3, 1 / 3, 0.25], [0.25, 0.25, 1.0]]
    likelihood = NaiveBayes(m=3).fit(X, y).likelihood_[0]
    np.testing.assert_allclose(likelihood, [[3 / 6, 2 / 6, 1 / 6], [1 / 4, 1 / 4, 2 / 4]])
    overall = NaiveBayes(m=4, p="overall").fit(X, y).likelihood_[0]
    np.testing.assert_allclose(overall, [[4 / 7, 2 / 7, 1 / 7], [2 / 5, 1 / 5, 2 / 5]])
    light = NaiveBayes(m=4, p="overall").fit(X, y, sample_weight=[0.01] * 4)
    assert light.likelihood_[0][0] == pytest.approx([(0.02 + 2) / 4.03, (0.01 + 1) / 4.03, 1 / 4.03])


def test_priors_given_by_class() -> None:
    X, y = [["u"], ["u"], ["v"]], ["a", "b", "b"]
    unseen = [["never"]]
    assert NaiveBayes(prior={"b": 0.25, "a": 0.75}).fit(X, y).predict_proba(unseen)[0] == pytest.approx([0.75, 0.25])
    assert NaiveBayes(prior=np.array([0.75, 0.25])).fit(X, y).predict_proba(unseen)[0] == pytest.approx([0.75, 0.25])
    thirds = crake.MajorityClassifier(prior=[0.333333333, 0.666666666]).fit(X, y).predict_proba(unseen)
    assert thirds.sum() == pytest.approx(1, abs=1e-15)


def test_frequency_and_likelihood_tables() -> None:
    outlook = NaiveBayes(alpha=0).fit(load("weather")).tables()[0]
    assert outlook.header == ("value", "No", "Yes", "P(·|No)", "P(·|Yes)")
    assert ("Sunny", "3", "2", "3/5", "2/9") in outlook.rows
    smoothed = NaiveBayes().fit(load("weather")).tables()[0]
    assert ("Overcast", "0", "4", "(0 + 1)/(5 + 3)", "(4 + 1)/(9 + 3)") in smoothed.rows
    income = NaiveBayes().fit(load("tax")).tables()[2]
    assert ("mean", "110", "90") in income.rows


def test_tables_with_a_prior_given_as_an_array() -> None:
    model = NaiveBayes(prior=np.array([0.25, 0.75])).fit(load("weather"))
    assert "0.75" in str(model)
    assert "0.25" in str(model.explain(["Sunny", None, None, None]))
    assert "given = 0.25" in str(crake.MajorityClassifier(prior=np.array([0.25, 0.75])).fit(load("weather")).explain())


@pytest.mark.parametrize("wrong", [{"prior": ["a", "b"]}, {"prior": {"x": "a", "y": 1}}, {"precision": ["a"]}])
def test_what_is_no_number_is_named(wrong: dict) -> None:
    with pytest.raises(crake.CrakeError, match=r"(prior|precision) is .*'a'.*; expected"):
        crake.NaiveBayesClassifier(**wrong).fit([[1.0], [2.0]], ["x", "y"])


@pytest.mark.parametrize("labels", [["a", 1], [True, 1], ["a", True], [2.5, "b"]])
def test_labels_of_several_types_are_named(labels: list) -> None:
    y = np.array([*labels, None], dtype=object)
    with pytest.raises(crake.CrakeError, match=r"labels of several types, .* among them; expected one type") as refused:
        crake.NaiveBayesClassifier().fit([[1.0], [2.0], [3.0]], y)
    assert all(repr(label) in str(refused.value) for label in labels)


def test_the_model_of_one_column_says_so():
    model = crake.NaiveBayesClassifier().fit([[1.0], [2.0], [3.0], [5.0]], ["a", "a", "b", "b"])
    assert str(model).startswith("Naive Bayes: 4 rows, 1 column\n")
