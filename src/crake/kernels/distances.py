"""The nearest rows under a distance of mixed columns: numbers by difference, nominal values by equality.

Training rows lie column by column and are scanned in blocks that stay in the cache, a few queries at a time; so the
inner loops run along one column and the compiler makes vector instructions of them. Every distance is summed in the
order of the columns: equal rows are equally far, to the bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.inlined import inlined

BLOCK = 1024
"""Training rows at a time: 20 columns of them fill half of a second-level cache."""
QUERIES = 16
"""Queries that share a block while it is in the cache."""


@kernel
def add_number(column: Floats, x: float, far: float, has_gaps: bool, squared: bool, total: Floats) -> None:
    """Add the distances of one numeric column (NaN: missing) to a query's value x.

    Both missing: `far`; one missing: as far as the missing value can lie within 0 … far.
    """
    gap = max(abs(x), abs(far - x))
    if x != x:
        for i in range(len(column)):
            t = column[i]
            d = max(abs(t), abs(far - t)) if t == t else far
            total[i] += d * d if squared else d
    elif has_gaps:
        for i in range(len(column)):
            d = abs(column[i] - x)
            d = d if d == d else gap
            total[i] += d * d if squared else d
    elif squared:
        for i in range(len(column)):
            d = column[i] - x
            total[i] += d * d
    else:
        for i in range(len(column)):
            total[i] += abs(column[i] - x)


class TrainingRows(NamedTuple):
    """Training rows column by column: values (numbers, rows) and codes (names, rows).

    `far` is the largest distance within a numeric column, `has_gaps` tells the columns with missing values. `votes`
    (rows, outputs) are weighted. `is_whole`: all weights are whole numbers.
    """

    values: Floats
    codes: Ints
    far: Floats
    has_gaps: Flags
    weights: Floats
    votes: Floats
    is_whole: bool


class Queries(NamedTuple):
    """Rows whose neighbours are searched: values (queries, numbers) and codes (queries, names).

    `lines` (queries, slots) has each query's distance to every level, two slots before each column's levels for new and
    missing ones; where it is empty names count 0 if they are the same and 1 if not. `left_out` is the training row that
    a query must not see, or −1.
    """

    values: Floats
    codes: Ints
    lines: Floats
    offsets: Longs
    left_out: Longs


class NearestRows(NamedTuple):
    """The neighbours of each query; `rows` and `distance` have room for one row more than can be needed."""

    rows: Longs
    distance: Floats
    counts: Longs
    tied: Floats


class Slack(NamedTuple):
    """Slack of a distance d: a larger one equals it up to share·d + root·√d + fixed more."""

    share: float
    root: float
    fixed: float


@inlined
def _reach(d: float, slack: Slack) -> float:
    """Return the largest distance that equals d; distance 0 equals no other."""
    return d + (slack.share * d + slack.root * np.sqrt(d) + slack.fixed) if d > 0.0 else d


@kernel
def nearest(training: TrainingRows, queries: Queries, squared: bool, k: float, slack: Slack, out: NearestRows) -> None:
    """Find the nearest training rows of each query, by distance and then row number, until their weights reach k.

    Add up in `tied` the votes of all further rows that are just as far as the last of them. A distance that equals one
    in the list, up to the slack, is put down as that one: the distance of the first row that has it.
    """
    values, codes, weights, votes = training.values, training.codes, training.weights, training.votes
    lines, offsets, left_out = queries.lines, queries.offsets, queries.left_out
    rows, distance, count, tied = out.rows, out.distance, out.counts, out.tied
    query_values, query_codes = queries.values, queries.codes
    n, numbers, names = len(weights), values.shape[0], codes.shape[0]
    total, differing = np.empty(BLOCK), np.empty(BLOCK, np.int32)
    by_line = lines.shape[1] > 0
    mass = np.zeros(QUERIES)
    for first in range(0, len(count), QUERIES):
        last = min(first + QUERIES, len(count))
        mass[:] = 0.0
        for q in range(first, last):
            count[q] = 0
            tied[q, :] = 0.0
        for begin in range(0, n, BLOCK):
            size = min(BLOCK, n - begin)
            for q in range(first, last):
                total[:size] = 0.0
                differing[:size] = 0
                for j in range(numbers):
                    column, x = values[j, begin : begin + size], query_values[q, j]
                    add_number(column, x, training.far[j], training.has_gaps[j], squared, total[:size])
                for j in range(names):
                    level = codes[j, begin : begin + size]
                    if by_line:
                        at = offsets[j] + 2
                        for i in range(size):
                            total[i] += lines[q, at + level[i]]
                    else:
                        # A missing value differs from everything, also from another missing one.
                        code = query_codes[q, j] if query_codes[q, j] >= 0 else -9
                        for i in range(size):
                            differing[i] += level[i] != code
                have, own = count[q], mass[q - first]
                farthest = distance[q, have - 1] if own >= k else np.inf
                limit = _reach(farthest, slack) if own >= k else np.inf
                for i in range(size):
                    d = total[i] + differing[i]
                    if d > limit:
                        continue
                    row = begin + i
                    if row == left_out[q]:
                        continue
                    reach = _reach(d, slack)
                    if farthest <= reach:  # it is not above the limit: equal
                        tied[q] += votes[row]
                        continue
                    p = have
                    while p > 0 and distance[q, p - 1] > reach:
                        distance[q, p], rows[q, p] = distance[q, p - 1], rows[q, p - 1]
                        p -= 1
                    if p > 0 and (distance[q, p - 1] >= d or d <= _reach(distance[q, p - 1], slack)):
                        d = distance[q, p - 1]
                    distance[q, p], rows[q, p] = d, row
                    have += 1
                    own += weights[row]
                    if not training.is_whole:
                        # In the order of the list, so that the last bit does not depend on the order of arrival.
                        own = 0.0
                        for p in range(have):
                            own += weights[rows[q, p]]
                    while have > 1 and own - weights[rows[q, have - 1]] >= k:
                        have -= 1
                        own -= weights[rows[q, have]]
                        if distance[q, have] == distance[q, have - 1]:
                            tied[q] += votes[rows[q, have]]
                        else:
                            tied[q] = 0.0
                    farthest = distance[q, have - 1] if own >= k else np.inf
                    limit = _reach(farthest, slack) if own >= k else np.inf
                count[q], mass[q - first] = have, own
