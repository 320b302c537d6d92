"""The best split of every node of a level on one attribute, from its sorted list or from counts.

The impurity of a node with class weights n_k and weight W is measured by sums of f(n) = n² (Gini) or n·ln n (entropy):

    Gini:     W·impurity = W − Σ f(n_k)/W        entropy:  W·impurity = f(W) − Σ f(n_k)

so a scan only keeps Σ f left and right of the cut: a constant number of operations a row for any number of classes.
For whole numbers n·ln n is looked up in a table.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Classes = NDArray[np.uint8] | NDArray[np.int32]

GINI, ENTROPY = 0, 1
NOTHING = 1e-6
"""Weights below this count as none in an entropy (C4.5's tolerance)."""
LN2 = math.log(2.0)


@kernel
def term(n: float, criterion: int, logs: Floats) -> float:
    """f(n) = n² for Gini, n·ln n for entropy; `logs` holds n·ln n of whole numbers, or nothing."""
    if criterion == GINI:
        return n * n
    if logs.shape[0] > 0:
        return float(logs[int(n)])
    return n * math.log(n) if n > NOTHING else 0.0


@kernel
def impurity(weight: float, terms: float, criterion: int, logs: Floats) -> float:
    """Weight × impurity, from Σ f(n_k)."""
    if weight <= 0.0:
        return 0.0
    if criterion == GINI:
        return weight - terms / weight
    return term(weight, criterion, logs) - terms


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
        left[:] = 0.0
        whole = 0.0
        if known[s] == size[s]:
            for k in range(right.shape[0]):
                right[k] = counts[s, k]
            whole = node_weight[s]
        else:
            right[:] = 0.0
            for i in range(first, last):
                w = weights[order[i]] if is_weighted else 1.0
                right[target[order[i]]] += w
                whole += w
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
            terms_right += term(right[k], criterion, logs)
        before = impurity(whole, terms_right, criterion, logs)
        weight_left, weight_right = 0.0, whole
        best = 0.0
        margin = tolerance * node_weight[s] * (LN2 if criterion == ENTROPY else 1.0)
        for i in range(first, last - 1):
            at = order[i]
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
def _count_values(
    rows: Ints,
    first: int,
    last: int,
    codes: Ints,
    row_of: Ints,
    target: Classes,
    weights: Floats,
    table: Floats,
    weight: Floats,
    rows_of_value: Longs,
    met: Ints,
) -> int:
    """Fill table[value, class] and weight[value] of one node's known rows; `met` lists the values, ascending."""
    is_weighted = weights.shape[0] > 0
    found = 0
    for i in range(first, last):
        at = rows[i]
        v = codes[row_of[at]]
        if v >= 0:
            if rows_of_value[v] == 0:
                met[found] = v
                found += 1
            w = weights[at] if is_weighted else 1.0
            rows_of_value[v] += 1
            table[v, target[at]] += w
            weight[v] += w
    met[:found].sort()
    return found


@kernel
def scan_multiway(
    rows: Ints,
    codes: Ints,
    row_of: Ints,
    target: Classes,
    weights: Floats,
    start: Longs,
    size: Longs,
    is_open: NDArray[np.bool_],
    levels: int,
    classes: int,
    criterion: int,
    logs: Floats,
    smallest: float,
    tolerance: float,
    decrease: Floats,
    known_weight: Floats,
    branch_terms: Floats,
    is_usable: NDArray[np.bool_],
) -> None:
    """For each open node: the decrease of weight × impurity when every value of a nominal column gets its branch.

    `branch_terms` is Σ W_v·ln W_v, for the split information. Usable: at least two branches of the smallest weight.
    """
    table, weight = np.zeros((levels, classes)), np.zeros(levels)
    rows_of_value, met = np.zeros(levels, np.int64), np.zeros(levels, np.int32)
    whole = np.zeros(classes)
    for s in range(start.shape[0]):
        decrease[s], known_weight[s], branch_terms[s] = 0.0, 0.0, 0.0
        is_usable[s] = False
        if not is_open[s]:
            continue
        found = _count_values(
            rows, start[s], start[s] + size[s], codes, row_of, target, weights, table, weight, rows_of_value, met
        )
        whole[:] = 0.0
        enough, after, total = 0, 0.0, 0.0
        for t in range(found):
            v = met[t]
            total += weight[v]
            if weight[v] + tolerance >= smallest:
                enough += 1
            terms = 0.0
            for k in range(classes):
                whole[k] += table[v, k]
                terms += term(table[v, k], criterion, logs)
                table[v, k] = 0.0
            after += impurity(weight[v], terms, criterion, logs)
            branch_terms[s] += term(weight[v], ENTROPY, logs)
            weight[v] = 0.0
            rows_of_value[v] = 0
        terms = 0.0
        for k in range(classes):
            terms += term(whole[k], criterion, logs)
        known_weight[s] = total
        is_usable[s] = enough >= 2
        decrease[s] = impurity(total, terms, criterion, logs) - after


@kernel
def scan_one_value(
    rows: Ints,
    codes: Ints,
    row_of: Ints,
    target: Classes,
    weights: Floats,
    start: Longs,
    size: Longs,
    node_weight: Floats,
    is_open: NDArray[np.bool_],
    levels: int,
    classes: int,
    criterion: int,
    logs: Floats,
    smallest: float,
    tolerance: float,
    by_ratio: bool,
    decrease: Floats,
    known_weight: Floats,
    branch_terms: Floats,
    choice: Longs,
) -> None:
    """For each open node: the value whose rows, against all other known rows, give the best split; −1: none has enough.

    Best by the gain ratio (C4.5 with binary splits) or by the decrease itself.
    """
    table, weight = np.zeros((levels, classes)), np.zeros(levels)
    rows_of_value, met = np.zeros(levels, np.int64), np.zeros(levels, np.int32)
    whole = np.zeros(classes)
    for s in range(start.shape[0]):
        decrease[s], known_weight[s], branch_terms[s] = 0.0, 0.0, 0.0
        choice[s] = -1
        if not is_open[s]:
            continue
        found = _count_values(
            rows, start[s], start[s] + size[s], codes, row_of, target, weights, table, weight, rows_of_value, met
        )
        whole[:] = 0.0
        total = 0.0
        for t in range(found):
            total += weight[met[t]]
            for k in range(classes):
                whole[k] += table[met[t], k]
        known_weight[s] = total
        terms = 0.0
        for k in range(classes):
            terms += term(whole[k], criterion, logs)
        before = impurity(total, terms, criterion, logs)
        node = node_weight[s]
        best = 0.0
        for t in range(found):
            v = met[t]
            rest = total - weight[v]
            if weight[v] + tolerance < smallest or rest + tolerance < smallest or rest <= 0.0:
                continue
            inside, outside = 0.0, 0.0
            for k in range(classes):
                inside += term(table[v, k], criterion, logs)
                outside += term(whole[k] - table[v, k], criterion, logs)
            gained = before - impurity(weight[v], inside, criterion, logs) - impurity(rest, outside, criterion, logs)
            branches = term(weight[v], ENTROPY, logs) + term(rest, ENTROPY, logs)
            score = gained
            if by_ratio:
                if (total / node) * gained / LN2 < tolerance:
                    gained = 0.0
                information = (term(node, ENTROPY, logs) - branches - term(node - total, ENTROPY, logs)) / LN2
                score = gained / LN2 / information if information >= NOTHING else 0.0
            if choice[s] < 0 or score > best + tolerance:
                choice[s] = v
                best = score
                decrease[s] = gained
                branch_terms[s] = branches
        for t in range(found):
            v = met[t]
            weight[v] = 0.0
            rows_of_value[v] = 0
            for k in range(classes):
                table[v, k] = 0.0
