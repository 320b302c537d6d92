from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crake.errors import DataError
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.cutoffs import least_expected_cost

votes = st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any), min_size=1, max_size=10)
matrix = st.lists(st.lists(st.integers(-3, 9), min_size=3, max_size=3), min_size=3, max_size=3)


@given(votes, matrix)
def test_each_row_is_called_the_cheapest_the_first_of_equals(votes: list[list[int]], costs: list[list[int]]) -> None:
    P = np.array(votes) / np.sum(votes, axis=1, keepdims=True)
    for row, called in zip(votes, least_expected_cost(P, costs), strict=True):
        expected = [sum(Fraction(row[i], sum(row)) * costs[i][j] for i in range(3)) for j in range(3)]
        assert called == expected.index(min(expected))


@given(votes)
def test_with_equal_costs_it_is_the_most_probable_class(votes: list[list[int]]) -> None:
    P = np.array(votes) / np.sum(votes, axis=1, keepdims=True)
    assert least_expected_cost(P, 1 - np.eye(3)).tolist() == P.argmax(axis=1).tolist()


def test_rows_are_what_is_and_columns_what_is_called() -> None:
    loans = CostMatrix.of_errors(("good", "bad"), positive="bad", false_positive=1, false_negative=5)
    assert least_expected_cost([[0.8, 0.2], [0.9, 0.1]], loans).tolist() == [1, 0]
    assert least_expected_cost(np.zeros((0, 2)), loans).tolist() == []


def test_expected_cost_raises_on_bad_input() -> None:
    with pytest.raises(DataError, match=r"costs of shape \(2, 3\); expected \(2, 2\)"):
        least_expected_cost([[0.5, 0.5]], [[0, 1, 1], [1, 0, 1]])
    with pytest.raises(DataError, match="calling an actual 1 a 0 is nan; expected a finite number"):
        least_expected_cost([[0.5, 0.5]], [[0, 1], [math.nan, 0]])
    with pytest.raises(DataError, match=r"sum to 0.8; expected 1"):
        least_expected_cost([[0.4, 0.4]], [[0, 1], [1, 0]])
    with pytest.raises(DataError, match=r"expected \(rows, classes\)"):
        least_expected_cost([0.5, 0.5], [[0, 1], [1, 0]])
    with pytest.raises(DataError, match="not an array of numbers"):
        least_expected_cost([[0.5, 0.5], [1]], [[0, 1], [1, 0]])
