from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as theirs

from crake.errors import DataError
from crake.metrics.bootstrap import bootstrap_interval
from crake.metrics.regression import mae, mean_loss, r_squared, rmse

number = st.floats(-100, 100).map(lambda x: round(x, 3))
Rows = list[tuple[float, float, int]]
rows = st.lists(st.tuples(number, number, st.integers(0, 3)), min_size=1, max_size=25).filter(
    lambda rows: any(w for _, _, w in rows)
)


@given(rows)
def test_they_equal_scikit_learn(rows: Rows) -> None:
    y, predicted, weights = (np.array(column) for column in zip(*rows, strict=True))
    assert float(rmse(y, predicted, weights)) == pytest.approx(
        theirs.root_mean_squared_error(y, predicted, sample_weight=weights), abs=1e-9
    )
    assert float(mae(y, predicted, weights)) == pytest.approx(
        theirs.mean_absolute_error(y, predicted, sample_weight=weights), abs=1e-9
    )
    found = r_squared(y, predicted, weights)
    if len(set(y[weights > 0])) == 1:
        assert found.reason == "all actual numbers are equal"
    else:
        assert float(found) == pytest.approx(theirs.r2_score(y, predicted, sample_weight=weights), rel=1e-9, abs=1e-9)


@given(rows)
def test_weight_k_is_k_copies(rows: Rows) -> None:
    y, predicted, weights = (np.array(column) for column in zip(*rows, strict=True))
    for measure in (rmse, mae, r_squared):
        weighted = measure(y, predicted, weights)
        copies = measure(np.repeat(y, weights), np.repeat(predicted, weights))
        assert weighted.is_defined == copies.is_defined
        if copies.is_defined:
            assert float(weighted) == pytest.approx(float(copies), rel=1e-9, abs=1e-9)
    for measure in (rmse, mae):
        one = measure(y, predicted, weights).interval
        other = measure(np.repeat(y, weights), np.repeat(predicted, weights)).interval
        assert (one is None) == (other is None)
        if one is not None:
            assert one == pytest.approx(other, rel=1e-6, abs=1e-6)


def test_the_intervals_hold_the_truth_and_agree() -> None:
    rng = np.random.default_rng(3)
    y = rng.normal(size=500)
    predicted = y + rng.normal(scale=0.5, size=500)
    true = {"rmse": 0.5, "mae": 0.5 * math.sqrt(2 / math.pi), "r_squared": 0.75}
    for measure in (rmse, mae, r_squared):
        found = measure(y, predicted)
        assert found.interval[0] < true[measure.__name__] < found.interval[1]
        assert "95 %" in found.method
    drawn = bootstrap_interval(lambda w: r_squared(y, predicted, w).value, 500, replicates=500)
    assert r_squared(y, predicted).interval == pytest.approx(drawn, abs=0.01)
    assert r_squared(y, predicted).method == "explained variance; delta method 95 %, log scale"


def test_the_mean_of_any_loss() -> None:
    assert mean_loss([0, 1, 2, 1], [1, 1, 0, 2]).value == 0.75
    assert mean_loss([]).reason == "no rows"


def test_what_cannot_be_measured() -> None:
    assert rmse([], []).reason == mae([1], [1], [0]).reason == r_squared([1], [1], [0]).reason == "no rows"
    assert r_squared([0.1] * 3, [0.1, 0.2, 0.3]).reason == "all actual numbers are equal"
    assert rmse([1], [3]).value == 2
    assert rmse([1], [3]).interval is None
    with pytest.raises(DataError, match="2 actual numbers and 1 predicted numbers"):
        rmse([1, 2], [1])
    with pytest.raises(DataError, match="predicted numbers hold nan in row 1; expected finite"):
        mae([1, 2], [1, math.nan])
    with pytest.raises(DataError, match="actual numbers hold inf in row 0"):
        r_squared([math.inf, 2], [1, 2])
    with pytest.raises(DataError, match="losses are not an array of numbers"):
        mean_loss(["much"])
    with pytest.raises(DataError, match="expected one number for each row"):
        rmse([[1, 2]], [1, 2])


def test_numbers_of_any_size() -> None:
    y, predicted = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 3.0, 6.0])
    assert r_squared(y * 1e-200, predicted * 1e-200).value == pytest.approx(0.2)
    assert r_squared(y * 1e140, predicted * 1e140).value == pytest.approx(0.2)
    assert rmse(y * 1e140, predicted * 1e140).value == pytest.approx(1e140)
    with pytest.raises(DataError, match="predicted numbers hold -1e\\+200, whose square is no float"):
        rmse([1.0, 2.0], [1.0, -1e200])
