"""Distributions made without SciPy, beside SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from crake.metrics.dependence.distributions import chi_square_above, non_centrality, student_quantile


def test_chi_square_is_that_of_scipy():
    x = np.array([0.0, 1e-9, 0.3, 1.0, 4.0, 20.0, 150.0, 900.0, 1100.0, 1e4])
    for degrees in (0.01, 0.7, 1.0, 2.0, 9.0, 99.5, 1000.0, 9000.0):
        expected = special.gammaincc(degrees / 2, x / 2)
        assert chi_square_above(x, degrees) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("degrees", [1.0, 2.5, 9.0, 60.0])
def test_non_centralities_are_near_those_of_scipy(degrees):
    for x in (0.1, 3.0, 12.0, 60.0, 400.0):
        low, high = non_centrality(x, degrees)
        lower = 0.0 if special.gammainc(degrees / 2, x / 2) < 0.975 else special.chndtrinc(x, degrees, 0.975)
        upper = special.chndtrinc(max(x, degrees), degrees, 0.025)
        assert (low, high) == pytest.approx((lower, upper), rel=0.03, abs=0.15)


@pytest.mark.parametrize("degrees", [1.0, 1.7, 3.0, 9.0, 40.5, 2000.0])
def test_student_is_that_of_scipy(degrees):
    for level in (0.5, 0.95, 0.9975):
        assert student_quantile(degrees, level) == pytest.approx(special.stdtrit(degrees, (1 + level) / 2), rel=1e-9)
