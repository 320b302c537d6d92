"""Numbers of two floats: a rounded result and the rest of it, some 106 binary digits together (Dekker, 1971)."""

from __future__ import annotations

from crake.arrays import Floats


def product_of(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the rounded product and its error."""
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def sum_of(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the rounded sum and its error, where |a| ≥ |b|."""
    total = a + b
    return total, b - (total - a)


def any_sum_of(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the rounded sum and its error, whichever is larger (Knuth)."""
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


def times(a: Floats, a_rest: Floats, b: Floats, b_rest: Floats) -> tuple[Floats, Floats]:
    """Return the product of two numbers of two floats each."""
    product, error = product_of(a, b)
    return sum_of(product, error + (a * b_rest + a_rest * b))


def quotient(a: Floats, a_rest: Floats, b: Floats, b_rest: Floats) -> tuple[Floats, Floats]:
    """Return the quotient of two numbers of two floats each."""
    first = a / b
    product, error = product_of(first, b)
    remaining = (((a - product) - error) + a_rest) - first * b_rest
    return sum_of(first, remaining / b)


def _split(a: Floats) -> tuple[Floats, Floats]:
    s = 134217729.0 * a  # 2^27 + 1
    high = s - (s - a)
    return high, a - high
