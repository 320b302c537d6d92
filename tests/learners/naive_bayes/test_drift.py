"""Drift between two models: distances of distributions worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import crake
from crake.table.examples import load

N = crake.NaiveBayesClassifier


def test_the_same_model_has_not_drifted() -> None:
    for name in ("weather", "iris", "tax"):
        model = N().fit(load(name))
        found = crake.drift(model, model)
        assert max(shift.total_variation for shift in found.shifts) < 1e-12
        assert max(shift.jensen_shannon for shift in found.shifts) < 1e-6
        assert {shift.mean_difference for shift in found.shifts} <= {None, 0.0}


def test_nominal_values_by_hand() -> None:
    one = N().fit([["red"], ["red"], ["blue"], ["blue"]], [*"aaab"])
    other = N().fit([["red"], ["green"], ["green"], ["green"]], [*"aaab"])
    classes, first, *_ = crake.drift(one, other).shifts
    assert (classes.column, classes.total_variation, classes.rows) == (None, 0.0, (4.0, 4.0))
    assert (first.column, first.label, first.total_variation) == ("x0", "b", 1.0)
    assert first.jensen_shannon == pytest.approx(1)
    in_a = next(shift for shift in crake.drift(one, other).shifts if shift.label == "a")
    assert in_a.total_variation == pytest.approx(2 / 3)  # red 2/3 → 1/3, blue 1/3 → 0, green 0 → 2/3
    assert in_a.p_value == pytest.approx(stats.chi2_contingency([[2, 1, 0], [1, 0, 2]], correction=False).pvalue)


@pytest.mark.parametrize("numeric", ["gaussian", "kernel", "discretised"])
def test_numbers_in_standard_deviations(numeric: str) -> None:
    generator = np.random.default_rng(5)
    X, y = generator.normal(size=(400, 1)), np.arange(400) % 2
    moved = X + np.where(y == 1, 1.0, 0.0)[:, None]
    found = crake.drift(N(numeric=numeric).fit(X, y), N(numeric=numeric).fit(moved, y))
    largest = found.shifts[1]
    a = X[y == 1, 0]
    assert (largest.column, largest.label) == ("x0", 1)
    assert largest.mean_difference == pytest.approx(1 / a.std(ddof=1))
    # Two normals of one deviation, d apart: 2Φ(d/2) − 1.
    assert largest.total_variation == pytest.approx(2 * stats.norm.cdf(0.5 / a.std(ddof=1)) - 1, abs=1e-5)
    assert largest.p_value == pytest.approx(stats.ttest_ind(a, a + 1, equal_var=False).pvalue)
    other = found.shifts[2]
    assert (other.total_variation, other.mean_difference) == (pytest.approx(0, abs=1e-12), 0.0)


def test_shown_sorted_and_escaped() -> None:
    one = N().fit([["<b>"], ["x"]], ["a", "b"])
    other = N().fit([["x"], ["x"]], ["a", "b"])
    found = crake.drift(one, other)
    assert str(found).splitlines()[1].split()[:2] == ["column", "class"]
    assert [s.total_variation for s in found.shifts[1:]] == [1.0, 0.0]
    assert "<td>x0</td>" in found._repr_html_()


def test_what_cannot_be_compared() -> None:
    weather = N().fit(load("weather"))
    with pytest.raises(crake.CrakeError, match="different columns"):
        crake.drift(weather, N().fit(load("tax")))
    with pytest.raises(crake.CrakeError, match="found a MajorityClassifier"):
        crake.drift(weather, crake.MajorityClassifier().fit(load("weather")))


def test_rows_that_weigh_little_have_not_drifted() -> None:
    iris = load("iris")
    light = N().fit(iris, sample_weight=np.full(150, 0.001))
    assert max(shift.total_variation for shift in crake.drift(light, N().fit(iris)).shifts) < 0.01
