"""A whole tree of a bootstrap sample, node by node: two classes, complete numeric columns, Gini, whole weights.

It is the tree that growing level by level finds, to the last bit. Nothing is kept sorted: the rows of a node are
sorted by the columns that the node looks at, and by no others. So a tree needs 12 bytes per row of its sample beside
the ranks, which all trees share, and forests look at a few columns only.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.tree.arrays import Classes
from crake.kernels.tree.sampled.node_keys import DIGITS, ROW, ROW_BITS, Ranks, Rows, sorted_keys
from crake.kernels.tree.sampled.random_columns import STEP, mixed

BLOCK = 64
"""Cuts that are scored together, as vectors: looked at one by one only where one of them is better than all before."""
FEATURE, BELOW, ABOVE, DEPTH, ZEROS, ONES = 0, 1, 2, 3, 4, 5
"""The places in the line of a node: its column (−1 for a leaf), a row with the value below its cut and one with the
value above, its depth, and the weights of the two classes."""
BETTER, ANY = False, True
"""Look for cuts that score above the node as it is, or for any."""
FIRST, LAST, AT_DEPTH, OWN = 0, 1, 2, 3
"""The places in the line of a node that waits to be split: its first and last row, its depth, and the number by which
its columns are drawn."""


class Sample(NamedTuple):
    """The rows of a sample, each with 2 · copies + class (`shift` bits) above its number; they are reordered."""

    rows: Rows
    shift: int


class Limits(NamedTuple):
    """The settings of growing that decide which nodes are split, and how.

    A node looks at `columns` columns at a time. It needs `open_weight`, a side `least_weight`, a split a gain above
    `min_gain` and a decrease of `min_decrease`. `is_forced`: a node without such a gain is split all the same.
    """

    columns: int
    seed: int
    max_depth: int
    open_weight: float
    least_weight: int
    min_gain: float
    min_decrease: float
    is_forced: bool


class Room(NamedTuple):
    """Room to work in: keys twice over, counts of digits, what lies left of the cuts of a block, columns drawn."""

    keys: Ranks
    other: Ranks
    counts: Ranks
    left: Ints
    left_ones: Ints
    score: Floats
    shuffled: Longs
    swapped: Longs


@kernel
def _score_cuts(left: Ints, left_ones: Ints, number: int, weight: float, ones: float, bar: float, out: Floats) -> int:
    """Fill the scores Σ n²/W of both sides of the cuts; return how many are above the bar."""
    better, zeros = 0, weight - ones
    for i in range(number):
        l, l1 = float(left[i]), float(left_ones[i])
        r, l0 = weight - l, l - l1
        r1, r0 = ones - l1, zeros - l0
        squares = (l0 * l0 + l1 * l1) * r + (r0 * r0 + r1 * r1) * l
        out[i] = np.divide(squares, l * r)  # an operator would ask whether that is 0, and not be a vector
        better += out[i] > bar
    return better


@kernel
def _best_cut(
    keys: Ranks, number: int, shift: int, zeros: int, ones: int, limits: Limits, is_any: bool, room: Room
) -> tuple[float, int]:
    """Return the largest score Σ n²/W of both sides that is above that of the node, and where the right side begins.

    −1: there is none. With `is_any` it need not be above, and is rounded as where any split is looked for.
    """
    left, left_ones, score = room.left, room.left_ones, room.score
    weight = zeros + ones
    whole = float(weight)
    before = (float(zeros) * zeros + float(ones) * ones) / whole
    best, at = -np.inf if is_any else before, -1
    impurity = whole - before
    mask, down = np.uint32((1 << shift) - 1), np.uint32(shift)
    weight_left, ones_left = np.int32(0), np.int32(0)
    for begin in range(0, number, BLOCK):
        end = min(begin + BLOCK, number)
        for i in range(begin, end):
            key = np.int32(keys[i] & mask)
            left[i - begin], left_ones[i - begin] = weight_left, ones_left
            copies = key >> 1
            weight_left += copies
            ones_left += copies & -(key & 1)
        if _score_cuts(left, left_ones, end - begin, whole, float(ones), best, score) == 0 and not is_any:
            continue
        for i in range(max(begin, 1), end):
            here = impurity - (whole - score[i - begin]) if is_any else score[i - begin]
            if here > best and (keys[i] >> down) != (keys[i - 1] >> down):
                lighter = min(left[i - begin], weight - left[i - begin])
                if lighter >= limits.least_weight:
                    best, at = here, i
    return best, at


@kernel
def _doubled(lines: Any) -> Any:
    """Return a copy with room for twice as many lines."""
    more = np.empty((2 * lines.shape[0], lines.shape[1]), lines.dtype)
    more[: lines.shape[0]] = lines
    return more


@kernel
def sampled_rows(copies: Classes, target: Classes) -> Rows:
    """Return the rows that have copies, ascending, each with 2 · copies + class above its number."""
    number = 0
    for row in range(copies.shape[0]):
        number += copies[row] > 0
    rows, at = np.empty(number, np.uint32), 0
    for row in range(copies.shape[0]):
        if copies[row] > 0:
            above = 2 * np.uint32(copies[row]) + np.uint32(target[row])
            rows[at] = np.uint32(above << np.uint32(ROW_BITS)) | np.uint32(row)
            at += 1
    return rows


@kernel
def _divide(
    ranks: Ranks, rank_below: int, rank_above: int, first: int, last: int, rows: Rows, room: Room
) -> tuple[int, int, int]:
    """Put the rows of higher rank behind the others, keeping their order.

    Return where they begin, and a row of either of the two ranks.
    """
    kept, to, right, below, above = room.keys, first, 0, np.uint32(0), np.uint32(0)
    for i in range(first, last):
        row = rows[i]
        rank = np.int64(ranks[row & ROW])
        goes_right = int(rank > rank_below)
        below, above = row if rank == rank_below else below, row if rank == rank_above else above
        rows[to], kept[right] = row, row
        right += goes_right
        to += 1 - goes_right
    for i in range(right):
        rows[to + i] = kept[i]
    return to, int(below & ROW), int(above & ROW)


@kernel
def _cut_of_column(
    ranks: Ranks, sample: Sample, first: int, last: int, zeros: int, ones: int, limits: Limits, is_any: bool, room: Room
) -> tuple[float, int, int]:
    """Return the score of the best cut of a node's rows by one column, and the ranks beside it (−1: there is none)."""
    shift = sample.shift
    place = sorted_keys(ranks, sample.rows, first, last, shift, room.keys, room.other, room.counts)
    if place < 0:
        return 0.0, -1, -1
    keys = room.other if place == 1 else room.keys
    score, at = _best_cut(keys, last - first, shift, zeros, ones, limits, is_any, room)
    if at < 0:
        return 0.0, -1, -1
    return score, int(keys[at - 1] >> np.uint32(shift)), int(keys[at] >> np.uint32(shift))


