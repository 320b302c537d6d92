"""Faults 15–18, 23, 24 and 26 of learning: what a user gets instead of NaN, a killed process or a wrong model."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone
from tests.contract.estimators import VARIANTS, title

import crake
from crake.kernels import threads
from crake.table.convert.frames import from_frame, from_xy
from crake.table.examples import load

every = pytest.mark.parametrize("estimator", VARIANTS, ids=title)


@every
def test_one_row_or_one_class_fits_and_says_that_class(estimator: Any) -> None:
    for X, y in ([[["u", 1.0]], ["a"]], [[["u", 1.0], ["v", 2.0]], ["a", "a"]]):
        model = clone(estimator).fit(X, y)
        assert model.predict_proba([["u", 1.0], ["w", 9.0]]).tolist() == [[1.0], [1.0]]


@every
@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["a"], "constant|only 1 row"),
        (["a"] * 12, "constant"),
        (["a", None, None], "constant"),
        ([None] * 3, "missing"),
    ],
    ids=["one row", "one class", "one known", "none known"],
)
def test_too_little_to_evaluate(estimator: Any, labels: list[str | None], said: str) -> None:
    table = from_frame(
        pa.table({"x": [float(i) for i in range(len(labels))], "y": pa.array(labels, pa.string())}), target="y"
    )
    with pytest.raises(crake.CrakeError, match=said):
        crake.evaluate(clone(estimator), table)


@every
def test_a_class_of_one_row_under_ten_folds_is_said(estimator: Any) -> None:
    y = ["a"] * 15 + ["b"] * 14 + ["rare"]
    result = crake.evaluate(clone(estimator), np.arange(60.0).reshape(30, 2), y)
    assert any("'rare' has 1 row" in note for note in result.notes)
    assert np.isfinite(result.out_of_fold.probabilities).all()
    assert np.isfinite(float(result.accuracy))


@every
def test_fewer_rows_than_folds_is_a_stated_smaller_plan(estimator: Any) -> None:
    result = crake.evaluate(clone(estimator), [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "a", "b"])
    assert any("4 folds" in note for note in result.notes)
    assert len(result.out_of_fold.rows) == 4


def peak_megabytes(code: str) -> float:
    """The largest memory a fresh process needed for the code, beyond what it needed before."""
    script = """
    import resource
    import numpy as np
    import crake
    from crake.evaluation.protocol.timing import warm
    warm()
    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    before = peak()
    {code}
    print(peak() - before)
    """
    script = textwrap.dedent(script).replace("{code}", textwrap.dedent(code).strip())
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    return float(done.stdout)


@pytest.mark.skipif(sys.platform == "win32", reason="memory is measured by getrusage")
def test_a_category_code_of_a_milliard() -> None:
    """Memory by distinct values, not by the largest code, which would be 8 GB a class."""
    used = peak_megabytes(
        """
X = np.array([[0], [10**9], [5], [10**9]] * 50, dtype=np.int64)
y = np.array(["a", "b"] * 100)
for learner in (crake.NaiveBayesClassifier(nominal="all"), crake.OneRuleClassifier(nominal="all")):
    model = learner.fit(X, y)
    assert model.schema_.features[0].levels == (0, 5, 10**9)
    assert np.isfinite(model.predict_proba(np.array([[10**9], [2 * 10**9], [-1]]))).all()
    crake.evaluate(learner, X, y)
"""
    )
    assert used < 100


@pytest.mark.skipif(sys.platform == "win32", reason="memory is measured by getrusage")
def test_a_million_distinct_values() -> None:
    """A few arrays of 8 MB for each fold and class: far from a table of all pairs."""
    used = peak_megabytes(
        """
X = np.random.default_rng(0).permutation(10**6).reshape(-1, 1) * 1000
y = np.arange(10**6) % 2
for learner in (crake.NaiveBayesClassifier(nominal="all"), crake.OneRuleClassifier(nominal="all")):
    found = learner.fit(X, y).predict_proba(X[:1000])
    assert np.isfinite(found).all()
