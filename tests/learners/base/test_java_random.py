"""The generator of java.util.Random against numbers that Java prints and against single steps."""

from __future__ import annotations

import numpy as np
import pytest

from crake.learners.base.weka.java_random import FACTOR, MASK, STEP, JavaRandom


def states(seed: int, number: int) -> list[int]:
    state = (seed ^ FACTOR) & MASK
    return [state := (state * FACTOR + STEP) & MASK for _ in range(number)]


def test_numbers_that_java_prints() -> None:
    """new Random(42): nextInt() twice, and nextDouble()."""
    assert JavaRandom(42).integers(2).tolist() == [-1170105035, 234785527]
    assert JavaRandom(42).reals(1).tolist() == [0.7275636800328681]


@pytest.mark.parametrize("seed", [0, 1, -7, 2**31 - 1])
def test_arrays_are_single_steps(seed: int) -> None:
    generator = JavaRandom(seed)
    first, second = generator.integers(3), generator.integers(4)
    expected = [(s >> 16) - (1 << 32 if s >> 47 else 0) for s in states(seed, 7)]
    assert [*first.tolist(), *second.tolist()] == expected


def test_numbers_beyond_the_last_whole_run_are_drawn_again() -> None:
    """The generator draws nearly half of the 31-bit numbers again for a bound just above 2^30."""
    bound, found = 2**30 + 1, []
    for state in states(5, 60):
        v = state >> 17
        if v - v % bound + bound - 1 < 2**31:
            found.append(v % bound)
    assert 20 < len(found) < 50
    assert JavaRandom(5).below(np.full(len(found), bound)).tolist() == found


def test_a_sample_by_weight_has_the_shares_of_the_weights() -> None:
    weights = np.array([1.0, 0.0, 5.0, 2.0, 2.0])
    rows = JavaRandom(3).sample(weights, 20_000)
    assert np.bincount(rows, minlength=5) / 20_000 == pytest.approx(weights / 10, abs=0.015)


def test_equal_weights_sample_by_the_place_alone() -> None:
    places = (7 * JavaRandom(9).reals(50)).astype(int)
    assert JavaRandom(9).sample(np.full(7, 2.0), 50).tolist() == places.tolist()
