"""The correlation ratio and Spearman's ρ, beside SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from crake.metrics.dependence.correlation import correlation_ratio, ratio_p, spearman


def test_the_p_value_is_that_of_the_f_test():
    rng = np.random.default_rng(1)
    groups, y = rng.integers(0, 4, 60), rng.normal(size=60)
    expected = stats.f_oneway(*(y[groups == k] for k in range(4))).pvalue
    assert ratio_p(groups, y) == pytest.approx(expected, rel=1e-9)


def test_spearman_is_that_of_scipy_with_ties():
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 9, 80).astype(float), rng.normal(size=80)
    assert spearman(x, y).value == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


def test_noise_explains_nothing_on_average_and_the_interval_holds():
    rng = np.random.default_rng(4)
    estimates = [correlation_ratio(rng.integers(0, 8, 100), rng.normal(size=100)) for _ in range(300)]
    assert np.mean([each.low <= 0 for each in estimates]) >= 0.93
    means = np.arange(5.0)
    truth, covered = 2 / (2 + 9), 0
    for _ in range(300):
        groups = rng.integers(0, 5, 200)
        each = correlation_ratio(groups, means[groups] + 3 * rng.normal(size=200))
        covered += each.low <= truth <= each.high
    assert covered >= 0.92 * 300


def test_edges():
    assert correlation_ratio(np.array([0, 1]), np.array([1.0, 2.0])).reason
    assert correlation_ratio(np.array([0, 0, 1]), np.array([2.0, 2.0, 2.0])).reason == "the target is constant"
    assert correlation_ratio(np.zeros(3, np.intp), np.array([1.0, 2.0, 4.0])).value == 0
    copied = correlation_ratio(np.array([0, 0, 1, 1]), np.array([1e300, 1e300, 2e300, 2e300]))
    assert copied.value == pytest.approx(1)
    assert ratio_p(np.array([0, 0, 1, 1]), np.array([1.0, 1, 2, 2])) == 0
    assert spearman(np.array([1.0, 2, 3, 4]), np.array([1.0, 1, 1, 1])).reason
    assert spearman(np.array([1.0, 2, 3, 4]), np.array([4.0, 3, 2, 1])).value == -1
