"""Ranks of columns are those of NumPy's distinct values, whatever the bits of the numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from crake.kernels.tree.sorting import ranks_by_row

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
NEAR = st.integers(0, 100).map(lambda k: 1.0 + k * 2.0**-52)


def plain(column: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.unique(column, return_inverse=True)[1]


@given(st.lists(st.one_of(NUMBERS, NEAR, st.sampled_from([0.0, -0.0, 1.0, 5e-324, 1e308])), max_size=60))
def test_ranks_are_those_of_distinct_values(numbers: list[float]) -> None:
    column = np.array(numbers, np.float64)
    assert ranks_by_row(column.reshape(-1, 1))[0].tolist() == plain(column).tolist()


@pytest.mark.parametrize("far", [0.0, 1e300, -1e300])
def test_many_numbers_that_only_their_last_bits_tell_apart(far: float) -> None:
    generator = np.random.default_rng(1)
    near = 1.0 + generator.permutation(3000) * 2.0**-52
    column = np.concatenate([[far], near, near[:10]])
    matrix = np.column_stack([column, np.round(near.mean() + generator.normal(size=len(column)), 1)])
    ranks = ranks_by_row(matrix)
    assert [ranks[j].tolist() for j in (0, 1)] == [plain(matrix[:, j]).tolist() for j in (0, 1)]
    assert np.array_equal(ranks_by_row(np.asfortranarray(matrix)), ranks)
    assert matrix[0, 0] == far
