"""Counting families: the values of one column by the configurations of its parents, for many candidate parents."""

from __future__ import annotations

import numpy as np

from crake.arrays import Codes, Floats, Longs
from crake.kernels import kernel, readable, threads

THREADED = 2_000_000
"""Cells below which starting a second thread costs more than it saves: there is one call for each step of a search."""


@kernel
def _count_families(
    key: Longs,
    codes: Codes,
    candidates: Longs,
    levels: Longs,
    start: int,
    stop: int,
    weights: Floats,
    offsets: Longs,
    counts: Floats,
) -> None:
    """Take four candidates at a time: one sum need not wait for another."""
    at = start
    while at + 4 <= stop:
        a, b, c, d = (
            codes[candidates[at]],
            codes[candidates[at + 1]],
            codes[candidates[at + 2]],
            codes[candidates[at + 3]],
        )
        of_a, of_b, of_c, of_d = levels[at], levels[at + 1], levels[at + 2], levels[at + 3]
        to_a, to_b, to_c, to_d = offsets[at], offsets[at + 1], offsets[at + 2], offsets[at + 3]
        for i in range(key.shape[0]):
            k, w = key[i], weights[i]
            counts[to_a + k * of_a + a[i]] += w
            counts[to_b + k * of_b + b[i]] += w
            counts[to_c + k * of_c + c[i]] += w
            counts[to_d + k * of_d + d[i]] += w
        at += 4
    while at < stop:
        a, of_a, to_a = codes[candidates[at]], levels[at], offsets[at]
        for i in range(key.shape[0]):
            counts[to_a + key[i] * of_a + a[i]] += weights[i]
        at += 1


def count_families(
    key: Longs, codes: Codes, candidates: Longs, levels: Longs, weights: Floats, offsets: Longs
) -> Floats:
    """Return the weight of each key together with each level of a candidate, one candidate after the other.

    `key` numbers what a row has of a column and its parents; codes[column, row] are those of the candidates, of which
    each has some `levels`. None is negative. The table of a candidate goes from its offset to the next: levels within
    keys. Threads share out the candidates, so that every sum is taken in row order.
    """
    key, codes, weights = readable(key), readable(codes), readable(weights)
    counts = np.zeros(int(offsets[-1]))
    parts = 1 if len(key) * len(candidates) < THREADED else threads.count()
    threads.each(
        lambda span: _count_families(key, codes, candidates, levels, span[0], span[1], weights, offsets, counts),
        threads.spans(len(candidates), parts),
    )
    return counts