"""
    )
    assert used < 1500


@every
def test_a_value_unseen_in_training(estimator: Any) -> None:
    model = clone(estimator).fit([["u", 1.0], ["v", 2.0], ["v", 3.0]], ["a", "b", "b"])
    found = model.predict_proba([["never", None], ["never", 1.5], [None, None]])
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)


def test_an_unseen_value_in_a_fold() -> None:
    """The schema knows the level, the training part has no row of it: the documented rules hold there too."""
    table = from_xy([["u"], ["u"], ["v"], ["v"], ["rare"], ["u"]], ["a", "b", "a", "b", "a", "b"])
    plan = crake.GivenFolds([1, 1, 2, 2, 0, 1])
    rule = crake.evaluate(crake.OneRuleClassifier(), table, plan=plan).out_of_fold
    np.testing.assert_allclose(rule.probabilities[4], [2 / 5, 3 / 5])
    bayes = crake.evaluate(crake.NaiveBayesClassifier(), table, plan=plan).out_of_fold
    prior, factor = np.array([2, 3]), np.array([1 / (2 + 3), 1 / (3 + 3)])
    np.testing.assert_allclose(bayes.probabilities[4], prior * factor / (prior * factor).sum())


def test_extreme_numbers_beside_ordinary_ones() -> None:
    """Values of 1e308, no variance, and a column that decides: the decision is still seen."""
    X = np.column_stack([np.resize([1e308, -1e308, 1e308], 60), np.full(60, 3.0), np.repeat([0.0, 9.0], 30)])
    X[:, 2] += np.tile([0.1, -0.1, 0.2], 20)
    y = np.repeat(["low", "high"], 30)
    result = crake.evaluate(crake.NaiveBayesClassifier(), X, y)
    assert float(result.accuracy) == 1
    np.testing.assert_allclose(result.out_of_fold.probabilities.sum(axis=1), 1, atol=1e-12)


def test_folds_without_positives_are_left_out_and_counted() -> None:
    X, y = np.arange(12.0).reshape(-1, 1), ["n"] * 9 + ["p"] * 3
    plan = crake.GivenFolds([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 2])
    result = crake.evaluate(crake.NaiveBayesClassifier(), X, y, plan=plan, positive="p")
    assert result.auc_by_fold.method.startswith("mean of 2 of 4 folds")
    assert result.auc_by_fold.value is not None
    assert result.auc.is_defined


def test_an_auc_without_any_pair_is_undefined() -> None:
    X, y = np.arange(6.0).reshape(-1, 1), ["n", "n", "n", "n", "p", "p"]
    plan = crake.GivenFolds([0, 1, 0, 1, -1, -1])
    result = crake.evaluate(crake.NaiveBayesClassifier(), X, y, plan=plan)
    assert result.auc.value is None
    assert result.auc.reason
    assert result.to_dict()["measures"]["auc"]["value"] is None
    assert result.auc_by_fold.value is None
    assert "undefined" in str(result)


@pytest.mark.parametrize("weights", [[1, -1, 1, 1], [1, np.nan, 1, 1], [1, 1, 1], [0, 0, 0, 0]], ids=str)
def test_weights_that_mean_nothing(weights: list[float]) -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "a", "b"]
    for learner in (crake.NaiveBayesClassifier(), crake.OneRuleClassifier(), crake.MajorityClassifier()):
        with pytest.raises(crake.CrakeError, match="weight"):
            learner.fit(X, y, sample_weight=weights)
        with pytest.raises(crake.CrakeError, match="weight"):
            learner.partial_fit(X, y, sample_weight=weights)


def test_a_tables_weights_in_an_evaluation() -> None:
    iris = load("iris")
    weights = np.ones(150)
    weights[50:] = 0
    weights[50:100:2] = 1
    result = crake.evaluate(crake.NaiveBayesClassifier(), iris.with_weights(weights))
    assert len(result.out_of_fold.rows) == 75
    weights[3] = -1
    with pytest.raises(crake.CrakeError, match="row 3 has the weight -1"):
        crake.evaluate(crake.NaiveBayesClassifier(), iris.with_weights(weights))


@pytest.mark.parametrize("name", ["weather", "iris"])
def test_the_same_model_for_any_order_and_threads(name: str) -> None:
    table = load(name)
    order = np.random.default_rng(7).permutation(len(table))
    for learner in (crake.OneRuleClassifier(), crake.MajorityClassifier(), crake.NaiveBayesClassifier()):
        texts = set()
        for number in (1, 2, 4):
            with threads.limited(number):
                texts |= {str(clone(learner).fit(t)) for t in (table, table.take(order), table.take(order[::-1]))}
        assert len(texts) == 1
    rule = crake.OneRuleClassifier()
    np.testing.assert_array_equal(
        rule.fit(table).predict_proba(table), clone(rule).fit(table.take(order)).predict_proba(table)
    )


def test_a_column_without_a_value_counts_as_numeric_and_a_later_portion_of_names_says_so():
    first, later = np.array([[None, 1.0], [None, 2.0]], object), np.array([["u", 1.0], ["v", 2.0]], object)
    model = crake.NaiveBayesClassifier().partial_fit(first, ["a", "b"])
    with pytest.raises(crake.CrakeError, match=r"column 'x0' was numeric.*now holds names, 'u'.*nominal=\['x0'\]"):
        model.partial_fit(later, ["a", "b"])
    assert model.class_count_.tolist() == [1, 1]
    named = crake.NaiveBayesClassifier(nominal=[0]).partial_fit(first, ["a", "b"]).partial_fit(later, ["a", "b"])
    assert named.schema_["x0"].levels == ("u", "v")
    whole = crake.NaiveBayesClassifier(nominal=[0]).fit(np.vstack([first, later]), ["a", "b", "a", "b"])
    assert str(named) == str(whole)
