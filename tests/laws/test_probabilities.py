"""Law 6: every probability is finite and sums to 1, whatever the table (fault 18)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tests.contract.estimators import VARIANTS, title
from tests.laws.tables import Row, rows, table, wild

import crake

every = pytest.mark.parametrize("estimator", VARIANTS, ids=title)


PRODUCTS = (crake.NaiveBayesClassifier, crake.AODEClassifier, crake.TANClassifier, crake.TextBayesClassifier)


def assert_probabilities(found: np.ndarray) -> None:
    assert np.isfinite(found).all()
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=0, atol=1e-12)


# A precision of 1e160 that comes from a row of hardly any weight.
SPIKED = [*([(0, 0, 0.0, 0.0, 0, 1.0)] * 2), (0, 0, 0.0, 0.0, 0, 1e30), (0, 0, 0.0, 1e160, 0, 1e-300)]


# Weights of 1e30 beside 1 can take more steps than a fit is given, and it warns of that.
@pytest.mark.filterwarnings(
    "ignore:LogisticClassifier has not converged", "ignore:the weights of all .* rows add up to"
)
@every
@example(some=SPIKED, tested=SPIKED[:1])
@settings(max_examples=20)
@given(some=rows(wild, st.sampled_from([1.0, 0.125, 1e-300, 1e30])), tested=rows(wild))
def test_any_model_on_any_row(estimator: Any, some: list[Row], tested: list[Row]) -> None:
    model = clone(estimator).fit(table(some))
    for rows_asked in (some, tested):
        assert_probabilities(model.predict_proba(table(rows_asked)))


def averages(estimator: Any) -> bool:
    """Return True if it multiplies what the columns say for many sets of columns."""
    return isinstance(estimator, crake.AveragedNaiveBayesClassifier | crake.SelectiveNaiveBayesClassifier)


def takes_products(estimator: Any) -> bool:
    """Whether it multiplies what the columns say, itself or by the learner it is around."""
    inner = getattr(estimator, "estimator", None)
    return isinstance(estimator, PRODUCTS) or averages(estimator) or (inner is not None and takes_products(inner))


@every
def test_thousands_of_features(estimator: Any) -> None:
    """Products over 1,000 columns underflow, and over 5,000; the learners that take no product are asked with fewer."""
    rng = np.random.default_rng(1)
    is_gaussian = getattr(estimator, "numeric", None) == "gaussian"
    columns = 5000 if is_gaussian and not averages(estimator) else 1000 if takes_products(estimator) else 60
    X = rng.normal(size=(12, columns))
    X[:, ::5] *= 1e308 / 4
    X[:, 1::5] = 7.0
    X[:, 2::5] *= 1e-308
    y = np.array(["a", "b", "c"] * 4)
    model = clone(estimator).fit(X, y)
    found = model.predict_proba(np.vstack([X, np.full((1, columns), 1e308), np.zeros((1, columns))]))
    assert_probabilities(found)
    if isinstance(model, crake.NaiveBayesClassifier) and not model.precision:
        assert (model.classes_[found[:12].argmax(axis=1)] == y).mean() > 0.9


def test_impossible_under_every_class_gives_the_prior() -> None:
    X, y = [["u", "p"], ["v", "p"], ["w", "q"]], ["a", "a", "b"]
    model = crake.NaiveBayesClassifier(alpha=0).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba([["u", "q"]]), [model.class_prior_])
    assert "the answer is the prior" in str(model.explain(["u", "q"]))


@given(st.integers(1, 40), st.integers(2, 6))
def test_many_columns_of_one_mind_do_not_underflow(rows_a_class: int, classes: int) -> None:
    y = np.repeat(np.arange(classes), rows_a_class)
    X = np.repeat(y[:, None], 400, axis=1)
    found = crake.NaiveBayesClassifier(nominal="all").fit(X, y).predict_proba(X)
    assert_probabilities(found)
    np.testing.assert_array_equal(found.argmax(axis=1), y)
