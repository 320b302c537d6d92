"""Learners over many tables: against plain twins and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from tests.plain import significance_twin as twin

from crake.errors import CrakeError, DataError
from crake.metrics.significance.friedman import friedman
from crake.metrics.significance.holm import holm, holm_against
from crake.metrics.significance.nemenyi import critical_q, indistinguishable, nemenyi
from crake.metrics.significance.sign_test import sign_test
from crake.metrics.significance.wilcoxon import wilcoxon

small = st.integers(-6, 6)
tables = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=2, max_size=8)
)


@given(st.lists(small, min_size=1, max_size=9), st.booleans())
def test_wilcoxon_counts_every_pattern_of_signs(d, drop):
    above, below, p = twin.wilcoxon(d, drop=drop)
    found = wilcoxon([x / 7 for x in d], zeros="drop" if drop else "share")
    assert (found.rank_sum_first, found.rank_sum_second) == (float(above), float(below))
    assert found.p_value == pytest.approx(float(p), abs=1e-12)
    assert wilcoxon([-x for x in d], zeros="drop" if drop else "share").p_value == found.p_value


@given(st.lists(st.integers(1, 10**6), min_size=2, max_size=40, unique=True), st.data())
def test_wilcoxon_is_scipys_where_nothing_is_tied(sizes, data):
    signs = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(sizes), max_size=len(sizes)))
    d = np.array(sizes) * np.array(signs) / 1e6
    witness = stats.wilcoxon(d, method="exact")
    assert wilcoxon(d).p_value == pytest.approx(witness.pvalue, rel=1e-9)
    assert wilcoxon(d).statistic == witness.statistic


def test_many_tables_use_the_normal_curve():
    d = np.random.default_rng(1).normal(0.1, 1, 300).round(2)
    witness = stats.wilcoxon(d, zero_method="pratt", method="approx", correction=False)
    assert wilcoxon(d).p_value == pytest.approx(witness.pvalue, rel=1e-9)
    assert "normal" in wilcoxon(d).method


def test_no_difference_at_all():
    assert wilcoxon([0.0, 0.0]).p_value == 1
    assert wilcoxon([0.0, 0.0], zeros="drop").p_value == 1
    assert sign_test([0.0, 0.0]).p_value == 1
    found = friedman([[1.0, 1.0], [2.0, 2.0]])
    assert (found.chi_square, found.p_value) == (0, 1)


@given(st.integers(0, 40), st.integers(0, 5), st.integers(0, 40))
def test_the_sign_test_is_the_binomial_test(wins, ties, losses):
    assume(wins + ties + losses)
    found = sign_test([1] * wins + [0] * ties + [-1] * losses)
    assert (found.wins, found.ties, found.losses) == (wins, ties, losses)
    assert found.p_value == pytest.approx(float(twin.sign_test(wins, losses)), rel=1e-12)
    if wins + losses:
        assert found.p_value == pytest.approx(stats.binomtest(wins, wins + losses).pvalue, rel=1e-9)


@given(tables, st.booleans())
def test_friedman_is_its_plain_twin(scores, correct_ties):
    means, chi = twin.friedman(scores, correct_ties=correct_ties)
    found = friedman(np.array(scores) / 9, correct_ties=correct_ties)
    assert found.mean_ranks == pytest.approx([float(m) for m in means], abs=1e-12)
    assert found.chi_square == pytest.approx(float(chi), rel=1e-9, abs=1e-9)
    N, k = len(scores), len(scores[0])
    if chi == N * (k - 1):
        assert found.p_value == pytest.approx(float(twin.chance_of_agreement(scores[0], N)), rel=1e-9)
    else:
        F = float((N - 1) * chi / (N * (k - 1) - chi))
        assert found.p_value == pytest.approx(stats.f.sf(F, k - 1, (k - 1) * (N - 1)), abs=1e-9)
    lower = friedman(-np.array(scores) / 9, higher_is_better=False, correct_ties=correct_ties)
    assert lower == found


@given(tables.filter(lambda scores: len(scores[0]) > 2))
def test_friedman_is_scipys(scores):
    assume(any(len(set(row)) > 1 for row in scores))
    witness = stats.friedmanchisquare(*np.array(scores).T)
    found = friedman(scores)
    assert found.chi_square == pytest.approx(witness.statistic, rel=1e-9, abs=1e-9)
    assert found.chi_square_p == pytest.approx(witness.pvalue, abs=1e-9)


def test_a_rounding_is_no_rank():
    assert friedman([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]]).mean_ranks == (1.5, 1.5)


@pytest.mark.parametrize(("k", "level"), [(2, 0.05), (5, 0.05), (10, 0.10), (3, 0.01)])
def test_the_studentised_range_is_the_integral(k, level):
    assert twin.range_tail(critical_q(k, level) * 2**0.5, k) == pytest.approx(level, abs=1e-6)


def test_nemenyi_p_values_and_groups_agree():
    scores = np.random.default_rng(3).normal(size=(12, 5)) + np.arange(5) / 2
    found = nemenyi(scores)
    R = found.mean_ranks
    for i in range(5):
        for j in range(5):
            if i != j:
                together = any(i in group and j in group for group in found.groups)
                assert (found.p_values[i][j] < 0.05) == found.differs(i, j) == (not together)
                z = abs(R[i] - R[j]) / (5 * 6 / (6 * 12)) ** 0.5
                assert found.p_values[i][j] == pytest.approx(twin.range_tail(z * 2**0.5, 5), abs=1e-6)


@given(st.lists(st.integers(10, 60), min_size=2, max_size=7), st.integers(1, 40))
def test_groups_are_maximal_and_complete(ranks, width):
    means = [rank / 10 for rank in ranks]
    groups = [set(group) for group in indistinguishable(means, width / 10)]
    for i in range(len(means)):
        for j in range(i):
            near = abs(means[i] - means[j]) <= width / 10
            assert near == any({i, j} <= group for group in groups)
    assert not any(one < other for one in groups for other in groups)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=8), st.sampled_from([0.01, 0.05, 0.1]))
def test_holm_rejects_what_the_step_down_rejects(thousandths, level):
    p = [n / 1000 for n in thousandths]
    assert [value < level for value in holm(p)] == twin.holm_rejects(p, level)


def test_holm_against_a_baseline_of_two_is_the_normal_test():
    found = holm_against([[0.7, 0.8]] * 9 + [[0.8, 0.7]])
    z = (1.9 - 1.1) / (2 * 3 / 60) ** 0.5
    assert found.z == pytest.approx((z,))
    assert found.p_values == pytest.approx((2 * stats.norm.sf(z),))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: friedman([[0.5, 0.6]]), "two or more"),
        (lambda: nemenyi([[0.5, 0.6]]), "two or more"),
        (lambda: friedman([[0.5], [0.6]]), "at least two learners"),
        (lambda: friedman([[0.5, np.nan], [0.6, 0.5]]), "missing or infinite"),
        (lambda: holm([0.5, 1.5]), "between 0 and 1"),
        (lambda: holm_against([[0.5, 0.6]] * 3, baseline=2), "baseline = 2"),
        (lambda: wilcoxon([0.1], zeros="pratt"), "zeros = 'pratt'"),
        (lambda: wilcoxon([0.1, 0.2], [0.1]), "expected pairs"),
        (lambda: wilcoxon([]), "needs 1 or more"),
    ],
)
def test_many_tables_raises_on_bad_input(call, words):
    with pytest.raises((CrakeError, DataError), match=words):
        call()
