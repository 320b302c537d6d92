"""Counting families: the values of one column by the configurations of its parents, for many candidate parents."""

from __future__ import annotations

from crake.arrays import Codes, Floats, Longs
from crake.kernels import kernel, readable, threads
from crake.kernels.threads import SMALL


@kernel
def _count_families(
    base: Longs,
    own: Codes,
    codes: Codes,
    candidates: Longs,
    start: int,
    stop: int,
    weights: Floats,
    counts: Floats,
) -> None:
    levels, values = counts.shape[2], counts.shape[3]
    for at in range(start, stop):
        parent = codes[candidates[at]]
        cells = counts[at].reshape(-1)
        for i in range(base.shape[0]):
            cells[(base[i] * levels + parent[i]) * values + own[i]] += weights[i]


def count_families(base: Longs, own: Codes, codes: Codes, candidates: Longs, weights: Floats, counts: Floats) -> None:
    """Add weights to counts[candidate, configuration, level of the candidate, value], for every candidate parent.

    `base` is the configuration that each row has of the parents there are, `own` the code of the column, and
    codes[column, row] are those of the candidates; none is negative. Threads share out the candidates, so that every
    sum is taken in row order.
    """
    base, own, codes, weights = readable(base), readable(own), readable(codes), readable(weights)
    parts = 1 if len(base) * len(candidates) < SMALL else threads.count()
    threads.each(
        lambda span: _count_families(base, own, codes, candidates, span[0], span[1], weights, counts),
        threads.spans(len(candidates), parts),
    )
