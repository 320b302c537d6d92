"""The dense ranks of a column, in 16 bytes per row beside the ranks themselves.

A key is a double whose bits are in the order of numbers, less the least one. Words with the upper half of a key above
the number of its row are sorted. The lower half waits where the rank of the row will be: it is looked at only where
upper halves are equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel
from crake.kernels.tree.sampled.node_keys import Ranks
from crake.kernels.typed_constants import ONE, ZERO

Words = NDArray[np.uint64]

BITS, DIGITS = 11, 2048
"""A pass looks at 11 bits: its counts, and the lines of memory it writes to, stay in the cache."""
HALF = 32
LOW_HALF = np.uint64((1 << HALF) - 1)
SIGN = np.uint64(1 << 63)
FAR = 32
"""Places that a row may be from its own after sorting by upper halves, to be brought there by insertion."""
LOWER, UPPER = ZERO, ONE
"""The half of a key that is sorted by."""


@kernel
def _in_order(bits: Any) -> Any:
    """Return the bits of a double so that larger numbers have larger ones; −0.0 is 0.0."""
    if bits == SIGN:
        return SIGN
    return ~bits if bits & SIGN else bits | SIGN


@kernel
def _sort_by(half: int, words: Words, other: Words, lower: Ranks, counts: Ranks) -> bool:
    """Sort by one half of the keys, stably; True: the result is in `other`. A pass in which all agree is left out."""
    n, moved, low = words.shape[0], False, np.uint64(DIGITS - 1)
    for first in range(0, HALF, BITS):
        shift = np.uint64(first if half == LOWER else first + HALF)
        counts[:] = 0
        for i in range(n):
            key = np.uint64(lower[words[i] & LOW_HALF]) if half == LOWER else words[i]
            counts[(key >> shift) & low] += np.uint32(1)
        next_place, is_same = np.uint32(0), False
        for digit in range(DIGITS):
            here = counts[digit]
            is_same |= here == n
            counts[digit] = next_place
            next_place = np.uint32(next_place + here)
        if is_same:
            continue
        for i in range(n):
            word = words[i]
            key = np.uint64(lower[word & LOW_HALF]) if half == LOWER else word
            own = (key >> shift) & low
            place = counts[own]
            counts[own] = np.uint32(place + np.uint32(1))
            other[place] = word
        words, other, moved = other, words, not moved
    return moved


@kernel
def _settle(words: Words, lower: Ranks) -> bool:
    """Sort by lower halves, by insertion, where upper halves are equal; False: that is too much."""
    half = np.uint64(HALF)
    for i in range(1, words.shape[0]):
        word = words[i]
        if word >> half != words[i - 1] >> half:
            continue
        own, to = lower[word & LOW_HALF], i
        while to > 0 and words[to - 1] >> half == word >> half and lower[words[to - 1] & LOW_HALF] > own:
            words[to] = words[to - 1]
            to -= 1
        words[to] = word
        if i - to > FAR:
            return False
    return True


@kernel
def rank_column(words: Words, other: Words, ranks: Ranks) -> None:
    """Fill the ranks of a column; `words` are the bits of its numbers, and are used up like `other`."""
    n, half = words.shape[0], np.uint64(HALF)
    least, most = ~np.uint64(0), np.uint64(0)
    for i in range(n):
        key = _in_order(words[i])
        least, most = min(least, key), max(most, key)
    down, any_lower = np.uint64(0), np.uint64(0)
    while n > 0 and ((most - least) >> down) > LOW_HALF:
        down += np.uint64(1)
    low = (np.uint64(1) << down) - np.uint64(1)
    for i in range(n):
        key = _in_order(words[i]) - least
        ranks[i] = key & low  # until the rank of the row is known
        any_lower |= key & low
        words[i] = (key >> down) << half | np.uint64(i)
    counts = np.empty(DIGITS, np.uint32)
    if _sort_by(UPPER, words, other, ranks, counts):
        words, other = other, words
    if any_lower > 0 and not _settle(words, ranks):
        for each in (LOWER, UPPER):
            if _sort_by(each, words, other, ranks, counts):
                words, other = other, words
    rank, before, before_lower = np.uint32(0), np.uint64(0), np.uint32(0)
    for i in range(n):
        upper, row = words[i] >> half, words[i] & LOW_HALF
        own = ranks[row]
        if i > 0 and (upper != before or own != before_lower):
            rank += np.uint32(1)
        ranks[row], before, before_lower = rank, upper, own
