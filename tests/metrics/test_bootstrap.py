from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap as scipy_bootstrap

from crake.errors import CrakeError
from crake.metrics import bootstrap
from crake.metrics.bootstrap import Resampling, bootstrap_interval, percentile_interval
from crake.metrics.confusion import measures as matrix_measures
from crake.metrics.confusion.matrix import confusion_matrix
from crake.metrics.estimate import Estimate


def test_it_agrees_with_scipys_percentile_bootstrap() -> None:
    x = np.random.default_rng(5).gamma(2.0, size=60)
    ours = bootstrap_interval(lambda w: float(np.dot(w, x) / w.sum()), len(x), replicates=4000)
    theirs = scipy_bootstrap((x,), np.mean, n_resamples=4000, method="percentile", rng=1).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), rel=0.03)


def test_drawing_matrices_is_drawing_rows() -> None:
    """Equal in law: the ends agree as far as 1,000 replicates tell (the seeds are fixed)."""
    rng = np.random.default_rng(3)
    actual = rng.integers(0, 3, 150)
    predicted = np.where(rng.random(150) < 0.7, actual, rng.integers(0, 3, 150))
    matrix = confusion_matrix(actual, predicted, ("a", "b", "c"))

    def kappa(weights: np.ndarray) -> float | None:
        return confusion_matrix(actual, predicted, ("a", "b", "c"), weights).kappa.value

    by_rows = bootstrap_interval(kappa, 150)
    assert matrix.kappa.interval == pytest.approx(by_rows, abs=0.02)
    weights = rng.integers(0, 4, 150)
    weighted = confusion_matrix(actual, predicted, ("a", "b", "c"), weights)
    assert weighted.kappa.interval == pytest.approx(bootstrap_interval(kappa, 150, weights), abs=0.02)


@pytest.mark.parametrize("distinct", [1000, 5])
def test_rows_with_fractional_weights_are_drawn_as_rows(distinct: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exactly where a cell has few weights, by their mean and spread (the second run) where it has many."""
    monkeypatch.setattr(bootstrap, "DISTINCT", distinct)
    rng = np.random.default_rng(4)
    actual = rng.integers(0, 2, 200)
    predicted = np.where(rng.random(200) < 0.75, actual, 1 - actual)
    weights = 4 * rng.gamma(0.5, size=200)
    matrix = confusion_matrix(actual, predicted, ("a", "b"), weights)

    def balanced(w: np.ndarray) -> float | None:
        return confusion_matrix(actual, predicted, ("a", "b"), w).balanced_accuracy.value

    by_rows = bootstrap_interval(balanced, 200, weights)
    assert matrix.balanced_accuracy.interval == pytest.approx(by_rows, abs=0.02)
    # Counting the sum of the weights as rows would make the interval much too narrow.
    as_counts = Resampling.of_counts(matrix.counts)
    drawn = np.concatenate([matrix_measures.balanced_accuracy(T.reshape(-1, 2, 2)) for T in as_counts.draw()])
    low, high = percentile_interval(drawn)
    assert high - low < 0.6 * (by_rows[1] - by_rows[0])

    def f(w: np.ndarray) -> float | None:
        return confusion_matrix(actual, predicted, ("a", "b"), w).f("b").value

    assert matrix.f("b").interval == pytest.approx(bootstrap_interval(f, 200, weights), abs=0.02)


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 5), st.integers(0, 3)), min_size=1, max_size=30))
def test_the_groups_hold_all_rows_and_sums(rows: list[tuple[int, float, int]]) -> None:
    cell, values, copies = (np.array(column) for column in zip(*rows, strict=True))
    if not copies.any():
        return
    for distinct in (1000, 2):
        found = _of_rows(cell, values, copies.astype(float), distinct)
        assert found.rows.sum() == copies.sum()
        sums = np.bincount(found.cell, weights=found.rows * found.mean, minlength=4)
        assert sums == pytest.approx(np.bincount(cell, weights=copies * values, minlength=4))
        squares = np.bincount(found.cell, weights=found.rows * (found.mean**2 + found.spread**2), minlength=4)
        assert squares == pytest.approx(np.bincount(cell, weights=copies * values**2, minlength=4))


def _of_rows(cell: np.ndarray, values: np.ndarray, copies: np.ndarray, distinct: int) -> Resampling:
    kept, bootstrap.DISTINCT = bootstrap.DISTINCT, distinct
    try:
        return Resampling.of_rows(cell, values, 4, copies)
    finally:
        bootstrap.DISTINCT = kept


def test_each_replicate_holds_as_many_rows() -> None:
    counts = np.array([[3.0, 0.0], [2.0, 5.0]])
    drawn = np.concatenate(list(Resampling.of_counts(counts).draw(50)))
    assert drawn.shape == (50, 4)
    assert (drawn.sum(axis=1) == 10).all()
    assert (drawn[:, 1] == 0).all()
    fractions = np.concatenate(list(Resampling.of_counts(counts / 3).draw(50)))
    assert fractions.sum(axis=1) == pytest.approx(np.full(50, 10 / 3))
    huge = np.concatenate(list(Resampling.of_counts(counts * 1e300).draw(50)))
    assert huge.sum(axis=1) == pytest.approx(np.full(50, 1e301))


def test_chunks_do_not_change_the_number_of_replicates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "AT_ONCE", 30)
    assert [len(part) for part in Resampling.of_counts(np.eye(3)).draw(10)] == [3, 3, 3, 1]


def test_replicates_without_a_value_are_left_out() -> None:
    values = np.array([math.nan, 1.0, 2.0, 3.0])
    assert percentile_interval(values, level=0.5) == (1.5, 2.5)
    assert percentile_interval(np.array([math.nan, math.nan, 1.0])) is None
    some = bootstrap_interval(lambda w: Estimate.undefined("never") if w[0] == 0 else Estimate(float(w[0])), 2)
    assert some == (1.0, 2.0)
    assert bootstrap_interval(lambda w: None, 2) is None
    assert bootstrap_interval(lambda w: float(w[0]), 2, [0, 0]) is None


def test_no_errors_leave_room_for_one() -> None:
    """No errors among 14 rows do not mean that there never will be one. The intervals know; a bootstrap cannot."""
    perfect = confusion_matrix([0] * 9 + [1] * 5, [0] * 9 + [1] * 5, ("a", "b"))
    assert perfect.kappa.value == perfect.f("a").value == 1
    for measure in (perfect.kappa, perfect.f("a"), perfect.balanced_accuracy):
        assert measure.interval[0] < 0.9
        assert measure.interval[1] == 1.0
    assert perfect.accuracy.interval[0] < 0.8
    assert bootstrap_interval(lambda w: 1.0, 2) is None


def test_a_row_of_weight_0_is_never_drawn() -> None:
    for weights in ([0, 1, 1], [0, 2, 3], [0.0, 0.5, 0.25]):
        seen: list[float] = []
        bootstrap_interval(lambda w, seen=seen: seen.append(w[0]) or float(w.sum()), 3, weights, replicates=50)
        assert set(seen) == {0.0}


def test_nonsense_is_refused() -> None:
    with pytest.raises(CrakeError, match="replicates = 0; expected 1 or more"):
        bootstrap_interval(lambda w: 1.0, 2, replicates=0)
    with pytest.raises(CrakeError, match="level = 95"):
        bootstrap_interval(lambda w: 1.0, 2, level=95)
