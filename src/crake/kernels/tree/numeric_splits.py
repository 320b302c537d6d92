"""The best cut of every node of a level on one numeric column, from its sorted list."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel
from crake.kernels.tree.impurity import ENTROPY, GINI, LN2, impurity, term
from crake.kernels.tree.split_gain import decrease_of, impurity_to_divide, scale_of_sides

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Classes = NDArray[np.uint8] | NDArray[np.int32]


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
def scan_numeric(
    order: Ints,
    rank: Ints,
    reach: Ints,
    target: Classes,
    weights: Floats,
    start: Longs,
    size: Longs,
    known: Longs,
    counts: Floats,
    node_weight: Floats,
    is_open: NDArray[np.bool_],
    criterion: int,
    logs: Floats,
    smallest: float,
    is_clamped: bool,
    tolerance: float,
    decrease: Floats,
    known_weight: Floats,
    left_weight: Floats,
    cut: Longs,
    cuts: Longs,
) -> None:
    """For each open node: the largest decrease of weight × impurity, and where in the list its left side ends.

    A cut lies between neighbours of different rank (beyond reach[rank], where that is given), with enough weight on
    either side: `smallest`, or with `is_clamped` C4.5's 0.1·W/K, at least `smallest`, at most 25. A later cut must be
    better by more than `tolerance`. `cuts` counts the admissible ones. `weights` is empty where every row weighs 1.
    """
    classes = counts.shape[1]
    is_weighted, has_reach = weights.shape[0] > 0, reach.shape[0] > 0
    left, right = np.zeros(classes), np.zeros(classes)
    for s in range(start.shape[0]):
        cut[s], cuts[s] = -1, 0
        decrease[s], known_weight[s], left_weight[s] = 0.0, 0.0, 0.0
        if not is_open[s]:
            continue
        first, last = start[s], start[s] + known[s]
        if known[s] == size[s]:
            whole = node_weight[s]
            for k in range(classes):
                right[k] = counts[s, k]
        else:
            whole = weigh_classes(order, first, last, target, weights, right)
        known_weight[s] = whole
        least = smallest
        if is_clamped:
            least = 0.1 * whole / classes
            if least <= smallest + tolerance:
                least = smallest
            elif least > 25.0:
                least = 25.0
        if whole + tolerance < 2.0 * least:
            continue
        terms_left, terms_right = 0.0, 0.0
        for k in range(classes):
            left[k] = 0.0
            terms_right += term(right[k], criterion, logs)
        before = impurity(whole, terms_right, criterion, logs)
        weight_left, weight_right = 0.0, whole
        best = 0.0
        margin = tolerance * node_weight[s] * (LN2 if criterion == ENTROPY else 1.0)
        for i in range(first, last - 1):
            at = np.uint32(order[i])  # an index that might be negative is asked about at every use
            k = target[at]
            w = weights[at] if is_weighted else 1.0
            if criterion == GINI:
                terms_left += w * (2.0 * left[k] + w)
                terms_right -= w * (2.0 * right[k] - w)
                left[k] += w
                right[k] -= w
            else:
                terms_left -= term(left[k], criterion, logs)
                terms_right -= term(right[k], criterion, logs)
                left[k] += w
                right[k] -= w
                terms_left += term(left[k], criterion, logs)
                terms_right += term(right[k], criterion, logs)
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
            cuts[s] += 1
            if criterion == GINI:
                after = whole - (terms_left * weight_right + terms_right * weight_left) / (weight_left * weight_right)
            else:
                after = (
                    term(weight_left, criterion, logs) - terms_left + term(weight_right, criterion, logs) - terms_right
                )
            if before - after > best + margin:
                best = before - after
                cut[s] = i
                left_weight[s] = weight_left
        decrease[s] = best


@kernel
def scan_numeric_with_missing(
    order: Ints,
    rank: Ints,
    target: Classes,
    weights: Floats,
    start: Longs,
    size: Longs,
    known_rows: Longs,
    classes: int,
    is_open: NDArray[np.bool_],
    rule: int,
    criterion: int,
    logs: Floats,
    smallest: float,
    least: float,
    decrease: Floats,
    known_weight: Floats,
    left_weight: Floats,
    cut: Longs,
) -> None:
    """As `scan_numeric`, with the missing rows in the score."""
    is_weighted = weights.shape[0] > 0
    left, known, missing = np.zeros(classes), np.zeros(classes), np.zeros(classes)
    for s in range(start.shape[0]):
        decrease[s], known_weight[s], left_weight[s], cut[s] = 0.0, 0.0, 0.0, -1
        if not is_open[s]:
            continue
        first, last = start[s], start[s] + known_rows[s]
        total = weigh_classes(order, first, last, target, weights, known)
        absent = weigh_classes(order, last, start[s] + size[s], target, weights, missing)
        weigh_classes(order, first, first, target, weights, left)
        known_weight[s] = total
        if total <= 0.0:
            continue
        before = impurity_to_divide(known, total, missing, absent, rule, criterion, logs)
        largest, weight_left = least, 0.0
        scale = scale_of_sides(total, absent, rule)
        for i in range(first, last - 1):
            w = weights[order[i]] if is_weighted else 1.0
            left[target[order[i]]] += w
            weight_left += w
            if rank[i + 1] == rank[i] or min(weight_left, total - weight_left) * scale < smallest:
                continue
            if total - weight_left <= 0.0:
                break
            gained = decrease_of(before, left, weight_left, known, total, missing, absent, rule, criterion, logs)
            if gained > largest:
                largest, cut[s] = gained, i
                left_weight[s] = weight_left
        decrease[s] = largest if cut[s] >= 0 else 0.0
