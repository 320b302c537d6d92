from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as theirs
from tests.plain import metrics_twin

from crake.errors import CrakeError, DataError
from crake.metrics.probability.log_loss import log_loss

row = st.tuples(st.integers(0, 2), st.lists(st.integers(0, 10), min_size=3, max_size=3).filter(any), st.integers(1, 3))


@given(st.lists(row, min_size=1, max_size=30))
def test_it_equals_scikit_learn_and_the_plain_twin(rows: list[tuple[int, list[int], int]]) -> None:
    actual, votes, weights = (np.array(column) for column in zip(*rows, strict=True))
    P = votes / votes.sum(axis=1, keepdims=True)
    found = float(log_loss(actual, P, weights))
    assert found == pytest.approx(theirs.log_loss(actual, P, labels=[0, 1, 2], sample_weight=weights), abs=1e-12)
    assert found == pytest.approx(metrics_twin.log_loss(actual, P, weights), abs=1e-12)


def test_a_certain_and_right_row_costs_nothing_and_a_wrong_one_36() -> None:
    assert log_loss([1], [[0, 1]]).value == 0
    assert log_loss([0], [[0, 1]]).value == pytest.approx(52 * math.log(2))
    assert "2 rows with a probability below 2^-52" in log_loss([0, 0, 0], [[0, 1], [0, 1], [1, 0]]).method


def test_a_sum_a_little_above_1_earns_nothing() -> None:
    value = log_loss([1], [[0, 1 + 5e-7]]).value
    assert value == 0
    assert math.copysign(1, value) == 1


def test_no_rows_have_no_loss() -> None:
    assert log_loss([], np.zeros((0, 2))).reason == "no rows"
    assert log_loss([0], [[0.5, 0.5]], weights=[0]).reason == "no rows"


def test_log_loss_raises_on_bad_rows() -> None:
    with pytest.raises(DataError, match=r"sum to 0.8; expected 1"):
        log_loss([0], [[0.4, 0.4]])
    with pytest.raises(DataError, match="1 actual classes and 2 probabilities"):
        log_loss([0], [[0.5, 0.5]] * 2)


def test_it_has_an_interval_and_another_bound_if_asked() -> None:
    rng = np.random.default_rng(1)
    p = rng.random(4000)
    found = log_loss((rng.random(4000) < p).astype(int), np.column_stack([1 - p, p]))
    assert found.interval[0] < 0.5 < found.interval[1]  # ∫ −p log p − (1 − p) log(1 − p) = 1/2
    assert found.method == "natural logarithm; Student t 95 % over rows, corrected for skewness"
    assert log_loss([0], [[0, 1]], smallest=1e-15).value == pytest.approx(15 * math.log(10))
    assert "1 row with a probability below 1e-15" in log_loss([0], [[0, 1]], smallest=1e-15).method
    with pytest.raises(CrakeError, match="smallest = 0; expected a probability above 0"):
        log_loss([0], [[0, 1]], smallest=0)
