"""Weights on a grid: whatever their order, sums of them and of their parts are exact."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crake.kernels.grid import part_of
from crake.learners.tree.growing.weight_grid import anchor_of, on_grid, with_exact_sums

WEIGHTS = st.lists(st.floats(1e-3, 1e3) | st.floats(0, 1) | st.just(0.1), min_size=1, max_size=60)


def step_of(weights: list[float]) -> Fraction:
    """Return the step of the grid by whole numbers alone."""
    total, power = sum(map(Fraction, weights)), Fraction(1, 2**2000)
    while power <= total:
        power *= 2
    return power / 2**51


@given(WEIGHTS)
def test_weights_are_the_nearest_multiples_of_a_step(weights: list[float]) -> None:
    found, step = with_exact_sums(np.array(weights)), step_of(weights)
    for weight, rounded in zip(weights, found.tolist(), strict=True):
        nearest = round(Fraction(weight) / step) * step
        assert Fraction(rounded) == (nearest or (step if weight else 0))


@given(WEIGHTS, st.integers(0, 2**32 - 1))
def test_sums_of_weights_and_their_parts_are_exact(weights: list[float], seed: int) -> None:
    generator, found = np.random.default_rng(seed), with_exact_sums(np.array(weights))
    anchor = anchor_of(float(found.sum()))
    shares = generator.random(len(found))
    parts = [part_of.py_func(weight, share, anchor) for weight, share in zip(found, shares, strict=True)]  # type: ignore[attr-defined]
    for numbers in (found, np.array(parts)):
        exact = sum(map(Fraction, numbers.tolist()))
        assert Fraction(float(numbers.sum())) == exact
        backward = 0.0
        for number in numbers[generator.permutation(len(numbers))].tolist():
            backward += number
        assert Fraction(backward) == exact


def test_whole_numbers_stay() -> None:
    for weights in (np.arange(100.0), np.array([2.0**49, 1.0, 3.0]), np.full(7, 1e9)):
        assert with_exact_sums(weights).tolist() == weights.tolist()


def test_the_weights_given_stay_as_they_are() -> None:
    weights = np.array([0.1, 0.7])
    with_exact_sums(weights)
    assert weights.tolist() == [0.1, 0.7]


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e30])
def test_no_row_vanishes(scale: float) -> None:
    weights = np.array([1.0, 1e-25, 0.0]) * scale
    found = with_exact_sums(weights)
    assert (found > 0).tolist() == (weights > 0).tolist()
    np.testing.assert_allclose(found[0], weights[0], rtol=1e-15)
    anchor = anchor_of(float(found.sum()))
    assert part_of.py_func(found[0], 1e-25, anchor) > 0.0  # type: ignore[attr-defined]
    assert part_of.py_func(found[0], 0.0, anchor) == 0.0  # type: ignore[attr-defined]


def test_without_a_grid_nothing_is_rounded() -> None:
    assert on_grid(np.array([0.1, -1e-300]), 0.0).tolist() == [0.1, -1e-300]
    assert part_of.py_func(-0.3, 0.5, 0.0) == -0.15  # type: ignore[attr-defined]
