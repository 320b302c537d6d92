"""Predictions as lines of text: probabilities with six significant digits, then the name of the class."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crake.kernels.interpreted import interpreted

DIGITS = 6
"""Significant digits of a probability: as many as `{p:.6g}` shows."""
LONGEST = 13
"""Bytes of the longest probability, 1.23457e-300, and the comma after it."""

_UNIT = 10 ** (DIGITS - 1)
_POWERS = np.array([10.0**k for k in range(309)])
_ZERO, _POINT, _COMMA, _E, _MINUS = 48, 46, 44, 101, 45


@interpreted(lambda *_: 8)
def write_probability(p: float, out: NDArray[np.uint8], at: int) -> int:
    """Write p (0 … 1) at out[at]; where the next byte goes.

    p = m · 10^(e − 5) with six digits m; 0.000123 is the smallest that is written without an exponent.
    """
    if not p > 0.0:
        out[at] = _ZERO
        return at + 1
    e = math.floor(math.log10(p))
    scale = DIGITS - 1 - e
    m = round(p * _POWERS[scale]) if scale <= 308 else round(p * _POWERS[300] * _POWERS[min(scale - 300, 308)])
    if m >= 10 * _UNIT:  # 0.9999996 is 1; or log10 was a rounding too low
        m = round(m / 10)
        e += 1
    elif m < _UNIT:  # log10 was a rounding too high
        m *= 10
        e -= 1
    digits = DIGITS
    while digits > 1 and m % 10 == 0:
        m //= 10
        digits -= 1
    if e >= 0:
        out[at] = _ZERO + 1
        return at + 1
    if e >= -4:
        out[at], out[at + 1] = _ZERO, _POINT
        at += 2
        for _ in range(-e - 1):
            out[at] = _ZERO
            at += 1
        for k in range(digits - 1, -1, -1):
            out[at + k] = _ZERO + m % 10
            m //= 10
        return at + digits
    width = digits + 1 if digits > 1 else 1
    for k in range(width - 1, -1, -1):
        if k == 1:
            out[at + 1] = _POINT
        else:
            out[at + k] = _ZERO + m % 10
            m //= 10
    at += width
    out[at], out[at + 1] = _E, _MINUS
    at += 2
    e = -e
    if e >= 100:
        out[at] = _ZERO + e // 100
        at += 1
    out[at], out[at + 1] = _ZERO + e // 10 % 10, _ZERO + e % 10
    return at + 2


@interpreted(lambda before, *_: before.size)
def write_predictions(
    before: NDArray[np.uint8],
    starts: NDArray[np.int32],
    probabilities: NDArray[np.float64],
    answers: NDArray[np.int32],
    names: NDArray[np.uint8],
    name_starts: NDArray[np.int64],
    out: NDArray[np.uint8],
) -> int:
    """Write one line per row: its text `before[starts[i] : starts[i + 1]]`, each probability and a comma, the class.

    `names` holds the classes one after the other, each with its line end; `answers` the code of each row's class.
    How many bytes were written.
    """
    rows, K = probabilities.shape
    at = 0
    for i in range(rows):
        for k in range(starts[i], starts[i + 1]):
            out[at] = before[k]
            at += 1
        for c in range(K):
            at = write_probability(probabilities[i, c], out, at)
            out[at] = _COMMA
            at += 1
        for k in range(name_starts[answers[i]], name_starts[answers[i] + 1]):
            out[at] = names[k]
            at += 1
    return at
