"""Cross-products about the means, Σ w·a·b − Σ w·a · Σ w·b / Σ w, from exact sums, to twice the digits of a float."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints, Longs
from crake.statistics.double_double import any_sum_of, quotient, times
from crake.statistics.exact_sums import BITS, ONE
from crake.statistics.products.exact_products import ExactProducts

CANCELLED = 2.0**-12
"""Below this share of the sum of squares the centred ones of a column are computed in whole numbers."""
DIGITS = 120
"""Binary digits of a quotient of whole numbers, before it becomes two floats."""
CELLS = 1 << 20
"""Products that are centred together."""


@dataclass(frozen=True, eq=False)
class CentredProducts:
    """Sums of one group for its columns but the 1, column j measured in 2^exponent[j].

    `products` (2, columns, columns) are two floats each: about the means, or about 0 if asked. `means` (2, columns),
    too. `squares` are those about 0. The exponents bring the products of each column with itself near 1.
    """

    weight: float
    exponent: Ints
    means: Floats
    products: Floats
    squares: Floats


def centred_products(exact: ExactProducts, *, about_means: bool = True) -> CentredProducts:
    """Return the products of one group of rows."""
    count, one = exact.columns - 1, exact.columns - 1
    each = np.arange(count)
    (n,) = exact.integers(np.array([one]), np.array([one])).tolist()
    if n == 0:
        nothing = np.zeros((2, count, count))
        return CentredProducts(0.0, np.zeros(count, np.int32), nothing[:, 0], nothing, np.zeros(count))
    s, q = exact.integers(each, np.full(count, one)), exact.integers(each, each)
    own = n * q - s * s if about_means else n * q
    unit = np.array([_half(c or n * a, n) for c, a in zip(own.tolist(), q.tolist(), strict=True)], np.int64)
    with_one = np.append(unit, _half(n * n, n))
    high, rest = exact.doubles(with_one)
    squares = np.diagonal(high)[:-1].copy()
    total = high[-1, -1], rest[-1, -1]
    means = np.stack(quotient(high[:-1, -1], rest[:-1, -1], *total))
    products = np.stack([high[:-1, :-1], rest[:-1, :-1]])
    if about_means:
        _centre(products, (high[:-1, -1], rest[:-1, -1]), means)
        is_cancelled = np.diagonal(products[0]) < CANCELLED * squares
        for j in np.flatnonzero(is_cancelled).tolist():
            top = n * exact.integers(np.full(count, j), each) - int(s[j]) * s
            products[:, j] = products[:, :, j] = _ratios(top, n, unit + unit[j])
    means = np.ldexp(means, -int(with_one[-1]))
    return CentredProducts(n / (1 << BITS * ONE), unit.astype(np.int32), means, products, squares)


def _half(top: int, n: int) -> int:
    """Return half the exponent of top / n, for numbers in units of 2^(−32·ONE) that are products of such."""
    return (top.bit_length() - n.bit_length() - BITS * ONE + 1) // 2 if top else 0


def _centre(products: Floats, sums: tuple[Floats, Floats], means: Floats) -> None:
    """Take sum · mean from each product, in place, some lines at a time."""
    step = max(1, CELLS // max(1, products.shape[1]))
    for start in range(0, products.shape[1], step):
        own = slice(start, start + step)
        taken, taken_rest = times(sums[0][own, None], sums[1][own, None], means[0], means[1])
        total, error = any_sum_of(products[0, own], -taken)
        products[0, own], products[1, own] = any_sum_of(total, error + (products[1, own] - taken_rest))


def _ratios(top: NDArray[Any], n: int, exponent: Longs) -> Floats:
    """Return top / n / 2^exponent as two floats each; `top` is in units of 2^(−64·ONE), n of 2^(−32·ONE)."""
    found = np.zeros((2, len(top)))
    for at, (value, power) in enumerate(zip(top.tolist(), exponent.tolist(), strict=True)):
        shift = DIGITS + n.bit_length() - abs(value).bit_length()
        whole = (value << shift) // n if shift >= 0 else value // (n << -shift)
        high = float(whole)
        found[0, at] = np.ldexp(high, -shift - BITS * ONE - power)
        found[1, at] = np.ldexp(float(whole - int(high)), -shift - BITS * ONE - power)
    return found
