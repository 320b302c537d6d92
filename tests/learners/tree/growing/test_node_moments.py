"""Means and squared errors of nodes: exact sums, rounded once, in any order of the rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crake.arrays import Floats
from crake.kernels.tree.arrays import MOMENTS, LevelArrays
from crake.kernels.tree.variance_splits import node_moments
from crake.learners.tree.growing.weight_grid import with_exact_sums

NUMBERS = st.lists(
    st.floats(-1e6, 1e6).map(lambda x: x or 0.0) | st.integers(-9, 9).map(float) | st.floats(1e9, 1e9 + 1),
    min_size=2,
    max_size=40,
)


def moments_of(y: Floats, weights: Floats) -> tuple[np.ndarray, Floats]:
    """Return the moments of one node with all rows, and the deviations."""
    rows = np.arange(len(y), dtype=np.int32)
    begin, size = np.zeros(1, np.int64), np.array([len(y)])
    level = LevelArrays(rows, rows, np.zeros(len(y), np.uint8), weights, begin, size)
    moments, deviation = np.zeros(1, MOMENTS), np.zeros(len(y))
    node_moments(level, y, moments, deviation)
    return moments[0], deviation


def plain(y: Floats, weights: Floats) -> tuple[Fraction, Fraction]:
    """Return the mean and the squared error by fractions."""
    whole = list(map(Fraction, weights.tolist())) if len(weights) else [Fraction(1)] * len(y)
    numbers = list(map(Fraction, y.tolist()))
    mean = sum(w * x for w, x in zip(whole, numbers, strict=True)) / sum(whole)
    return mean, sum((w * (x - mean) ** 2 for w, x in zip(whole, numbers, strict=True)), Fraction(0))


@settings(max_examples=40)
@given(NUMBERS, st.booleans(), st.integers(0, 2**32 - 1))
def test_moments_are_those_of_fractions_in_any_order(numbers: list[float], is_weighted: bool, seed: int) -> None:
    draw, y = np.random.default_rng(seed), np.array(numbers)
    weights = with_exact_sums(draw.random(len(y)) + 0.01) if is_weighted else np.zeros(0)
    found, deviation = moments_of(y, weights)
    mean, squares = plain(y, weights)
    spread = float(y.max() - y.min())
    assert abs(Fraction(float(found["mean"])) - mean) <= Fraction(2e-16) * Fraction(spread + abs(float(mean)))
    tolerance = 1e-13 * float(squares) + 1e-30 * float(np.abs(y).max()) ** 2 * len(y)
    assert abs(float(found["squares"]) - float(squares)) <= tolerance
    assert Fraction(float(found["summed"])) == (sum(map(Fraction, deviation.tolist())) if y.max() > y.min() else 0)
    order = draw.permutation(len(y))
    again, _ = moments_of(y[order], weights[order] if is_weighted else weights)
    assert again == found