@kernel
def _best_column(
    ranks: Ranks, sample: Sample, first: int, last: int, zeros: int, ones: int, own: int, limits: Limits, room: Room
) -> tuple[float, int, int, int]:
    """Return the largest gain per row among the columns drawn for a node, the column (−1: none), and the ranks beside.

    More columns are drawn while none of them gains enough; then, if splits are forced, the first with a cut is taken.
    """
    columns, drawn, weight = ranks.shape[0], 0, zeros + ones
    shuffled, swapped = room.shuffled, room.swapped
    before = (float(zeros) * zeros + float(ones) * ones) / weight
    best, feature, below, above = limits.min_gain, -1, -1, -1
    while drawn < columns and feature < 0:
        until = min(drawn + limits.columns, columns)
        for d in range(drawn, until):
            place = d
            if limits.columns < columns:
                place += int(mixed(np.uint64(own) + np.uint64(STEP) * np.uint64(d + 1)) % np.uint64(columns - d))
            j = shuffled[place]
            shuffled[place], shuffled[d], swapped[d] = shuffled[d], j, place
            score, low, high = _cut_of_column(ranks[j], sample, first, last, zeros, ones, limits, BETTER, room)
            gain = (score - before) / weight
            if low >= 0 and (gain > best or (gain == best and feature > j)):
                best, feature, below, above = gain, j, low, high
        drawn = until
    for d in range(drawn - 1, -1, -1):  # back into the order of the table, for the next node
        j = shuffled[swapped[d]]
        shuffled[swapped[d]], shuffled[d] = shuffled[d], j
    if feature >= 0 or not limits.is_forced:
        return best, feature, below, above
    for j in range(columns):
        _, low, high = _cut_of_column(ranks[j], sample, first, last, zeros, ones, limits, ANY, room)
        if low >= 0:
            return 2.0 * limits.min_gain, j, low, high
    return best, -1, below, above


@kernel
def grow_sampled(ranks: Ranks, sample: Sample, limits: Limits) -> NDArray[np.int32]:
    """Return a line FEATURE, BELOW, … per node: a node, then all nodes of its left side, then those of its right side.

    ranks[column, row] are dense.
    """
    columns, rows = ranks.shape[0], sample.rows
    sampled = rows.shape[0]
    room = Room(
        np.empty(sampled, np.uint32), np.empty(sampled, np.uint32), np.empty(DIGITS, np.uint32),
        np.empty(BLOCK, np.int32), np.empty(BLOCK, np.int32), np.empty(BLOCK), np.arange(columns),
        np.empty(columns, np.int64),
    )  # fmt: skip
    nodes, waiting = np.empty((1024, 6), np.int32), np.empty((64, 4), np.int64)
    waiting[0, FIRST], waiting[0, LAST], waiting[0, AT_DEPTH] = 0, sampled, 0
    waiting[0, OWN] = np.int64(mixed(np.uint64(limits.seed)))
    number, still = 0, 1
    while still > 0:
        still -= 1
        first, last, depth = waiting[still, FIRST], waiting[still, LAST], waiting[still, AT_DEPTH]
        own, weight, ones = waiting[still, OWN], 0, 0
        for i in range(first, last):
            key = np.int64(rows[i] >> np.uint32(ROW_BITS))
            weight += int(key >> 1)
            ones += int((key >> 1) & -(key & 1))
        zeros = weight - ones
        if number == nodes.shape[0]:
            nodes = _doubled(nodes)
        node = nodes[number]
        number += 1
        node[FEATURE], node[BELOW], node[ABOVE], node[DEPTH], node[ZEROS], node[ONES] = -1, -1, -1, depth, zeros, ones
        if ones == 0 or zeros == 0 or weight < limits.open_weight or depth >= limits.max_depth:
            continue
        gain, feature, low, high = _best_column(ranks, sample, first, last, zeros, ones, own, limits, room)
        if feature < 0 or gain * weight < limits.min_decrease:
            continue
        right, below, above = _divide(ranks[feature], low, high, first, last, rows, room)
        node[FEATURE], node[BELOW], node[ABOVE] = feature, below, above
        if still + 2 > waiting.shape[0]:
            waiting = _doubled(waiting)
        for branch in range(1, -1, -1):  # the left side is taken up first
            waiting[still, FIRST], waiting[still, LAST] = (right, last) if branch == 1 else (first, right)
            waiting[still, AT_DEPTH] = depth + 1
            waiting[still, OWN] = np.int64(mixed(np.uint64(own) + np.uint64(branch + 1)))
            still += 1
    return nodes[:number].copy()
