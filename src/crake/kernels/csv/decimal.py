"""The double nearest to m · 10^q, as Python's float() would find it.

Small numbers take Clinger's path: m ≤ 2^53 and |q| ≤ 22 are both doubles, so one multiplication or division rounds
once, correctly. The others take the way of Eisel and Lemire: m times a 128-bit approximation of 5^q, whose
leading bits are those of the answer unless the approximation's error could reach the rounding. Clinger
(1990), How to read floating point numbers accurately; Lemire (2021), Number parsing at a gigabyte a second.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels.interpreted import interpreted

LEAST, GREATEST = -342, 308
"""Beyond these q every m below 2^64 is 0 or infinite."""


def _five_to_the(q: int) -> int:
    """Return the leading 128 bits of 5^q: cut off, but rounded up for −27 ≤ q < 0, where a product can be exact."""
    if q >= 0:
        power = int(5**q)
        shift = power.bit_length() - 128
        return power >> shift if shift > 0 else power << -shift
    power = int(5**-q)
    return (1 << (power.bit_length() + 127)) // power + (1 if q >= -27 else 0)


def _table() -> NDArray[np.uint64]:
    powers = [_five_to_the(q) for q in range(LEAST, GREATEST + 1)]
    return np.array([(power >> 64, power & (2**64 - 1)) for power in powers], np.uint64)


_FIVES = _table()
_TENS = np.array([10.0**q for q in range(23)])
_LOW = np.uint64(0xFFFFFFFF)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_HALF = np.uint64(32)
_ZERO, _ONE, _THREE = np.uint64(0), np.uint64(1), np.uint64(3)
_SPARE = np.uint64(0x1FF)  # the 9 bits below the 53 of the answer, the rounding bit and a leading 0
_IMPLICIT = np.uint64(1 << 52)
_LARGEST_EXACT = np.uint64(1 << 53)


@interpreted(lambda *_: 4)
def product(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the upper and lower 64 bits of a · b."""
    a_low, a_high, b_low, b_high = a & _LOW, a >> _HALF, b & _LOW, b >> _HALF
    low, cross, other, high = a_low * b_low, a_low * b_high, a_high * b_low, a_high * b_high
    middle = (low >> _HALF) + (cross & _LOW) + (other & _LOW)
    return (
        high + (cross >> _HALF) + (other >> _HALF) + (middle >> _HALF),
        (low & _LOW) | (middle << _HALF),
    )


@interpreted(lambda *_: 4)
def nearest_double(  # noqa: PLR0911
    m: np.uint64, q: int, value: NDArray[np.float64], bits: NDArray[np.uint64], i: int
) -> bool:
    """Write the double nearest to m · 10^q to value[i]; False if that takes exact arithmetic.

    `bits` is the memory of `value` seen as integers.
    """
    if m == _ZERO:
        value[i] = 0.0
        return True
    if m <= _LARGEST_EXACT and -22 <= q <= 22:
        value[i] = np.float64(m) / _TENS[-q] if q < 0 else np.float64(m) * _TENS[q]
        return True
    if q < LEAST or q > GREATEST:
        return False
    zeros = 0
    while m >> np.uint64(56) == _ZERO:
        m <<= np.uint64(8)
        zeros += 8
    while m >> np.uint64(63) == _ZERO:
        m <<= _ONE
        zeros += 1
    high, low = product(m, _FIVES[q - LEAST, 0])
    if high & _SPARE == _SPARE:
        carry, _ = product(m, _FIVES[q - LEAST, 1])
        low += carry
        if low < carry:
            high += _ONE
        if low == _ALL and not -27 <= q <= 55:
            return False
    top = high >> np.uint64(63)
    shift = top + np.uint64(9)
    mantissa = high >> shift
    exponent = ((217706 * q) >> 16) + 63 + 1023 + np.int64(top) - zeros
    if exponent <= 0:
        return False  # subnormal
    if low <= _ONE and -4 <= q <= 23 and mantissa & _THREE == _ONE and mantissa << shift == high:
        mantissa -= _ONE  # exactly between two doubles: to the even one
    mantissa = (mantissa + (mantissa & _ONE)) >> _ONE
    if mantissa >= _LARGEST_EXACT:
        mantissa = _IMPLICIT
        exponent += 1
    if exponent >= 2047:
        return False
    bits[i] = (mantissa & (_IMPLICIT - _ONE)) | (np.uint64(exponent) << np.uint64(52))
    return True
