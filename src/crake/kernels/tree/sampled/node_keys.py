"""The rows of one node by one column, as keys in ascending order: rank of the value, copies and class of the row.

A key holds the rank in its high bits, below it `shift` bits with 2 · copies + class. So a sorted list of keys is all
that a scan reads. Only the ranks are sorted by: rows of one value may stand in any order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel

Ranks = NDArray[np.uint32]
Rows = NDArray[np.uint32]
"""Numbers of rows in the lower ROW_BITS bits, above them 2 · copies + class."""

ROW_BITS = 24
ROW = np.uint32((1 << ROW_BITS) - 1)

FEW = 32
"""Keys that are sorted by insertion."""
WIDEST = 10
"""Bits of a digit at most: the counts of all digits, and the lines of memory that are written to, stay in the cache."""
DIGITS = 1 << WIDEST


@kernel
def _sort_few(keys: Ranks, number: int) -> None:
    """Sort by insertion."""
    for i in range(1, number):
        key, to = keys[i], i
        while to > 0 and keys[to - 1] > key:
            keys[to] = keys[to - 1]
            to -= 1
        keys[to] = key


@kernel
def _sort_by_digits(keys: Ranks, other: Ranks, number: int, low: int, bits: int, counts: Ranks) -> bool:
    """Sort by the `bits` bits from `low` on, in passes of about log2(number) bits; True: the result is in `other`."""
    width = 5
    while (1 << width) <= number and width < WIDEST:
        width += 1
    passes = (bits + width - 1) // width
    width = (bits + passes - 1) // passes
    mask = np.uint32((1 << width) - 1)
    for step in range(passes):
        shift = np.uint32(low + step * width)
        for digit in range(1 << width):
            counts[digit] = 0
        for i in range(number):
            counts[(keys[i] >> shift) & mask] += np.uint32(1)
        next_place = np.uint32(0)
        for digit in range(1 << width):
            here = counts[digit]
            counts[digit] = next_place
            next_place = np.uint32(next_place + here)
        for i in range(number):
            key = keys[i]
            digit = (key >> shift) & mask
            place = counts[digit]
            counts[digit] = np.uint32(place + np.uint32(1))
            other[place] = key
        keys, other = other, keys
    return passes % 2 == 1


@kernel
def sorted_keys(
    ranks: Ranks, rows: Rows, first: int, last: int, shift: int, keys: Ranks, other: Ranks, counts: Ranks
) -> int:
    """Sort the keys of the rows from `first` to `last` − 1.

    Return 0 if they are in `keys`, 1 if in `other`, and −1 if all have one value: then nothing is sorted.
    """
    lowest, highest, up = np.uint32(0xFFFFFFFF), np.uint32(0), np.uint32(shift)
    for i in range(first, last):
        row = rows[i]
        rank = ranks[row & ROW]  # an index that might be negative would be asked about at every use
        lowest, highest = min(lowest, rank), max(highest, rank)
        keys[i - first] = (rank << up) | (row >> np.uint32(ROW_BITS))
    if lowest == highest:
        return -1
    number = last - first
    if number <= FEW:
        _sort_few(keys, number)
        return 0
    bits, differing = 1, lowest ^ highest  # higher bits are the same in all keys
    while (differing >> np.uint32(bits)) > 0:
        bits += 1
    return 1 if _sort_by_digits(keys, other, number, shift, bits, counts) else 0
