"""The cells of one column: as numbers, or as codes of their distinct texts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.kernels.csv.decimal import nearest_double
from crake.kernels.interpreted import interpreted

NUMBER, MISSING, OTHER, LEADING_ZERO, INEXACT, INFINITE = range(6)
"""Kinds of cells, read as numbers; INEXACT is an integer beyond 2^53."""

_PLUS, _MINUS, _POINT, _ZERO, _NINE, _LETTER_E, _LETTER_I = 43, 45, 46, 48, 57, 101, 105
_LOWER = 32
_INFINITY = np.frombuffer(b"infinity", np.uint8).copy()
_MOST_EXPONENT = 100_000


class TokenArrays(NamedTuple):
    """Texts that say a cell is missing: joined, where each ends, and leads[b] = 1 if any begins with the byte b."""

    tokens: NDArray[np.uint8]
    ends: NDArray[np.int64]
    leads: NDArray[np.uint8]


def _steps(_: NDArray[np.uint8], starts: NDArray[np.int32], lengths: NDArray[np.int32], *__: object) -> int:
    """Return the number of cells and of their bytes; parse_numbers takes the most steps per byte."""
    return starts.size + 3 * int(np.abs(lengths).sum())


@interpreted(_steps)
def parse_numbers(
    data: NDArray[np.uint8],
    starts: NDArray[np.int32],
    lengths: NDArray[np.int32],
    missing: TokenArrays,
    values: NDArray[np.float64],
    kinds: NDArray[np.uint8],
    tally: NDArray[np.int64],
    first: NDArray[np.int64],
    hard: NDArray[np.int64],
) -> int:
    """Read every cell as a decimal number; NaN where it is missing or none.

    kinds gets the kind of each cell; tally[k] counts those of kind k, first[k] is the row of the first of them
    (−1: none). A cell is missing if it is empty or among the tokens of `missing`.
    A number is [+-] digits [. digits] [e [+-] digits] with a digit before or after the point. The cells whose
    value takes exact arithmetic are listed in `hard`; their number is returned.
    """
    tokens, token_ends, leads = missing.tokens, missing.ends, missing.leads
    bits = values.view(np.uint64)
    ten, least_full = np.uint64(10), np.uint64(10**18)
    many = 0
    for row in range(starts.size):
        start, length = int(starts[row]), int(lengths[row])
        kind = OTHER
        values[row] = np.nan
        if length == 0:
            kind = MISSING
        elif length > 0 and leads[data[start]] == 1:
            token_start = 0
            for token in range(token_ends.size):
                size = token_ends[token] - token_start
                if size == length:
                    k = 0
                    while k < size and tokens[token_start + k] == data[start + k]:
                        k += 1
                    if k == size:
                        kind = MISSING
                token_start = int(token_ends[token])
        if kind == OTHER and length > 0:
            i, stop = start, start + length
            negative = data[i] == _MINUS
            if negative or data[i] == _PLUS:
                i += 1
            mantissa, exponent, digits, inexact = np.uint64(0), 0, 0, False
            whole = i
            while i < stop and _ZERO <= data[i] <= _NINE:
                if mantissa < least_full:
                    mantissa = mantissa * ten + np.uint64(data[i] - _ZERO)
                else:
                    exponent += 1
                    inexact = True
                i += 1
            digits = i - whole
            leading_zero = digits > 1 and data[whole] == _ZERO
            integer = True
            if i < stop and data[i] == _POINT:
                integer = False
                i += 1
                point = i
                while i < stop and _ZERO <= data[i] <= _NINE:
                    if mantissa < least_full and not inexact:
                        mantissa = mantissa * ten + np.uint64(data[i] - _ZERO)
                        exponent -= 1
                    elif data[i] != _ZERO:
                        inexact = True
                    i += 1
                digits += i - point
            if digits > 0 and i < stop and data[i] | _LOWER == _LETTER_E:
                integer = False
                i += 1
                down = i < stop and data[i] == _MINUS
                if i < stop and (down or data[i] == _PLUS):
                    i += 1
                power, exponent_start = 0, i
                while i < stop and _ZERO <= data[i] <= _NINE:
                    power = min(power * 10 + int(data[i]) - _ZERO, _MOST_EXPONENT)
                    i += 1
                exponent += -power if down else power
                if i == exponent_start:
                    digits = 0  # an e without digits
            if digits > 0 and i == stop:
                kind = NUMBER
                if leading_zero:
                    kind = LEADING_ZERO
                elif integer and (inexact or mantissa > np.uint64(1 << 53)):
                    kind = INEXACT
                if inexact or not nearest_double(mantissa, exponent, values, bits, row):
                    hard[many] = row
                    many += 1
                elif negative:
                    values[row] = -values[row]
            elif digits == 0 and i < stop and data[i] | _LOWER == _LETTER_I and (stop - i == 3 or stop - i == 8):
                k = 0
                while i + k < stop and data[i + k] | _LOWER == _INFINITY[k]:
                    k += 1
                if i + k == stop:
                    kind = INFINITE
        kinds[row] = kind
        tally[kind] += 1
        if first[kind] < 0:
            first[kind] = row
    return many


@interpreted(_steps)
def code_texts(
    data: NDArray[np.uint8],
    starts: NDArray[np.int32],
    lengths: NDArray[np.int32],
    seed: np.uint64,
    codes: NDArray[np.int32],
    firsts: NDArray[np.int32],
) -> int:
    """Give every distinct text a code, in order of appearance; firsts[code] is its first row.

    A hash table with open addressing, at most half full. `seed` (odd, random) keeps a file from being made
    of texts that all fall into one slot.
    """
    size = 16
    while size < 2 * starts.size:
        size *= 2
    slots = np.full(size, -1, np.int32)
    hashes = np.empty(starts.size, np.uint64)
    mask = np.uint64(size - 1)
    distinct = 0
    for row in range(starts.size):
        start, length = np.int64(starts[row]), np.int64(lengths[row])
        size_in_bytes = -1 - length if length < 0 else length
        mixed = seed ^ np.uint64(length)
        for i in range(start, start + size_in_bytes):
            mixed = (mixed ^ np.uint64(data[i])) * seed
            mixed ^= mixed >> np.uint64(29)
        slot = np.int64((mixed ^ (mixed >> np.uint64(32))) & mask)
        while True:
            code = slots[slot]
            if code < 0:
                slots[slot] = code = distinct
                hashes[distinct] = mixed
                firsts[distinct] = row
                distinct += 1
                break
            if hashes[code] == mixed and lengths[firsts[code]] == length:
                other, k = np.int64(starts[firsts[code]]), 0
                while k < size_in_bytes and data[other + k] == data[start + k]:
                    k += 1
                if k == size_in_bytes:
                    break
            slot = (slot + 1) & np.int64(mask)
        codes[row] = code
    return distinct
