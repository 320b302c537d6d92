"""Kernel densities and intervals beside slow formulas; the tables and hand calculations of every mode."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crake
from crake.table.examples import load

numbers = st.integers(-30, 30).map(lambda i: i / 4)
samples = st.lists(st.tuples(numbers, st.sampled_from("ab"), st.integers(1, 3)), min_size=2, max_size=25)


def plain_log_density(values: list[tuple[float, int]], column_range: float, x: float) -> float:
    """Every kernel added up in logarithms, h = range/√n."""
    n = sum(w for _, w in values)
    spread = max(v for v, _ in values) - min(v for v, _ in values)
    h = max(spread, 0.1 * column_range) / math.sqrt(n)
    logs = [math.log(w) - ((x - v) / h) ** 2 / 2 for v, w in values]
    return float(np.logaddexp.reduce(logs)) - math.log(n * h * math.sqrt(2 * math.pi))


@settings(max_examples=50, deadline=None)
@given(some=samples, x=numbers | st.floats(-1e6, 1e6))
def test_a_kernel_density_is_the_sum_of_its_kernels(some: list[tuple[float, str, int]], x: float) -> None:
    column = [v for v, _, _ in some]
    if min(column) == max(column):
        return
    model = (
        crake.NaiveBayesClassifier(numeric="kernel", prior=[0.5, 0.5])
        if {"a", "b"} == {c for _, c, _ in some}
        else None
    )
    if model is None:
        return
    model.fit([[v] for v in column], [c for _, c, _ in some], sample_weight=[w for _, _, w in some])
    a, b = (
        plain_log_density([(v, w) for v, c, w in some if c == label], max(column) - min(column), x) for label in "ab"
    )
    expected = 1 / (1 + math.exp(min(700.0, b - a)))
    assert model.predict_proba([[x]])[0, 0] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_far_from_all_kernels_the_nearer_class_still_wins() -> None:
    model = crake.NaiveBayesClassifier(numeric="kernel").fit(
        [[0.0], [1.0], [10.0], [11.0]], ["low", "low", "high", "high"]
    )
    assert model.predict([[1e6], [-1e6], [5.4], [5.6]]).tolist() == ["high", "low", "low", "high"]


def test_a_class_without_values_has_the_kernels_of_all() -> None:
    X, y = [[1.0], [2.0], [np.nan], [np.nan]], ["a", "a", "b", "b"]
    model = crake.NaiveBayesClassifier(numeric="kernel").fit(X, y)
    assert model.predict_proba([[1.5], [np.nan]]) == pytest.approx(np.array([[0.5, 0.5], [0.5, 0.5]]))


def test_a_constant_column_says_nothing() -> None:
    X, y = [[3.0, 1.0], [3.0, 2.0], [3.0, 8.0], [3.0, 9.0]], ["a", "a", "b", "b"]
    for numeric in ("kernel", "discretised"):
        model = crake.NaiveBayesClassifier(numeric=numeric).fit(X, y)
        alone = crake.NaiveBayesClassifier(numeric=numeric).fit([row[1:] for row in X], y)
        np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba([row[1:] for row in X]))
        assert "x0 is skipped" in str(model.explain([3.0, 1.0]))


def test_a_column_without_cuts_has_no_influence_whatever_the_smoothing() -> None:
    generator = np.random.default_rng(1)
    X, y = generator.normal(size=(40, 1)), np.arange(40) % 2
    model = crake.NaiveBayesClassifier(numeric="discretised", m=5, p=0.1).fit(X, y)
    assert len(model.intervals_[0].cuts) == 0
    assert model.predict_proba(X) == pytest.approx(np.full((40, 2), 0.5))


def test_discretised_tables_and_workings() -> None:
    model = crake.NaiveBayesClassifier(numeric="discretised", alpha=0).fit(load("iris"))
    grid = model.tables()[2]
    assert [row[0] for row in grid.rows] == ["≤ 2.45", "2.45 … 4.75", "> 4.75"]
    assert grid.rows[0][1:] == ("50", "0", "0", "50/50", "0/50", "0/50")
    worked = model.explain({"petal length (cm)": 4.75})
    assert str(worked.steps[1]) == "P(petal length (cm) in 2.45 … 4.75 | versicolor) = 44/50 = 0.88"
    assert worked["versicolor"] == pytest.approx(44 / 45)


def test_kernel_tables_and_workings() -> None:
    model = crake.NaiveBayesClassifier(numeric="kernel").fit([[1.0], [3.0], [3.0], [3.0], [8.0]], [*"aaaab"])
    assert [row[:2] for row in model.tables()[0].rows] == [
        ("rows known", "4"), ("kernels", "2"), ("smallest", "1"), ("largest", "3"), ("bandwidth", "1")
    ]  # fmt: skip
    density = (math.exp(-0.5) + 3 * math.exp(-0.5)) / (4 * math.sqrt(2 * math.pi))
    assert str(model.explain([2.0]).steps[0]) == (
        f"f(x0 = 2 | a) = Σ w·φ((x − x_i)/h) / (h·Σw) = [2 kernels of 4 rows, h = 1] = {density:.4g}"
    )


def test_a_model_refitted_in_another_mode() -> None:
    iris = load("iris")
    model = crake.NaiveBayesClassifier().fit(iris)
    model.set_params(numeric="kernel")
    np.testing.assert_array_equal(model.predict_proba(iris), crake.NaiveBayesClassifier().fit(iris).predict_proba(iris))
    with pytest.raises(crake.CrakeError, match="numeric was set to 'kernel' after fit"):
        model.state()
    fresh = crake.NaiveBayesClassifier(numeric="kernel").fit(iris)
    np.testing.assert_array_equal(model.fit(iris).predict_proba(iris), fresh.predict_proba(iris))


def test_leave_one_out_is_refitting() -> None:
    iris = load("iris").take(np.arange(0, 150, 5))
    for numeric in ("kernel", "discretised"):
        learner = crake.NaiveBayesClassifier(numeric=numeric)
        assert not learner.has_closed_leave_one_out(iris)
        found = crake.evaluate(learner, iris, plan=crake.LeaveOneOut()).out_of_fold.probabilities
        for row in (0, 17, 29):
            rest = np.delete(np.arange(30), row)
            plain = (
                crake.NaiveBayesClassifier(numeric=numeric).fit(iris.take(rest)).probabilities(iris, np.array([row]))
            )
            np.testing.assert_array_equal(found[row], plain[0])
    assert crake.NaiveBayesClassifier(numeric="kernel").has_closed_leave_one_out(load("weather"))


def test_a_precision_for_every_column_or_for_all() -> None:
    X, y = [[1.0, 2.0], [2.0, 7.0], [4.0, 1.0]], ["a", "b", "a"]
    for numeric in ("gaussian", "kernel"):
        one = crake.NaiveBayesClassifier(numeric=numeric, precision=0.5).fit(X, y)
        each = crake.NaiveBayesClassifier(numeric=numeric, precision=[0.5, 0.5]).fit(X, y)
        np.testing.assert_array_equal(one.predict_proba(X), each.predict_proba(X))
        with pytest.raises(crake.CrakeError, match="one for each of 2"):
            crake.NaiveBayesClassifier(numeric=numeric, precision=[1.0, 2.0, 3.0]).fit(X, y)


def test_the_variances_of_the_lectures_stay() -> None:
    tax = crake.NaiveBayesClassifier().fit(load("tax"))
    assert tax.variance_[:, 0].tolist() == pytest.approx([2975, 25], rel=1e-12)


def test_nothing_is_left_of_a_fit_of_another_kind() -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0]], [*"abab"]
    model = crake.NaiveBayesClassifier(precision=0.5).fit(X, y)
    for numeric in ("kernel", "discretised", "gaussian"):
        fresh = crake.NaiveBayesClassifier(numeric=numeric).fit(X, y)
        assert set(vars(model.set_params(numeric=numeric, precision=None).fit(X, y))) == set(vars(fresh))


def test_what_is_set_after_a_fit_waits_for_the_next() -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0]], [*"abab"]
    for first, later in ((None, 0.5), (0.5, None)):
        model = crake.NaiveBayesClassifier(precision=first).fit(X, y)
        before, said = model.predict_proba(X), str(model.explain([1.5]))
        model.set_params(precision=later)
        assert np.array_equal(model.predict_proba(X), before)
        assert str(model.explain([1.5])) == said
        with pytest.raises(crake.CrakeError, match="after fit; fit the model again"):
            model.state()
