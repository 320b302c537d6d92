from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crake.errors import DataError
from crake.metrics.probability.brier import brier
from crake.metrics.probability.weka_errors import (
    probability_mae,
    probability_rmse,
    relative_probability_mae,
    relative_probability_rmse,
)

vote = st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any)
rows = st.lists(st.tuples(st.integers(0, 2), vote, st.integers(1, 3)), min_size=1, max_size=20)


@given(rows)
def test_they_are_means_over_rows_and_classes(rows: list[tuple[int, list[int], int]]) -> None:
    actual, votes, weights = (np.array(column) for column in zip(*rows, strict=True))
    P = votes / votes.sum(axis=1, keepdims=True)
    prior = np.array([0.5, 0.25, 0.25])
    absolute = square = base_absolute = base_square = 0.0
    for a, row, w in zip(actual, P, weights, strict=True):
        for c in range(3):
            y = float(a == c)
            absolute += w * abs(row[c] - y)
            square += w * (row[c] - y) ** 2
            base_absolute += w * abs(prior[c] - y)
            base_square += w * (prior[c] - y) ** 2
    n = 3 * weights.sum()
    assert float(probability_mae(actual, P, weights)) == pytest.approx(absolute / n, abs=1e-12)
    assert float(probability_rmse(actual, P, weights)) == pytest.approx(math.sqrt(square / n), abs=1e-12)
    assert float(probability_rmse(actual, P, weights)) ** 2 * 3 == pytest.approx(float(brier(actual, P, weights)))
    found = relative_probability_mae(actual, P, prior, weights)
    assert float(found) == pytest.approx(absolute / base_absolute, abs=1e-12)
    found = relative_probability_rmse(actual, P, prior, weights)
    assert float(found) == pytest.approx(math.sqrt(square / base_square), abs=1e-12)


def test_each_has_an_interval_that_holds_it() -> None:
    rng = np.random.default_rng(1)
    P = rng.dirichlet([1, 2, 3], 300)
    actual = np.array([rng.choice(3, p=line) for line in P])
    prior = np.bincount(actual) / 300
    measures = [
        probability_mae(actual, P),
        probability_rmse(actual, P),
        relative_probability_mae(actual, P, prior),
        relative_probability_rmse(actual, P, prior),
    ]
    for measure in measures:
        assert measure.interval[0] < float(measure) < measure.interval[1]
        assert "95 %" in measure.method


def test_the_prior_itself_is_1() -> None:
    P = np.tile([0.25, 0.75], (8, 1))
    assert relative_probability_mae([1] * 6 + [0] * 2, P, [0.25, 0.75]).value == 1
    assert relative_probability_rmse([1] * 6 + [0] * 2, P, [0.25, 0.75]).value == 1


def test_what_cannot_be_measured() -> None:
    assert probability_rmse([0], [[1, 0]], [0]).reason == "no rows"
    assert relative_probability_mae([0], [[1, 0]], [0.5, 0.5], [0]).reason == "no rows"
    assert relative_probability_mae([0], [[0.5, 0.5]], [1, 0]).reason == "the prior is never wrong"
    with pytest.raises(DataError, match=r"a prior of shape \(3,\) for 2 classes"):
        relative_probability_mae([0], [[0.5, 0.5]], [0.5, 0.25, 0.25])
    with pytest.raises(DataError, match=r"sum to 0\.8; expected 1"):
        relative_probability_rmse([0], [[0.5, 0.5]], [0.4, 0.4])
    with pytest.raises(DataError, match="code 2; expected 0 … 1"):
        probability_mae([2], [[0.5, 0.5]])
