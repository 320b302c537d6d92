"""The best cut of every node on one numeric column by entropy, for two classes and weighted rows.

Finds what `numeric_splits.scan_numeric` finds. The logarithms of a cut take longer than all else, and most cuts are far
from the best. So each is bounded first. The entropy h of a share of the second class is concave, so that a chord is
below it: looked up between two entries of a table, the impurity of a side is never too large, and the decrease never
too small. Only a cut whose bound is above the best so far has its logarithms taken.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.tree.arrays import LevelArrays, Scoring, SplitRecords
from crake.kernels.tree.impurity import ENTROPY, LN2, impurity, term
from crake.kernels.tree.numeric_splits import least_weight, weigh_classes
from crake.kernels.tree.numeric_splits_two_classes import changes, widest_reach

BLOCK = 64
"""Cuts that are bounded together."""
SHARES = 1024
"""Chords of h between the shares 0 and 1."""
SLACK = 1e-4
"""An upper bound of what a term of nearly no weight, which counts as 0, takes off an impurity."""
ROUNDING = 1e-9
"""An upper bound of the rounding error of a bound, as a share of the weight."""
TINY = 1e-300


def _entropies() -> Floats:
    """Return h(s) = −s·ln s − (1 − s)·ln(1 − s) at s = 0, 1/SHARES, …, 1, and once more at 1."""
    share = np.append(np.arange(SHARES + 1), SHARES) / SHARES
    inner = share[1:SHARES]
    entropy = np.zeros(len(share))
    entropy[1:SHARES] = -inner * np.log(inner) - (1.0 - inner) * np.log(1.0 - inner)
    return entropy


CHORDS = _entropies()


@kernel
def _bound(weights: Floats, number: int, before: float, bar: float, bound: Floats) -> int:
    """Fill bound[i] with no less than cut i decreases weight × impurity; return how many are above the bar.

    The lines of `weights` are those of class 0, class 1 and both on the left, and on the right.
    """
    left_1, left, right_1, right = weights[1], weights[2], weights[4], weights[5]
    better = 0
    for i in range(number):
        on_left = min(max(np.divide(left_1[i], max(left[i], TINY)), 0.0), 1.0) * SHARES
        on_right = min(max(np.divide(right_1[i], max(right[i], TINY)), 0.0), 1.0) * SHARES
        l, r = np.uint32(on_left), np.uint32(on_right)
        low_l, low_r = CHORDS[l], CHORDS[r]
        of_left = low_l + (on_left - float(l)) * (CHORDS[l + np.uint32(1)] - low_l)
        of_right = low_r + (on_right - float(r)) * (CHORDS[r + np.uint32(1)] - low_r)
        bound[i] = before - (left[i] * of_left + right[i] * of_right)
        better += bound[i] > bar
    return better


@kernel
def scan_weighted(
    order: Ints,
    rank: Ints,
    reach: Ints,
    known_rows: Longs,
    level: LevelArrays,
    counts: Floats,
    node_weight: Floats,
    is_open: Flags,
    scoring: Scoring,
    out: SplitRecords,
) -> None:
    """Scan as `numeric_splits.scan_numeric`, for rows of two classes by entropy."""
    target, weights, logs, tolerance = level.target, level.weights, scoring.logs, scoring.tolerance
    widest = widest_reach(reach)
    sides, bound, whole_of = np.empty((6, BLOCK)), np.empty(BLOCK), np.empty(2)
    for s in range(level.start.shape[0]):
        out[s].cut, out[s].cuts = -1, 0
        out[s].decrease, out[s].known_weight, out[s].left_weight = 0.0, 0.0, 0.0
        if not is_open[s]:
            continue
        first, last = level.start[s], level.start[s] + known_rows[s]
        if known_rows[s] == level.size[s]:
            whole, whole_of[0], whole_of[1] = node_weight[s], counts[s, 0], counts[s, 1]
        else:
            whole = weigh_classes(order, first, last, target, weights, whole_of)
        out[s].known_weight = whole
        least = least_weight(whole, scoring)
        if whole + tolerance < 2.0 * least or (scoring.counts_rows and known_rows[s] + tolerance < 2.0 * least):
            continue
        terms = term(whole_of[0], ENTROPY, logs) + term(whole_of[1], ENTROPY, logs)
        before = impurity(whole, terms, ENTROPY, logs)
        margin, slack = tolerance * node_weight[s] * LN2, SLACK + ROUNDING * whole
        left_0, left_1, left, right_0, right_1, right = 0.0, 0.0, 0.0, whole_of[0], whole_of[1], whole
        best, admissible, at_cut, at_weight = 0.0, 0, -1, 0.0
        for begin in range(first, last - 1, BLOCK):
            if right + tolerance < least:
                break
            end = min(begin + BLOCK, last - 1)
            light, enough = 0, 0
            for i in range(begin, end):
                at = np.uint32(order[i])  # an index that might be negative is asked about at every use
                w = weights[at]
                w_1 = w * target[at]
                w_0 = w - w_1
                left_0 += w_0
                left_1 += w_1
                left += w
                right_0 -= w_0
                right_1 -= w_1
                right -= w
                sides[0, i - begin], sides[1, i - begin], sides[2, i - begin] = left_0, left_1, left
                sides[3, i - begin], sides[4, i - begin], sides[5, i - begin] = right_0, right_1, right
                light += left + tolerance < least
                enough += right + tolerance >= least
            lowest, highest = begin + light, begin + enough
            if lowest >= highest:
                continue
            admissible += changes(rank, reach, widest, lowest, highest)
            if _bound(sides, end - begin, before + slack, best + margin, bound) == 0:
                continue
            for i in range(lowest, highest):
                b = i - begin
                if bound[b] <= best + margin or rank[i + 1] <= (reach[np.uint32(rank[i])] if widest > 0 else rank[i]):
                    continue
                on_left = term(sides[0, b], ENTROPY, logs) + term(sides[1, b], ENTROPY, logs)
                on_right = term(sides[3, b], ENTROPY, logs) + term(sides[4, b], ENTROPY, logs)
                after = term(sides[2, b], ENTROPY, logs) - on_left + term(sides[5, b], ENTROPY, logs) - on_right
                if before - after > best + margin:
                    best = before - after
                    at_cut, at_weight = i, sides[2, b]
        out[s].cuts, out[s].cut, out[s].left_weight, out[s].decrease = admissible, at_cut, at_weight, best


def is_weighted_two_classes(weights: Floats, scoring: Scoring) -> bool:
    """Return True if the scan may be used."""
    return scoring.classes == 2 and len(weights) > 0 and scoring.criterion == ENTROPY
