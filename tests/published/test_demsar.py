"""Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7, 1–30: its worked examples.

AUC of C4.5, with m tuned, with the confidence cf tuned, and with both, on 14 tables (table 6; the first two columns are
table 2). On "voting" two learners have the same three digits and different ranks: the paper ranks more digits.
"""

from __future__ import annotations

import numpy as np
import pytest

from crake.metrics.significance.friedman import friedman
from crake.metrics.significance.holm import holm_against
from crake.metrics.significance.nemenyi import critical_q, nemenyi
from crake.metrics.significance.sign_test import sign_test
from crake.metrics.significance.wilcoxon import wilcoxon

AUC = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],  # adult (sample)
        [0.599, 0.591, 0.590, 0.569],  # breast cancer
        [0.954, 0.971, 0.968, 0.967],  # breast cancer wisconsin
        [0.628, 0.661, 0.654, 0.657],  # cmc
        [0.882, 0.888, 0.886, 0.898],  # ionosphere
        [0.936, 0.931, 0.916, 0.931],  # iris
        [0.661, 0.668, 0.609, 0.685],  # liver disorders
        [0.583, 0.583, 0.563, 0.625],  # lung cancer
        [0.775, 0.838, 0.866, 0.875],  # lymphography
        [1.000, 1.000, 1.000, 1.000],  # mushroom
        [0.940, 0.962, 0.965, 0.962],  # primary tumor
        [0.619, 0.666, 0.614, 0.669],  # rheum
        [0.972, 0.981, 0.9751, 0.975],  # voting: ranks 2 and 3 in the paper
        [0.957, 0.978, 0.946, 0.970],  # wine
    ]
)


def test_wilcoxon_of_table_2():
    found = wilcoxon(AUC[:, 1], AUC[:, 0])
    assert (found.rank_sum_first, found.rank_sum_second) == (93, 12)
    assert found.statistic <= 21  # the critical value the paper looks up for 14 tables at 0.05
    assert found.p_value < 0.05
    # its z, without a correction for ties: (12 − ¼·14·15) / √(14·15·29 / 24)
    assert (found.statistic - 14 * 15 / 4) / (14 * 15 * 29 / 24) ** 0.5 == pytest.approx(-2.54, abs=0.005)


def test_signs_of_table_2():
    found = sign_test(AUC[:, 1], AUC[:, 0])
    assert (found.wins, found.ties, found.losses) == (10, 2, 2)
    assert found.p_value < 0.05


def test_friedman_of_table_6():
    found = friedman(AUC, correct_ties=False)
    assert found.mean_ranks == pytest.approx((3.143, 2.000, 2.893, 1.964), abs=0.0005)
    assert found.chi_square == pytest.approx(9.28, abs=0.005)
    assert found.statistic == pytest.approx(3.69, abs=0.005)
    assert found.degrees_of_freedom == (3, 39)
    assert found.p_value < 0.05  # critical value of F(3, 39): 2.85


def test_nemenyi_of_table_6():
    names = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
    assert nemenyi(AUC).critical_difference == pytest.approx(1.25, abs=0.005)
    assert nemenyi(AUC).groups == ((3, 1, 2, 0),)  # "not even powerful enough" at 0.05
    tenth = nemenyi(AUC, level=0.10, names=names)
    assert tenth.critical_difference == pytest.approx(1.12, abs=0.005)
    assert (tenth.differs(0, 1), tenth.differs(0, 3), tenth.differs(0, 2), tenth.differs(1, 2)) == (
        True,
        True,
        False,
        False,
    )
    assert "C4.5+m+cf is better than C4.5;" in str(tenth)


def test_holm_of_table_6():
    found = holm_against(AUC, baseline=0)
    by_learner = dict(zip(found.learners, zip(found.z, found.raw_p_values, strict=True), strict=True))
    # the paper divides ranks of three decimals by 0.488
    assert by_learner[3] == pytest.approx((2.416, 0.016), abs=0.001)
    assert by_learner[1] == pytest.approx((2.342, 0.019), abs=0.001)
    assert by_learner[2] == pytest.approx((0.512, 0.607), abs=0.002)
    # Holm rejects the first two hypotheses: .016 < .017 and .019 < .025
    assert [p < 0.05 for p in found.p_values] == [True, False, True]


@pytest.mark.parametrize(
    ("level", "values"),
    [
        (0.05, (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)),
        (0.10, (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920)),
    ],
)
def test_critical_values_of_table_5a(level, values):
    assert [round(critical_q(k, level), 3) for k in range(2, 11)] == pytest.approx(list(values), abs=0.0011)
