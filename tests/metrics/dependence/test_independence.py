"""Tests of independence: SciPy's numbers, and few alarms among columns of noise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from crake.metrics.dependence.grouping import cross_table, number_groups
from crake.metrics.dependence.independence import chi_square, independence_p_values, pearson_p_values
from crake.metrics.dependence.mutual_information import plain_information, shuffled_information


def test_pearson_is_that_of_scipy():
    counts = np.array([[12.0, 5, 3], [4, 9, 8]])
    expected = chi2_contingency(counts, correction=False)
    assert chi_square(counts) == pytest.approx(expected.statistic)
    assert pearson_p_values([counts])[0] == pytest.approx(expected.pvalue)
    assert pearson_p_values([counts[:1], counts[:, :1]]).tolist() == [1, 1]


@pytest.mark.parametrize("rows", [20, 60])
def test_few_rows_raise_few_alarms(rows):
    rng = np.random.default_rng(4)
    classes, alarms = np.arange(rows) % 2, 0
    for _ in range(60):
        tables = [cross_table(number_groups(rng.normal(size=rows)), classes, 2) for _ in range(20)]
        plain, by_chance = (np.array([of(each) for each in tables]) for of in (plain_information, shuffled_information))
        alarms += 20 * independence_p_values(tables, plain, by_chance).min() <= 0.05
    assert alarms <= 6
