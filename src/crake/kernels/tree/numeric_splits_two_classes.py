"""The best cut of every node on one complete numeric column, for two classes and rows of weight 1.

Finds what `numeric_splits.scan_numeric` finds, in two thirds of the time: the left side is one whole number, the rows
of the second class, and the positions that leave enough rows on either side are known before the scan.
"""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Flags, Floats, Ints
from crake.kernels import kernel
from crake.kernels.tree.arrays import LevelArrays, Scoring, SplitRecords
from crake.kernels.tree.impurity import ENTROPY, GINI, LN2
from crake.kernels.tree.numeric_splits import least_weight

BLOCK = 64
"""Cuts that are scored together, as vectors: looked at one by one only where one of them is better than all before."""


@kernel
def _score_gini(left_ones: Ints, number: int, rows_before: int, n0: int, n1: int, bar: float, score: Floats) -> int:
    """Fill the scores Σ n²/W of both sides of `number` cuts; return how many are above the bar."""
    zeros, ones, whole, before, better = float(n0), float(n1), float(n0 + n1), float(rows_before), 0
    for i in range(number):
        left, left1 = before + float(i + 1), float(left_ones[i])
        right, left0 = whole - left, left - left1
        right1, right0 = ones - left1, zeros - left0
        squares = (left0 * left0 + left1 * left1) * right + (right0 * right0 + right1 * right1) * left
        score[i] = np.divide(squares, left * right)  # an operator would ask whether that is 0, and not be a vector
        better += score[i] > bar
    return better


@kernel
def _score_entropy(
    left_ones: Ints, number: int, rows_before: int, n0: int, n1: int, bar: float, logs: Floats, score: Floats
) -> int:
    """Fill the scores Σ n·ln n − W·ln W of both sides of `number` cuts; return how many are above the bar."""
    better = 0
    # Unsigned: an index that might be negative is asked about at every use.
    zeros_right, ones_right, before = np.uint32(n0), np.uint32(n1), np.uint32(rows_before)
    whole = np.uint32(zeros_right + ones_right)
    for i in range(number):
        left, ones = np.uint32(before + np.uint32(i + 1)), np.uint32(left_ones[i])
        zeros = np.uint32(left - ones)
        on_left = logs[zeros] + logs[ones] - logs[left]
        right = (
            logs[np.uint32(zeros_right - zeros)] + logs[np.uint32(ones_right - ones)] - logs[np.uint32(whole - left)]
        )
        score[i] = on_left + right
        better += score[i] > bar
    return better


@kernel
def changes(rank: Ints, reach: Ints, widest: int, begin: int, end: int) -> int:
    """Return how many cuts lie between different values; `reach` is far off in memory, so read only if it matters."""
    number = 0
    if widest == 0:
        for i in range(begin, end):
            number += rank[i + 1] > rank[i]
        return number
    for i in range(begin, end):
        if rank[i + 1] - rank[i] > widest or rank[i + 1] > reach[np.uint32(rank[i])]:
            number += 1
    return number


@kernel
def widest_reach(reach: Ints) -> int:
    """Return the most ranks that a gap reaches beyond one; 0 without a gap."""
    widest = 0
    for r in range(reach.shape[0]):
        widest = max(widest, reach[r] - r)
    return widest


@kernel
def scan_two_classes(
    order: Ints,
    rank: Ints,
    reach: Ints,
    level: LevelArrays,
    counts: Floats,
    is_open: Flags,
    scoring: Scoring,
    out: SplitRecords,
) -> None:
    """Scan as `numeric_splits.scan_numeric`. With entropy, `logs` must hold n·ln n of whole numbers."""
    target = level.target
    criterion, logs, tolerance = scoring.criterion, scoring.logs, scoring.tolerance
    widest = widest_reach(reach)
    left_ones, score = np.empty(BLOCK, np.int32), np.empty(BLOCK)
    for s in range(level.start.shape[0]):
        out[s].cut, out[s].cuts = -1, 0
        out[s].decrease, out[s].known_weight, out[s].left_weight = 0.0, 0.0, 0.0
        if not is_open[s]:
            continue
        first, last = level.start[s], level.start[s] + level.size[s]
        n0, n1 = int(counts[s, 0]), int(counts[s, 1])
        whole = float(n0 + n1)
        out[s].known_weight = whole
        least = least_weight(whole, scoring)
        if last - first < 2.0 * least:
            continue
        enough = max(1, math.ceil(least - tolerance))
        lowest, highest = first + enough - 1, last - enough - 1
        ones, admissible, at = 0, 0, -1
        for i in range(first, lowest):
            ones += target[order[i]]
        margin = tolerance * whole
        if criterion == GINI:
            before = (float(n0) * n0 + float(n1) * n1) / whole
        else:
            before = logs[n0] + logs[n1] - logs[n0 + n1]
            margin *= LN2
        best = before
        for begin in range(lowest, highest + 1, BLOCK):
            end = min(begin + BLOCK, highest + 1)
            for i in range(begin, end):
                ones += target[np.uint32(order[i])]
                left_ones[i - begin] = ones
            if criterion == GINI:
                better = _score_gini(left_ones, end - begin, begin - first, n0, n1, best + margin, score)
            else:
                better = _score_entropy(left_ones, end - begin, begin - first, n0, n1, best + margin, logs, score)
            admissible += changes(rank, reach, widest, begin, end)
            if better == 0:
                continue
            for i in range(begin, end):
                is_better = score[i - begin] > best + margin
                if is_better and rank[i + 1] > (reach[np.uint32(rank[i])] if widest > 0 else rank[i]):
                    best, at = score[i - begin], i
        out[s].cuts, out[s].cut = admissible, at
        if at >= 0:
            out[s].decrease = best - before
            out[s].left_weight = at - first + 1


def is_two_classes(weights: Floats, scoring: Scoring) -> bool:
    """Return whether the quick scan may be used on columns without missing values."""
    return scoring.classes == 2 and len(weights) == 0 and (scoring.criterion != ENTROPY or len(scoring.logs) > 0)
