"""The test of Kruskal and Wallis beside SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kruskal

from crake.metrics.dependence.rank_test import rank_p


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("digits", [0, 1, 9])
def test_p_is_that_of_scipy(classes: int, digits: int) -> None:
    rng = np.random.default_rng(classes)
    y = rng.integers(0, classes, 80)
    x = np.round(rng.normal(size=80) + 0.3 * y, digits)
    groups = [x[y == k] for k in range(classes)]
    assert rank_p(x, y) == pytest.approx(kruskal(*groups).pvalue, rel=1e-9)
    assert rank_p(np.append(x, np.nan), np.append(y, 0)) == rank_p(x, y)


def test_equal_numbers_and_one_class_tell_nothing() -> None:
    assert rank_p(np.ones(5), np.array([0, 1, 0, 1, 1])) == 1.0
    assert rank_p(np.arange(5.0), np.zeros(5, np.int32)) == 1.0
    assert rank_p(np.full(3, np.nan), np.array([0, 1, 0])) == 1.0
