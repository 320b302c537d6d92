"""Exact sums: equal to fractions, whatever the values, the weights, the order of rows and the way they are added."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import crake
from crake.arrays import Floats
from crake.errors import CrakeError
from crake.kernels import threads
from crake.statistics import ClassMoments, exact_moments
from crake.statistics.exact_moments import ExactMoments
from crake.statistics.exact_sums import BITS, ONE, PLACES, ExactSums

ROWS, CELLS = 5000, 3
DRAW = np.random.default_rng(7)
CELL = DRAW.integers(-1, CELLS, ROWS)
VALUES: dict[str, Floats] = {
    "normal": DRAW.normal(size=(ROWS, 2)),
    "far from 0": 1e9 + 1e-3 * DRAW.normal(size=(ROWS, 2)),
    "of all sizes": DRAW.normal(size=(ROWS, 2)) * 10.0 ** DRAW.integers(-307, 307, (ROWS, 2)),
    "huge": DRAW.normal(size=(ROWS, 2)) * 1e307,
    "subnormal": DRAW.normal(size=(ROWS, 2)) * 1e-310,
    "whole": DRAW.integers(-9, 9, (ROWS, 2)).astype(np.float64),
    "equal": np.full((ROWS, 2), 0.1),
}
WEIGHTS: dict[str, Floats] = {
    "1": np.ones(ROWS),
    "copies": DRAW.integers(0, 4, ROWS).astype(np.float64),
    "fractions": DRAW.random(ROWS),
    "of all sizes": 10.0 ** DRAW.integers(-30, 30, ROWS),
}


def added(monkeypatch: pytest.MonkeyPatch, few: int, values: Floats, weights: Floats) -> tuple[ExactMoments, Floats]:
    monkeypatch.setattr(exact_moments, "FEW", few)
    sums, extent = ExactMoments.zeros(CELLS, values.shape[1]), np.empty((2, CELLS, values.shape[1]))
    extent[0], extent[1] = np.inf, -np.inf
    sums.add(values, CELL, weights, extent)
    return sums, extent


@pytest.mark.parametrize("size", VALUES)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_both_ways_of_adding_give_the_fractions(size: str, weight: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values, weights = VALUES[size].copy(), WEIGHTS[weight]
    values[::17, 1] = np.nan
    one, extent = added(monkeypatch, 10**9, values, weights)
    with threads.limited(2):
        other, same = added(monkeypatch, 0, values, weights)
    np.testing.assert_array_equal(extent, same)
    for a, b in zip(one.parts, other.parts, strict=True):
        assert (a.integers() == b.integers()).all()
        assert [part.tolist() for part in a.state()] == [part.tolist() for part in b.state()]
    rows = np.flatnonzero((CELL == 1) & ~np.isnan(values[:, 1]))
    pairs = [(Fraction(float(weights[i])), Fraction(float(values[i, 1]))) for i in rows]
    sums = [sum(w * x**power for w, x in pairs) for power in range(3)]
    unit = Fraction(1, 1 << (BITS * ONE))
    assert [part.integers()[1, 1] * unit for part in one.parts] == sums
    (n, mean, squares, rest), exponent = one.moments()
    scale = Fraction(2) ** int(exponent[1, 1])
    exact_mean, centred = sums[1] / sums[0] / scale, (sums[2] - sums[1] ** 2 / sums[0]) / scale**2
    assert n[1, 1] == float(sums[0])
    np.testing.assert_array_equal(one.weights(), n)
    assert mean[1, 1] == float(exact_mean)
    assert abs(Fraction(float(mean[1, 1])) + Fraction(float(rest[1, 1])) - exact_mean) <= abs(exact_mean) / 2**95
    assert abs(Fraction(float(squares[1, 1])) - centred) <= centred / 2**52
    assert (squares[1, 1] == 0) == (centred == 0)


def test_a_state_is_read_back_and_wrong_ones_are_not() -> None:
    sums = ExactSums.zeros(2, 3)
    cell, column = np.array([0, 1, 1]), np.array([0, 0, 2])
    sums.put(cell, column, np.array([1e300, -3.5, -1e-300]))
    places, digits = sums.state()
    read = ExactSums.of_state(places, digits, 2)
    assert read is not None
    assert (read.integers() == sums.integers()).all()
    assert ExactSums.of_state(places, digits[:-1], 2) is None
    assert ExactSums.of_state(places[:, ::-1], digits, 2) is None
    assert ExactSums.of_state(places, np.where(np.arange(len(digits)) == 0, -1, digits), 2) is None
    one_wide = np.array([[0, PLACES], *([[PLACES, 0]] * 299)])
    assert ExactSums.of_state(one_wide, np.zeros(300 * PLACES, np.int64), 300) is None  # it would make all wide


def test_whole_numbers_are_made_of_the_sums_that_need_them_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    own = ExactSums.integers_at
    monkeypatch.setattr(ExactSums, "integers_at", lambda *at: asked.append(len(at[1])) or own(*at))
    values = DRAW.normal(size=(ROWS, 40))
    values[:, :20] = 0.1
    values[:, 20:30] = 0.0
    sums, _ = added(monkeypatch, 10**9, values, np.ones(ROWS))
    squares = sums.moments()[0][2]
    assert not squares[:, :30].any()
    assert (squares[:, 30:] > 0).all()
    assert sum(asked) == 3 * CELLS * 20
    assert not sums.impossible().any()
    assert sum(asked) == 2 * 3 * CELLS * 20


def test_means_of_huge_weights_are_finite(monkeypatch: pytest.MonkeyPatch) -> None:
    sums, _ = added(monkeypatch, 10**9, np.full((ROWS, 1), 1e200), np.full(ROWS, 1e300))
    (_, mean, squares, rest), exponent = sums.moments()
    assert (np.ldexp(mean + rest, exponent) == 1e200).all()
    assert not squares.any()


@pytest.mark.parametrize("spread", [1.0, 1e-3])
def test_what_is_forgotten_leaves_the_bits_of_a_fit_without_it(spread: float) -> None:
    values, y = 1e6 + spread * DRAW.normal(size=(300, 2)), DRAW.integers(0, 2, 300)
    values[:20] *= 1e12  # without these, almost nothing of the squares remains
    values[20:24] = [[-1e20, -1e20], [1e20, 1e20], [-1e20, 1e20], [1e20, -1e20]]
    y[20:24] = [0, 0, 1, 1]
    whole = crake.NaiveBayesClassifier().fit(values, y)
    model = whole.forget(values[:20], y[:20])
    expected = crake.NaiveBayesClassifier().fit(values[20:], y[20:])
    got, wanted = (m.statistics_.class_moments.moments for m in (model, expected))
    assert got.tobytes() == wanted.tobytes()


def test_rows_that_were_never_learned_are_not_forgotten() -> None:
    model = crake.NaiveBayesClassifier().fit(np.array([[1.0], [2.0], [3.0], [4.0]]), ["a", "a", "b", "b"])
    with pytest.raises(CrakeError, match="that were not learned"):
        model.forget(np.array([[1.5]]), ["a"]).forget(np.array([[1.5]]), ["a"])


def stored(X: NDArray[Any], y: NDArray[Any], tmp_path: Any) -> bytes:
    path = tmp_path / "model.crake"
    crake.save(crake.NaiveBayesClassifier().fit(X, y), path)
    return bytes(path.read_bytes())


@pytest.mark.parametrize("change", [lambda order: order[::-1], DRAW.permutation], ids=["backwards", "shuffled"])
def test_model_files_do_not_depend_on_the_order_of_rows(change: Callable[[Any], Any], tmp_path: Any) -> None:
    X, y = VALUES["of all sizes"][:400], np.where(DRAW.random(400) < 0.5, "no", "yes")
    order = change(np.arange(400))
    y[0] = y[order[0]] = "no"  # levels are in the order of the classes, not of the rows
    assert stored(X, y, tmp_path) == stored(X[order], y[order], tmp_path)


def test_totals_are_those_of_all_rows_added_so_far() -> None:
    table = crake.read(pa.table({"x": [1.0, 2.0, 4.0, 9.0], "y": ["a", "b", "a", "b"]}), "y")
    (batch,) = table.batches()
    moments = ClassMoments.empty(table.schema, groups=2)
    for group, weights in ((0, [1.0, 1.0]), (1, [2.0, 2.0])):
        moments.add(batch, np.full(4, group, np.int32))
        assert (moments.total().weight == 2 * np.array(weights)[:, None]).all()
        in_one_unit, _ = moments.in_one_unit()
        assert in_one_unit[0].sum() == 4 * (group + 1)
    np.testing.assert_array_equal(moments.without(0).moments, moments.select(1).moments)


def test_models_of_one_fold_share_its_rounded_moments() -> None:
    table = crake.read(pa.table({"x": [1.0, 2.0, 4.0, 9.0], "y": ["a", "b", "a", "b"]}), "y")
    (batch,) = table.batches()
    moments = ClassMoments.empty(table.schema).add(batch, np.zeros(4, np.int32))
    assert moments.in_one_unit()[0] is moments.in_one_unit()[0]
