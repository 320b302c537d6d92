"""The best cut of every node of a level on one numeric column, from its sorted list."""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.grid import anchor_of, on_grid
from crake.kernels.inlined import inlined
from crake.kernels.tree.arrays import Classes, LevelArrays, Scoring, SplitRecords
from crake.kernels.tree.impurity import ENTROPY, GINI, LN2, impurity, term
from crake.kernels.tree.split_gain import decrease_of, impurity_to_divide, scale_of_sides


@kernel
def weigh_classes(order: Ints, first: int, last: int, target: Classes, weights: Floats, counts: Floats) -> float:
    """Fill counts[class] of a stretch of the list; the weight of all classes."""
    is_weighted = weights.shape[0] > 0
    for k in range(counts.shape[0]):
        counts[k] = 0.0
    total = 0.0
    for i in range(first, last):
        w = weights[order[i]] if is_weighted else 1.0
        counts[target[order[i]]] += w
        total += w
    return total


@kernel
def least_weight(whole: float, scoring: Scoring) -> float:
    """Return the least weight beside a cut: `smallest`, or C4.5's 0.1·W/K between `smallest` and 25."""
    if not scoring.is_clamped:
        return scoring.smallest
    least = 0.1 * whole / scoring.classes
    if least <= scoring.smallest + scoring.tolerance:
        return scoring.smallest
    return min(least, 25.0)


@inlined
def _anchor_of_terms(weight: float, classes: int, criterion: int) -> float:
    """Return the anchor of the grid for f(n) of classes that weigh as much together; n·ln n may be as low as −1/e."""
    return anchor_of(weight * weight if criterion == GINI else weight * math.log(max(weight, math.e)) + classes)


@kernel
def scan_numeric(
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
    """Find for each open node the largest decrease of weight × impurity, and where in the list its left side ends.

    A cut lies between neighbours of different rank (beyond reach[rank], where that is given), with enough weight on
    either side. A later cut must be better by more than the tolerance. `cuts` counts the admissible ones. The f(n) of
    which sums are kept are on a grid, so that the order of equal values does not change a decrease.
    """
    target, weights = level.target, level.weights
    criterion, logs, tolerance = scoring.criterion, scoring.logs, scoring.tolerance
    classes = counts.shape[1]
    is_weighted, has_reach = weights.shape[0] > 0, reach.shape[0] > 0
    is_exact = criterion == GINI and not is_weighted  # sums of squares of whole numbers
    left, right = np.zeros(classes), np.zeros(classes)
    left_term, right_term = np.zeros(classes), np.zeros(classes)
    for s in range(level.start.shape[0]):
        out[s].cut, out[s].cuts = -1, 0
        out[s].decrease, out[s].known_weight, out[s].left_weight = 0.0, 0.0, 0.0
        if not is_open[s]:
            continue
        first, last = level.start[s], level.start[s] + known_rows[s]
        if known_rows[s] == level.size[s]:
            whole = node_weight[s]
            for k in range(classes):
                right[k] = counts[s, k]
        else:
            whole = weigh_classes(order, first, last, target, weights, right)
        out[s].known_weight = whole
        least = least_weight(whole, scoring)
        if whole + tolerance < 2.0 * least or (scoring.counts_rows and known_rows[s] + tolerance < 2.0 * least):
            continue
        terms_left, terms_right = 0.0, 0.0
        anchor = _anchor_of_terms(whole, classes, criterion)
        for k in range(classes):
            left[k], left_term[k] = 0.0, 0.0
            right_term[k] = on_grid(term(right[k], criterion, logs), anchor)
            terms_right += right_term[k]
        before = impurity(whole, terms_right, criterion, logs)
        weight_left, weight_right = 0.0, whole
        best, admissible, at_cut, at_weight = 0.0, 0, -1, 0.0
        margin = tolerance * node_weight[s] * (LN2 if criterion == ENTROPY else 1.0)
        for i in range(first, last - 1):
            at = np.uint32(order[i])  # an index that might be negative is asked about at every use
            k = target[at]
            w = weights[at] if is_weighted else 1.0
            if is_exact:
                terms_left += 2.0 * left[k] + 1.0
                terms_right -= 2.0 * right[k] - 1.0
                left[k] += 1.0
                right[k] -= 1.0
            else:
                left[k] += w
                right[k] -= w
                on_left = on_grid(term(left[k], criterion, logs), anchor)
                on_right = on_grid(term(right[k], criterion, logs), anchor)
                terms_left += on_left - left_term[k]  # a difference that is exact: sums wait for one addition
                terms_right += on_right - right_term[k]
                left_term[k], right_term[k] = on_left, on_right
            weight_left += w
            weight_right -= w
            if rank[i + 1] == rank[i]:
                continue
            if weight_left + tolerance < least:
                continue
            if weight_right + tolerance < least:
                break
            if has_reach and rank[i + 1] <= reach[rank[i]]:
                continue
            admissible += 1
            if criterion == GINI:
                after = whole - (terms_left * weight_right + terms_right * weight_left) / (weight_left * weight_right)
            else:
                after = (
                    term(weight_left, criterion, logs) - terms_left + term(weight_right, criterion, logs) - terms_right
                )
            if before - after > best + margin:
                best = before - after
                at_cut, at_weight = i, weight_left
        out[s].cuts, out[s].cut, out[s].left_weight, out[s].decrease = admissible, at_cut, at_weight, best


@kernel
def scan_numeric_with_missing(
    order: Ints, rank: Ints, known_rows: Longs, level: LevelArrays, is_open: Flags, scoring: Scoring, out: SplitRecords
) -> None:
    """Scan as `scan_numeric`, with the missing rows in the score."""
    target, weights = level.target, level.weights
    rule, criterion, logs = scoring.rule, scoring.criterion, scoring.logs
    is_weighted = weights.shape[0] > 0
    left, known, missing = np.zeros(scoring.classes), np.zeros(scoring.classes), np.zeros(scoring.classes)
    for s in range(level.start.shape[0]):
        out[s].decrease, out[s].known_weight, out[s].left_weight, out[s].cut = 0.0, 0.0, 0.0, -1
        if not is_open[s]:
            continue
        first, last = level.start[s], level.start[s] + known_rows[s]
        total = weigh_classes(order, first, last, target, weights, known)
        absent = weigh_classes(order, last, level.start[s] + level.size[s], target, weights, missing)
        weigh_classes(order, first, first, target, weights, left)
        out[s].known_weight = total
        if total <= 0.0:
            continue
        before = impurity_to_divide(known, total, missing, absent, rule, criterion, logs)
        largest, weight_left = scoring.least, 0.0
        at_cut, at_weight = -1, 0.0
        scale = scale_of_sides(total, absent, rule)
        for i in range(first, last - 1):
            w = weights[order[i]] if is_weighted else 1.0
            left[target[order[i]]] += w
            weight_left += w
            if rank[i + 1] == rank[i] or min(weight_left, total - weight_left) * scale < scoring.smallest:
                continue
            if total - weight_left <= 0.0:
                break
            gained = decrease_of(before, left, weight_left, known, total, missing, absent, rule, criterion, logs)
            if gained > largest:
                largest, at_cut, at_weight = gained, i, weight_left
        out[s].cut, out[s].left_weight, out[s].decrease = at_cut, at_weight, largest if at_cut >= 0 else 0.0
