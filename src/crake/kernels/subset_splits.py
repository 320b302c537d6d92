"""The best division of a nominal column's values into two sets, for every node of a level.

For two classes the values are ordered by the share of the first class, and the best division is a prefix of that order
(Breiman et al. 1984, theorem 4.5). For more classes all divisions are tried, or, beyond some number of values, the
prefixes of the orders by the share of each class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel
from crake.kernels.splitting import GINI, impurity, term

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]
Classes = NDArray[np.uint8] | NDArray[np.int32]

KNOWN, SHARED, APART = 0, 1, 2
"""Missing rows in the score: left out; shared out between the sides by their weight; a third side of their own."""
GINI_OF_SHARES = 2
"""A criterion: the decrease of 1 − Σ p_k² per row, with the rounding of WEKA's SimpleCart, where equals are decided."""


@kernel
def sum_of_terms(counts: Floats, criterion: int, logs: Floats) -> float:
    """Σ f(n_k)."""
    terms = 0.0
    for k in range(counts.shape[0]):
        terms += term(counts[k], criterion, logs)
    return terms


@kernel
def _gini_of_shares(counts: Floats, weight: float) -> float:
    squares = 0.0
    for k in range(counts.shape[0]):
        squares += (counts[k] / weight) * (counts[k] / weight)
    return 1.0 - squares


@kernel
def _decrease_of_shares(
    before: float,
    left: Floats,
    left_weight: float,
    known: Floats,
    known_weight: float,
    missing: Floats,
) -> float:
    part = left_weight / known_weight
    first, second = np.empty(left.shape[0]), np.empty(left.shape[0])
    for k in range(left.shape[0]):
        first[k] = left[k] + part * missing[k]
        second[k] = known[k] - left[k] + (1.0 - part) * missing[k]
    first_weight, second_weight = float(first.sum()), float(second.sum())
    whole = first_weight + second_weight
    return (
        before
        - _gini_of_shares(first, first_weight) * (first_weight / whole)
        - _gini_of_shares(second, second_weight) * (second_weight / whole)
    )


@kernel
def impurity_to_divide(
    known: Floats, known_weight: float, missing: Floats, missing_weight: float, rule: int, criterion: int, logs: Floats
) -> float:
    """Weight × impurity of what is divided: the known rows, all rows, or all rows but for the missing ones' own."""
    if criterion == GINI_OF_SHARES:
        return _gini_of_shares(known + missing, known_weight + missing_weight)
    if rule == KNOWN or missing_weight <= 0.0:
        return impurity(known_weight, sum_of_terms(known, criterion, logs), criterion, logs)
    whole = impurity(known_weight + missing_weight, sum_of_terms(known + missing, criterion, logs), criterion, logs)
    if rule == SHARED:
        return whole
    return whole - impurity(missing_weight, sum_of_terms(missing, criterion, logs), criterion, logs)


@kernel
def decrease_of(
    before: float,
    left: Floats,
    left_weight: float,
    known: Floats,
    known_weight: float,
    missing: Floats,
    missing_weight: float,
    rule: int,
    criterion: int,
    logs: Floats,
) -> float:
    """`before` less weight × impurity of the two sides, the left one with these class weights among the known rows."""
    if criterion == GINI_OF_SHARES:
        return _decrease_of_shares(before, left, left_weight, known, known_weight, missing)
    terms_left, terms_right = 0.0, 0.0
    weight_left, weight_right = left_weight, known_weight - left_weight
    if rule == SHARED and missing_weight > 0.0:
        part = left_weight / known_weight
        for k in range(left.shape[0]):
            terms_left += term(left[k] + part * missing[k], criterion, logs)
            terms_right += term(known[k] - left[k] + (1.0 - part) * missing[k], criterion, logs)
        weight_left += part * missing_weight
        weight_right += (1.0 - part) * missing_weight
    else:
        for k in range(left.shape[0]):
            terms_left += term(left[k], criterion, logs)
            terms_right += term(known[k] - left[k], criterion, logs)
    if criterion == GINI:  # one division, so that equal splits are equal to the last bit
        whole = weight_left + weight_right
        return before - (whole - (terms_left * weight_right + terms_right * weight_left) / (weight_left * weight_right))
    after = impurity(weight_left, terms_left, criterion, logs) + impurity(weight_right, terms_right, criterion, logs)
    return before - after


