"""Sums of terms on grids: those of Python's fractions, whatever the order of the rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from crake.kernels.linear.rounded_sums import (
    FINER,
    ROUNDING,
    Scales,
    add_gradient,
    add_rounded_products,
    add_split_terms,
    padded,
)


def on_grid(term: float, bound: float) -> Fraction:
    """Return the term rounded to multiples of 2^-51 of a bound; of two that are as near the even one."""
    unit = Fraction(bound) / 2**51
    return round(Fraction(term) / unit) * unit


def split(term: float, bound: float) -> tuple[Fraction, Fraction]:
    high = on_grid(term, bound)
    return high, on_grid(float(Fraction(term) - high), bound * FINER)


def of_terms(terms: list[float], bound: float) -> list[float]:
    return [float(sum(parts)) for parts in zip(*(split(term, bound) for term in [0.0, *terms]), strict=True)]


def made(rows: int, levels: list[int], numbers: int, seed: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Return numbers and a 1, the places of the levels, and the number of terms."""
    rng = np.random.default_rng(seed)
    dense = np.column_stack(
        [rng.normal(size=(rows, numbers)) * 10.0 ** rng.integers(-9, 3, (rows, numbers)), np.ones(rows)]
    )
    first = numbers + 1 + np.cumsum([0, *levels])
    places = [start + rng.integers(0, count, rows) for start, count in zip(first, levels, strict=False)]
    return dense, np.array(places, np.uint32).reshape(len(levels), rows), int(first[-1])


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 33])
def test_terms_one_by_one(rows: int) -> None:
    rng = np.random.default_rng(rows)
    terms = np.append(rng.normal(size=rows) * 10.0 ** rng.integers(-25, 1, rows), [2.5 * 2.0**-46, 0.5, -0.0])
    out, bound = np.zeros(2), 64.0
    add_split_terms(terms, len(terms), ROUNDING * bound, out)
    assert out.tolist() == of_terms(terms.tolist(), bound)
    again = np.zeros(2)
    add_split_terms(rng.permutation(terms), len(terms), ROUNDING * bound, again)
    assert again.tolist() == out.tolist()


@pytest.mark.parametrize("rows", [1, 4, 30])
def test_a_gradient(rows: int) -> None:
    dense, place, terms = made(rows, [3, 2], 3, rows)
    residual, bound = np.random.default_rng(1).normal(size=rows), 2.0**14
    out = np.zeros((terms + 1, 2))
    add_gradient(dense, 4, place, 0, residual, rows, ROUNDING * bound, out)
    for j in range(4):
        assert out[j].tolist() == of_terms((residual * dense[:, j]).tolist(), bound)
    for m in range(4, terms):
        assert out[m].tolist() == of_terms(residual[(place == m).any(axis=0)].tolist(), bound)


def lines(dense: np.ndarray) -> np.ndarray:
    """Return rows filled up with zeros as the kernel wants them."""
    filled = np.zeros((len(dense), padded(dense.shape[1])))
    filled[:, : dense.shape[1]] = dense
    return filled


@pytest.mark.parametrize("numbers", [0, 3, 13])
@pytest.mark.parametrize("levels", [[], [3], [3, 2, 2], [2, 3, 1, 2, 2]])
@pytest.mark.parametrize("rows", [3, 8, 31])
def test_products(rows: int, levels: list[int], numbers: int) -> None:
    dense, place, terms = made(rows, levels, numbers, rows)
    width, v = numbers + 1, np.random.default_rng(2).random(rows)
    scales = Scales(2.0 ** (6 + np.arange(width) % 7), 2.0 ** (12 - np.arange(width) % 6))
    out = np.zeros((terms + 1, terms + 1))
    # In two parts, one of which begins within the places.
    for start, stop in ((0, rows // 3), (rows // 3, rows)):
        part, room = lines(dense[start:stop]), np.empty((rows, width))
        add_rounded_products(part, place, start, v[start:stop].copy(), stop - start, scales, room, out)
    written = np.column_stack([dense, (place[:, :, None] == np.arange(width, terms)).any(axis=0)])
    for i in range(terms):
        for j in range(i + 1):
            bound = scales.line[min(i, numbers)] * scales.column[min(j, numbers)]
            products = (v * written[:, i]) * written[:, j] if i < width else (v * written[:, j]) * written[:, i]
            assert out[i, j] == float(sum(on_grid(term, bound) for term in products.tolist() if term)), (i, j)


def test_products_of_rows_in_any_order() -> None:
    dense, place, terms = made(50, [4, 3], 5, 1)
    v, scales, found = np.random.default_rng(3).random(50), Scales(np.full(6, 2.0**10), np.full(6, 2.0**10)), set()
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(50)
        out = np.zeros((terms + 1, terms + 1))
        shuffled = lines(dense[order]), np.ascontiguousarray(place[:, order])
        add_rounded_products(*shuffled, 0, v[order], 50, scales, np.empty((50, 6)), out)
        found.add(out.tobytes())
    assert len(found) == 1
