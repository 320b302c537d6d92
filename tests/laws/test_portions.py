"""Law 4: `partial_fit` in any portions = `fit` on all rows; cross-validation in one pass = plain refitting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tests.contract.estimators import VARIANTS, title
from tests.laws.tables import Row, rows, table, tame, wild

import crake
from crake.evaluation.protocol.memory import out_of_fold
from crake.evaluation.result.data import InMemory
from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.plans import CrossValidation, GivenFolds, Holdout, LeaveOneOut
from crake.table.examples import load
from crake.table.table import Table

NUMERIC = pytest.mark.parametrize(
    "learner",
    [
        crake.NaiveBayesClassifier(),
        crake.NaiveBayesClassifier(ddof=0, min_variance=0, alpha=0),
        crake.NaiveBayesClassifier(precision=0.5),
        crake.NaiveBayesClassifier(numeric="kernel"),
        crake.NaiveBayesClassifier(numeric="kernel", precision="estimated"),
        crake.NaiveBayesClassifier(numeric="discretised"),
    ],
    ids=title,
)
COUNTING = pytest.mark.parametrize(
    "learner",
    [
        crake.MajorityClassifier(),
        crake.OneRuleClassifier(),
        crake.OneRuleClassifier(min_bucket=1, probability="certain", unseen="first"),
    ],
    ids=title,
)
NOMINAL = [
    crake.NaiveBayesClassifier(),
    crake.NaiveBayesClassifier(alpha=0),
    crake.NaiveBayesClassifier(m=2, p="overall"),
    crake.NaiveBayesClassifier(zero=0.01, prior="laplace"),
]
whole = st.integers(1, 3).map(float)
two_classes = rows(wild, whole, min_size=4).filter(
    lambda r: len({x[4] for x in r}) > 1 and len(r) > len({x[4] for x in r})
)


def assert_same_model(one: Any, other: Any) -> None:
    """Counts bit for bit, means and variances within 1e-12."""
    np.testing.assert_array_equal(one.class_prior_, other.class_prior_)
    for mine, its in zip(one.likelihood_, other.likelihood_, strict=True):
        np.testing.assert_array_equal(mine, its)
    if one.numeric != "gaussian":
        assert_same_distinct_values(one, other)
        return
    a, b = one.gaussians_, other.gaussians_
    np.testing.assert_array_equal(a.exponent, b.exponent)
    np.testing.assert_allclose(a.variance, b.variance, rtol=1e-12, atol=1e-300)
    spread = np.sqrt(b.variance)
    difference = np.abs((a.mean - b.mean) + (a.rest - b.rest))
    assert np.all(difference <= 1e-12 * (np.abs(b.mean) + spread))
    # Where the spread is far smaller than the mean, the mean is right to a small part of the spread.
    assert np.all((difference <= 1e-7 * spread) | (spread == 0) | (spread < 1e-9 * np.abs(b.mean)))


def assert_same_distinct_values(one: Any, other: Any) -> None:
    """Kernels and intervals are functions of counts: bit for bit."""
    for mine, its in zip(one.statistics_.distinct_counts, other.statistics_.distinct_counts, strict=True):
        for part in ("value", "class_", "count", "missing"):
            np.testing.assert_array_equal(getattr(mine, part), getattr(its, part))
    if one.numeric == "kernel":
        for part in ("offsets", "points", "weights", "bandwidth", "log_norm", "precision", "exponent"):
            np.testing.assert_array_equal(getattr(one.kernels_, part), getattr(other.kernels_, part))
    else:
        for mine, its in zip(one.intervals_, other.intervals_, strict=True):
            np.testing.assert_array_equal(mine.cuts, its.cuts)
            np.testing.assert_array_equal(mine.counts, its.counts)


def refitted(learner: Any, table: Table, fold: np.ndarray) -> list[Any]:
    return [clone(learner).fit(table.take(np.flatnonzero(fold != k))) for k in range(fold.max() + 1)]


@NUMERIC
@settings(max_examples=25)
@given(some=two_classes)
def test_folds_of_one_pass_are_refitted_models(learner: Any, some: list[Row]) -> None:
    whole_table = table(some)
    assignment = CrossValidation(3).assign(whole_table.target, whole_table.schema.classes)
    statistics = clone(learner).gather(whole_table, assignment.fold, assignment.folds)
    for k, plain in enumerate(refitted(learner, whole_table, assignment.fold)):
        fresh = clone(learner)
        fresh.gather(whole_table)
        assert_same_model(fresh.estimate(statistics.without(k)), plain)


@COUNTING
@settings(max_examples=25)
@given(some=two_classes)
def test_counting_learners_agree_bit_for_bit(learner: Any, some: list[Row]) -> None:
    assert_out_of_fold_is_refitting(learner, table(some), exact=True)


@pytest.mark.parametrize("learner", NOMINAL, ids=title)
@settings(max_examples=20)
@given(some=two_classes)
def test_nominal_naive_bayes_agrees_bit_for_bit(learner: Any, some: list[Row]) -> None:
    nominal = table(some).select(["colour", "wind", "label"])
    assert_out_of_fold_is_refitting(learner, nominal, exact=True)


def assert_out_of_fold_is_refitting(learner: Any, whole_table: Table, *, exact: bool) -> None:
    for plan in (CrossValidation(3), Holdout(), LeaveOneOut()):
        assignment = plan.assign(whole_table.target, whole_table.schema.classes)
        found, _ = out_of_fold(learner, InMemory(whole_table), [assignment])
        for fold, (train, test) in enumerate(assignment.splits()):
            plain = clone(learner).fit(whole_table.take(train)).probabilities(whole_table, test)
            mine = found.probabilities[found.fold == fold]
            closed = isinstance(plan, LeaveOneOut) and clone(learner).has_closed_leave_one_out(whole_table)
            if exact and not closed:
                np.testing.assert_array_equal(mine, plain, err_msg=plan.describe())
            else:
                np.testing.assert_allclose(mine, plain, rtol=1e-9, atol=1e-12, err_msg=plan.describe())


@pytest.mark.parametrize("estimator", [v for v in VARIANTS if isinstance(v, StatisticsClassifier)], ids=title)
@pytest.mark.parametrize("name", ["iris", "tax", "weather"])
def test_every_plan_on_the_examples(estimator: Any, name: str) -> None:
    table = load(name)
    some = table.take(np.arange(0, len(table), 4)) if name == "iris" else table
    assert_out_of_fold_is_refitting(estimator, some, exact=False)


@settings(max_examples=25)
@given(rows(tame, min_size=4).filter(lambda r: len({x[4] for x in r}) > 1 and len(r) > len({x[4] for x in r})))
def test_leave_one_out_in_closed_form(some: list[Row]) -> None:
    whole_table = table(some, weighted=False)
    learner = crake.NaiveBayesClassifier()
    assert learner.has_closed_leave_one_out(whole_table)
    assert_out_of_fold_is_refitting(learner, whole_table, exact=False)


@pytest.mark.parametrize("strange", [1e308, 1e-308, 1e160, 1e15, 1e9])
def test_leave_one_out_with_an_outlier_or_an_offset(strange: float) -> None:
    rng = np.random.default_rng(3)
    some: list[Row] = [(i % 3, i % 2, x, y, i % 2, 1.0) for i, (x, y) in enumerate(rng.normal(size=(30, 2)))]
    some[7] = (0, 0, strange, 0.5, 1, 1.0)
    assert_out_of_fold_is_refitting(crake.NaiveBayesClassifier(), table(some, weighted=False), exact=False)
    shifted: list[Row] = [(*row[:2], 1e9 + row[3] * 2.0**-10, row[3], *row[4:]) for row in some]
    assert_out_of_fold_is_refitting(crake.NaiveBayesClassifier(), table(shifted, weighted=False), exact=False)


@pytest.mark.parametrize("estimator", [v for v in VARIANTS if hasattr(v, "partial_fit")], ids=title)
@settings(max_examples=20)
@given(some=rows(tame, whole, min_size=2), data=st.data())
def test_portions_of_a_table_are_the_whole(estimator: Any, some: list[Row], data: st.DataObject) -> None:
    whole_table, cuts = table(some), sorted(data.draw(st.sets(st.integers(1, len(some) - 1), max_size=3)))
    model = clone(estimator)
    for part in np.split(np.arange(len(some)), cuts):
        model.partial_fit(whole_table.take(part))
    expected = clone(estimator).fit(whole_table)
    np.testing.assert_array_equal(model.classes_, expected.classes_)
    if isinstance(model, crake.NaiveBayesClassifier):
        assert_same_model(model, expected)
    else:
        np.testing.assert_array_equal(model.predict_proba(whole_table), expected.predict_proba(whole_table))
        assert str(model) == str(expected)


@pytest.mark.parametrize("estimator", [v for v in VARIANTS if hasattr(v, "partial_fit")], ids=title)
def test_portions_of_arrays_meet_new_values_and_labels(estimator: Any) -> None:
    X = np.array([["u", 1.0], ["v", 2.5], ["w", None], ["u", 4.0], [None, 7.0], ["a", 3.0]], dtype=object)
    y = np.array(["no", "yes", "no", "maybe", "yes", None], dtype=object)
    expected = clone(estimator).fit(X, y)
    for cuts in ([1], [2, 4], [1, 2, 3, 4]):
        model = clone(estimator)
        for part in np.split(np.arange(6), cuts):
            model.partial_fit(X[part], y[part])
        np.testing.assert_array_equal(model.classes_, expected.classes_)
        assert model.left_out_ == expected.left_out_ == 1
        np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), rtol=1e-12)


def test_classes_named_at_the_first_portion() -> None:
    model = crake.NaiveBayesClassifier().partial_fit([["u"], ["v"]], ["no", "no"], classes=["yes", "no", "maybe"])
    assert model.classes_.tolist() == ["maybe", "no", "yes"]
    assert model.predict_proba([["u"]]).tolist() == [[0.0, 1.0, 0.0]]
    model.partial_fit([["u"]], ["yes"])
    expected = crake.NaiveBayesClassifier().fit([["u"], ["v"], ["u"]], ["no", "no", "yes"])
    np.testing.assert_array_equal(model.predict_proba([["u"]])[:, 1:], expected.predict_proba([["u"]]))
    numbers = crake.MajorityClassifier().partial_fit([[1.0]], [2], classes=[3, 2])
    assert numbers.classes_.tolist() == [2, 3]


def test_a_column_that_changes_its_kind_is_refused() -> None:
    model = crake.NaiveBayesClassifier().partial_fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(crake.CrakeError, match="x0"):
        model.partial_fit(np.array([["red"]], dtype=object), ["a"])


def test_given_folds_leave_the_untested_rows_in_training() -> None:
    iris = load("iris")
    fold = np.where(np.arange(150) % 5 == 0, -1, np.arange(150) % 2)
    assignment = GivenFolds(fold).assign(iris.target, iris.schema.classes)
    learner = crake.OneRuleClassifier()
    found, _ = out_of_fold(learner, InMemory(iris), [assignment])
    plain = clone(learner).fit(iris.take(np.flatnonzero(fold != 0))).probabilities(iris, np.flatnonzero(fold == 0))
    np.testing.assert_array_equal(found.probabilities[found.fold == 0], plain)