@kernel
def count_values(
    rows: Ints,
    first: int,
    last: int,
    codes: Ints,
    row_of: Ints,
    target: Classes,
    weights: Floats,
    table: Floats,
    weight: Floats,
    number: Longs,
    met: Ints,
    missing: Floats,
) -> int:
    """Fill table[value, class], weight[value] and number[value] of one node; `met` lists the values, ascending."""
    is_weighted = weights.shape[0] > 0
    found = 0
    missing[:] = 0.0
    for i in range(first, last):
        at = rows[i]
        v = codes[row_of[at]]
        w = weights[at] if is_weighted else 1.0
        if v < 0:
            missing[target[at]] += w
            continue
        if number[v] == 0:
            met[found] = v
            found += 1
        number[v] += 1
        table[v, target[at]] += w
        weight[v] += w
    met[:found].sort()
    return found


@kernel
def _best_prefix(
    by: int,
    met: Ints,
    table: Floats,
    weight: Floats,
    known: Floats,
    known_weight: float,
    missing: Floats,
    missing_weight: float,
    rule: int,
    criterion: int,
    logs: Floats,
    smallest: float,
    before: float,
    largest: float,
    inside: Flags,
) -> float:
    """Values in ascending order of the share of class `by`: the prefix of the largest decrease, if above `largest`."""
    found = met.shape[0]
    share = np.empty(found)
    for t in range(found):
        share[t] = table[met[t], by] / weight[met[t]]
    order = np.argsort(share, kind="mergesort")
    left = np.zeros(known.shape[0])
    left_weight, best = 0.0, -1
    scale = (known_weight + missing_weight) / known_weight if rule == SHARED else 1.0
    for t in range(found - 1):
        v = met[order[t]]
        left_weight += weight[v]
        for k in range(known.shape[0]):
            left[k] += table[v, k]
        right_weight = known_weight - left_weight
        if min(left_weight, right_weight) * scale < smallest or right_weight <= 0.0:
            continue
        gained = decrease_of(
            before, left, left_weight, known, known_weight, missing, missing_weight, rule, criterion, logs
        )
        if gained > largest:
            largest, best = gained, t
    if best >= 0:
        inside[:found] = False
        for t in range(best + 1):
            inside[order[t]] = True
    return largest


@kernel
def _best_of_all(
    met: Ints,
    table: Floats,
    weight: Floats,
    known: Floats,
    known_weight: float,
    missing: Floats,
    missing_weight: float,
    rule: int,
    criterion: int,
    logs: Floats,
    smallest: float,
    before: float,
    largest: float,
    inside: Flags,
) -> float:
    """All divisions; the last value is never on the left. A set's sums are those without its last value, and that."""
    found, classes = met.shape[0], known.shape[0]
    sums, sums_weight = np.zeros((1 << (found - 1), classes)), np.zeros(1 << (found - 1))
    scale = (known_weight + missing_weight) / known_weight if rule == SHARED else 1.0
    best, top = 0, 0
    for members in range(1, 1 << (found - 1)):
        if members >> (top + 1):
            top += 1
        rest = members & ~(1 << top)
        for k in range(classes):
            sums[members, k] = sums[rest, k] + table[met[top], k]
        sums_weight[members] = sums_weight[rest] + weight[met[top]]
        right_weight = known_weight - sums_weight[members]
        if min(sums_weight[members], right_weight) * scale < smallest or right_weight <= 0.0:
            continue
        gained = decrease_of(
            before,
            sums[members],
            sums_weight[members],
            known,
            known_weight,
            missing,
            missing_weight,
            rule,
            criterion,
            logs,
        )
        if gained > largest:
            largest, best = gained, members
    if best > 0:
        for t in range(found):
            inside[t] = (best >> t) & 1 == 1
    return largest


