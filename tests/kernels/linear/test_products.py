"""Cross-products of places: those of the columns of zeros and ones written out."""

from __future__ import annotations

import numpy as np
import pytest

from crake.kernels.linear.products import add_products


@pytest.mark.parametrize("levels", [[], [1], [3], [3, 2], [2, 3, 4], [5, 1, 2, 3], [2, 2, 2, 2, 2]])
@pytest.mark.parametrize("numbers", [0, 1, 5])
def test_as_written_out(levels: list[int], numbers: int) -> None:
    rng = np.random.default_rng(len(levels) + numbers)
    rows, start, P = 37, 3, numbers + 1 + sum(levels)
    dense = np.column_stack([rng.normal(size=(rows, numbers)), np.ones(rows)])
    place, written = np.empty((len(levels), start + rows), np.uint32), [dense]
    first = numbers + 1
    for j, count in enumerate(levels):
        code = rng.integers(-1, count, start + rows)  # −1: no coefficient
        place[j] = np.where(code >= 0, first + code, P)
        written.append(code[start:, None] == np.arange(count))
        first += count
    v, matrix = rng.random(rows), np.column_stack(written).astype(float)
    out = np.zeros((P + 1, P + 1))
    for _ in range(2):  # sums go on where they were
        add_products(np.ascontiguousarray(dense), place, start, v, rows, out)
    np.testing.assert_allclose(np.tril(out[:P, :P]), np.tril(2 * matrix.T @ (v[:, None] * matrix)), atol=1e-12)
