from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from tests.plain import metrics_twin

from crake.errors import DataError
from crake.metrics.significance.mcnemar import mcnemar


@given(st.integers(0, 120), st.integers(0, 120), st.integers(0, 5))
def test_it_is_the_exact_binomial_test(b: int, c: int, agreeing: int) -> None:
    first = [True] * b + [False] * c + [True, False] * agreeing
    second = [False] * b + [True] * c + [True, False] * agreeing
    found = mcnemar(first, second)
    assert (found.only_first, found.only_second, found.discordant) == (b, c, b + c)
    assert found.p_value == pytest.approx(float(metrics_twin.mcnemar(b, c)), rel=1e-12)
    if b + c:
        assert found.p_value == pytest.approx(binomtest(b, b + c).pvalue, rel=1e-9)
    assert mcnemar(second, first).p_value == found.p_value


def test_no_discordant_rows_tell_nothing() -> None:
    assert mcnemar([True, False], [True, False]).p_value == 1
    assert mcnemar([], []).p_value == 1


def test_weight_k_is_k_copies() -> None:
    copies = mcnemar([True] * 6 + [False], [False] * 6 + [True])
    assert mcnemar([True, False, True], [False, True, False], weights=[6, 1, 0]) == copies
    assert copies.to_dict()["p_value"] == 0.125


def test_mcnemar_raises_on_bad_rows() -> None:
    with pytest.raises(DataError, match="whole number"):
        mcnemar([True], [False], weights=[0.5])
    with pytest.raises(DataError, match="2 of the first and 1 outcomes of the second classifier"):
        mcnemar([True, False], [True])
    with pytest.raises(DataError, match="expected True or False"):
        mcnemar([0.3], [True])
