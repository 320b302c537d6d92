"""Two learners on the folds of one table: against plain twins, SciPy, and the limits of the formulas."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from tests.plain import significance_twin as twin

from crake.errors import CrakeError, DataError
from crake.metrics.significance.bayesian_t import bayesian_correlated_t
from crake.metrics.significance.corrected_t import corrected_t
from crake.metrics.significance.five_by_two import five_by_two_f, five_by_two_t

thousandths = st.integers(-300, 300).map(lambda n: n / 1000)
folds = st.lists(thousandths, min_size=2, max_size=20)


@given(folds, st.integers(1, 50), st.integers(1, 50))
def test_the_corrected_t_is_its_plain_twin(d, test, training):
    assume(len(set(d)) > 1)
    mean, error, t = twin.corrected_t(d, training, test)
    found = corrected_t(d, training, test)
    assert found.difference == pytest.approx(mean, abs=1e-12)
    assert found.statistic == pytest.approx(t, rel=1e-9, abs=1e-9)
    assert found.p_value == pytest.approx(2 * twin.student_tail(abs(t), len(d) - 1), abs=1e-6)
    low, high = found.interval
    assert (low + high) / 2 == pytest.approx(mean, abs=1e-12)
    assert 2 * twin.student_tail((high - mean) / error, len(d) - 1) == pytest.approx(0.05, abs=1e-6)
    assert (found.p_value < 0.05) == (low > 0 or high < 0)
    swapped = corrected_t([-x for x in d], training, test)
    assert swapped.p_value == pytest.approx(found.p_value, rel=1e-12)


@given(folds)
def test_without_the_correction_it_is_the_paired_t_test(d):
    assume(len(set(d)) > 1)
    # 1/k + n₂/n₁ → 1/k when nothing is tested
    found = corrected_t(d, 1e18, 1)
    assert found.p_value == pytest.approx(stats.ttest_1samp(d, 0).pvalue, abs=1e-9)


def test_the_correction_makes_it_more_cautious():
    d = [0.01, 0.03, 0.02, 0.00, 0.02, 0.03, 0.01, 0.02, 0.02, 0.01]
    assert corrected_t(d, 9, 1).p_value > stats.ttest_1samp(d, 0).pvalue
    # unequal folds go in by their means
    assert corrected_t(d, [9] * 10, [1] * 10) == corrected_t(d, 90, 10)


def test_equal_differences_have_no_t():
    same = corrected_t([0.1] * 10, 9, 1)
    assert (same.statistic, same.p_value, same.interval) == (None, 0.0, (0.1, 0.1))
    none = corrected_t([0.0] * 10, 9, 1)
    assert (none.statistic, none.p_value) == (None, 1.0)
    # three equal differences whose floats differ in the last bit are still equal
    assert corrected_t([0.3, 0.1 + 0.2, 0.3], 9, 1).statistic is None


@given(st.lists(st.tuples(thousandths, thousandths), min_size=5, max_size=5))
def test_five_by_two_is_its_plain_twin(p):
    assume(any(first != second for first, second in p))
    F, t = twin.five_by_two(p)
    assert five_by_two_f(p).statistic == pytest.approx(F, rel=1e-9)
    assert five_by_two_f(p).p_value == pytest.approx(twin.f_tail(F, 10, 5), abs=1e-6)
    assert five_by_two_f(p).p_value == pytest.approx(stats.f.sf(F, 10, 5), abs=1e-12)
    assert five_by_two_t(p).statistic == pytest.approx(t, rel=1e-9, abs=1e-12)
    assert five_by_two_t(p).p_value == pytest.approx(2 * twin.student_tail(abs(t), 5), abs=1e-6)
    # which fold of a halving came first is of no weight in F
    assert five_by_two_f([pair[::-1] for pair in p]).statistic == pytest.approx(F, rel=1e-9)


def test_five_by_two_without_spread():
    assert five_by_two_f([[0.1, 0.1]] * 5).p_value == 0
    assert five_by_two_f([[0.0, 0.0]] * 5).p_value == 1
    assert five_by_two_t([[0.0, 0.0]] * 5).statistic is None
    with pytest.raises(DataError, match=r"shape \(10,\); expected \(5, 2\)"):
        five_by_two_f([0.1] * 10)


@given(folds, st.integers(1, 9), st.sampled_from([0.0, 0.01, 0.1]))
def test_the_posterior_is_its_plain_twin(d, test, rope):
    assume(len(set(d)) > 1)
    mean, error, _ = twin.corrected_t(d, 10 - test, test)
    found = bayesian_correlated_t(d, 10 - test, test, rope=rope)
    freedom = len(d) - 1
    assert found.first_better == pytest.approx(twin.student_tail((rope - mean) / error, freedom), abs=1e-6)
    assert found.second_better == pytest.approx(twin.student_tail((rope + mean) / error, freedom), abs=1e-6)
    assert found.first_better + found.equivalent + found.second_better == pytest.approx(1, abs=1e-12)
    witness = stats.t(freedom, mean, error)
    assert found.equivalent == pytest.approx(witness.cdf(rope) - witness.cdf(-rope), abs=1e-9)
    if rope == 0:
        # The one-sided p of the corrected t is the posterior of the other side: the same curve read another way.
        p = corrected_t(d, 10 - test, test).p_value
        assert min(found.first_better, found.second_better) == pytest.approx(p / 2, abs=1e-9)


def test_the_posterior_of_equal_differences_is_a_point():
    found = bayesian_correlated_t([0.02] * 5, 9, 1, rope=0.01)
    assert (found.first_better, found.equivalent, found.second_better) == (1, 0, 0)
    found = bayesian_correlated_t([0.01] * 5, 9, 1, rope=0.01)
    assert (found.first_better, found.equivalent, found.second_better) == (0, 1, 0)
    assert str(found).startswith("the first is better with probability 0.0 %, as good (within 0.01) 100.0 %")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: corrected_t([0.1], 9, 1), "needs 2 or more"),
        (lambda: corrected_t([0.1, math.nan], 9, 1), "missing or infinite"),
        (lambda: corrected_t([0.1, 0.2], 0, 1), "expected all above 0"),
        (lambda: corrected_t([0.1, 0.2], 9, 1, level=95), "level = 95"),
        (lambda: bayesian_correlated_t([0.1, 0.2], 9, 1, rope=-1), "rope = -1"),
        (lambda: corrected_t("ab", 9, 1), "not an array of numbers"),
    ],
)
def test_two_learners_raises_on_bad_input(call, words):
    with pytest.raises(CrakeError, match=words):
        call()


def test_they_speak_plainly():
    test = corrected_t([0.04, 0.05, 0.06], 90, 10, names=("C4.5", "1R"))
    assert str(test).startswith("C4.5 is better than 1R (p = 0.0")
    other = corrected_t([-0.04, -0.05, -0.06], 90, 10, names=("C4.5", "1R"))
    assert str(other).startswith("1R is better than C4.5 (p = 0.0")
    assert test.to_dict()["first"] == "C4.5"
