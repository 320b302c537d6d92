"""exp and log of many numbers at once: loops of which the compiler makes vector instructions.

It cannot do so with those of the C library. And they are the same on all machines.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels import kernel

LEAST = -708.0
"""Below it exp is taken for 0: 3e-308."""
LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
"""log 2 in two parts: products of the first with whole numbers to 2^20 are exact."""
WHOLE = 1.5 * 2.0**52
"""A number that is added and taken away again to round to a whole number, which is then in its last bits."""
HALF_OCTAVE = 0.41421356237309503
"""√2 − 1"""
LN2 = 0.6931471805599453


@kernel
def exp(x: Floats, rows: int, room: Floats, bits: NDArray[np.int64], out: Floats) -> None:
    """out[r] = exp(x[r]) for x ≤ 0, to the last digit or two; `bits` is the memory of `room` as whole numbers.

    exp(x) = 2^n·exp(y), n the whole number next to x/log 2; y is at most 0.35, and 13 terms of exp(y) = 1 + y + y²/2 +
    y³/6 + … are enough.
    """
    for r in range(rows):
        room[r] = max(x[r], LEAST) * LOG2_E + WHOLE
    for r in range(rows):
        n = room[r] - WHOLE
        y = (max(x[r], LEAST) - n * LN2_HIGH) - n * LN2_LOW
        series = 1.0 / 6227020800.0
        series = series * y + 1.0 / 479001600.0
        series = series * y + 1.0 / 39916800.0
        series = series * y + 1.0 / 3628800.0
        series = series * y + 1.0 / 362880.0
        series = series * y + 1.0 / 40320.0
        series = series * y + 1.0 / 5040.0
        series = series * y + 1.0 / 720.0
        series = series * y + 1.0 / 120.0
        series = series * y + 1.0 / 24.0
        series = series * y + 1.0 / 6.0
        series = series * y + 0.5
        out[r] = 0.0 if x[r] < LEAST else 1.0 + (y + y * y * series)
    for r in range(rows):
        bits[r] = (bits[r] + 1023) << 52  # 2^n
    for r in range(rows):
        out[r] *= room[r]


@kernel
def log1p(e: Floats, rows: int, out: Floats) -> None:
    """out[r] = log(1 + e[r]) for 0 ≤ e ≤ 1, to the last digit or two.

    log(1 + e) = 2·artanh(s), s = e/(e + 2); above √2 − 1 it is log 2 + 2·artanh(s), s = (e − 1)/(e + 3). So s² is at
    most 0.03, and ten terms of the series artanh(s) = s + s³/3 + s⁵/5 + … are enough.
    """
    for r in range(rows):
        x = e[r]
        is_large = x > HALF_OCTAVE
        # Python's division asks whether the divisor is 0, and NumPy's does not.
        s = np.true_divide(x - 1.0 if is_large else x, x + (3.0 if is_large else 2.0))
        z = s * s
        series = 2.0 / 19.0
        series = series * z + 2.0 / 17.0
        series = series * z + 2.0 / 15.0
        series = series * z + 2.0 / 13.0
        series = series * z + 2.0 / 11.0
        series = series * z + 2.0 / 9.0
        series = series * z + 2.0 / 7.0
        series = series * z + 2.0 / 5.0
        series = series * z + 2.0 / 3.0
        out[r] = (LN2 if is_large else 0.0) + (2.0 * s + s * (series * z))