@kernel
def scan_subset(
    rows: Ints,
    codes: Ints,
    row_of: Ints,
    target: Classes,
    weights: Floats,
    start: Longs,
    size: Longs,
    is_open: Flags,
    levels: int,
    classes: int,
    rule: int,
    criterion: int,
    logs: Floats,
    smallest: float,
    least: float,
    exhaustive: int,
    decrease: Floats,
    known_weight: Floats,
    known_rows: Longs,
    left_weight: Floats,
    left_rows: Longs,
    choice: Longs,
    place: Longs,
    groups: Ints,
) -> None:
    """For each open node: the largest decrease of weight × impurity above `least`; choice 0 if there is one, −1 if not.

    Where place[s] ≥ 0 the sides of all levels are written to groups[place[s]] …; a value that the node does not have
    goes to the heavier side.
    """
    table, weight = np.zeros((levels, classes)), np.zeros(levels)
    number, met, inside = np.zeros(levels, np.int64), np.zeros(levels, np.int32), np.zeros(levels, np.bool_)
    known, missing = np.zeros(classes), np.zeros(classes)
    for s in range(start.shape[0]):
        decrease[s], known_weight[s], left_weight[s] = 0.0, 0.0, 0.0
        known_rows[s], left_rows[s], choice[s] = 0, 0, -1
        if not is_open[s]:
            continue
        found = count_values(
            rows, start[s], start[s] + size[s], codes, row_of, target, weights, table, weight, number, met, missing
        )
        known[:] = 0.0
        total = 0.0
        for t in range(found):
            total += weight[met[t]]
            known_rows[s] += number[met[t]]
            for k in range(classes):
                known[k] += table[met[t], k]
        known_weight[s] = total
        present, first_class = 0, 0
        for k in range(classes - 1, -1, -1):
            if known[k] > 0.0 or missing[k] > 0.0:
                present += 1
                first_class = k
        if found >= 2:
            absent = missing.sum()
            before = impurity_to_divide(known, total, missing, absent, rule, criterion, logs)
            largest = least
            if present == 2:
                largest = _best_prefix(
                    first_class, met[:found], table, weight, known, total, missing, absent, rule, criterion, logs,
                    smallest, before, largest, inside,
                )  # fmt: skip
            elif found <= exhaustive:
                largest = _best_of_all(
                    met[:found], table, weight, known, total, missing, absent, rule, criterion, logs,
                    smallest, before, largest, inside,
                )  # fmt: skip
            else:
                for k in range(classes):
                    largest = _best_prefix(
                        k, met[:found], table, weight, known, total, missing, absent, rule, criterion, logs,
                        smallest, before, largest, inside,
                    )  # fmt: skip
            if largest > least:
                decrease[s], choice[s] = largest, 0
                for t in range(found):
                    if inside[t]:
                        left_weight[s] += weight[met[t]]
                        left_rows[s] += number[met[t]]
                if place[s] >= 0:
                    groups[place[s] : place[s] + levels] = 0 if left_weight[s] >= total - left_weight[s] else 1
                    for t in range(found):
                        groups[place[s] + met[t]] = 0 if inside[t] else 1
        for t in range(found):
            v = met[t]
            weight[v] = 0.0
            number[v] = 0
            for k in range(classes):
                table[v, k] = 0.0


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
    is_open: Flags,
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
    """As `splitting.scan_numeric`, with the missing rows in the score."""
    is_weighted = weights.shape[0] > 0
    left, known, missing = np.zeros(classes), np.zeros(classes), np.zeros(classes)
    for s in range(start.shape[0]):
        decrease[s], known_weight[s], left_weight[s], cut[s] = 0.0, 0.0, 0.0, -1
        if not is_open[s]:
            continue
        first, last = start[s], start[s] + known_rows[s]
        left[:], known[:], missing[:] = 0.0, 0.0, 0.0
        total, absent = 0.0, 0.0
        for i in range(first, start[s] + size[s]):
            w = weights[order[i]] if is_weighted else 1.0
            if i < last:
                known[target[order[i]]] += w
                total += w
            else:
                missing[target[order[i]]] += w
                absent += w
        known_weight[s] = total
        if total <= 0.0:
            continue
        before = impurity_to_divide(known, total, missing, absent, rule, criterion, logs)
        largest, weight_left = least, 0.0
        scale = (total + absent) / total if rule == SHARED else 1.0
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
