"""The best division of a nominal column's values into two sets, for every node of a level.

For two classes the values are ordered by the share of the first class, and the best division is a prefix of that order
(Breiman et al. 1984, theorem 4.5). For more classes all divisions are tried, or, beyond some number of values, the
prefixes of the orders by the share of each class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel
from crake.kernels.tree.small_sort import sort_places
from crake.kernels.tree.split_gain import decrease_of, impurity_to_divide, scale_of_sides
from crake.kernels.tree.value_table import add_values, count_values, forget_values, write_sides

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]
Classes = NDArray[np.uint8] | NDArray[np.int32]


@kernel
def _best_prefix(
    by: int,
    met: Ints,
    found: int,
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
    share, order = np.empty(found), np.empty(found, np.int64)
    for t in range(found):
        share[t] = table[met[t], by] / weight[met[t]]
    sort_places(share, order)
    left = np.zeros(known.shape[0])
    left_weight, best = 0.0, -1
    scale = scale_of_sides(known_weight, missing_weight, rule)
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
        for t in range(found):
            inside[order[t]] = t <= best
    return largest


@kernel
def _best_of_all(
    met: Ints,
    found: int,
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
    classes = known.shape[0]
    sums, sums_weight = np.zeros((1 << (found - 1), classes)), np.zeros(1 << (found - 1))
    scale = scale_of_sides(known_weight, missing_weight, rule)
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
            before, sums[members], sums_weight[members], known, known_weight, missing, missing_weight, rule, criterion,
            logs,
        )  # fmt: skip
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
        total = add_values(met, found, table, weight, known)
        known_weight[s] = total
        absent, present, first_class = 0.0, 0, 0
        for k in range(classes):
            absent += missing[k]
            if known[k] > 0.0 or missing[k] > 0.0:
                first_class = k if present == 0 else first_class
                present += 1
        for t in range(found):
            known_rows[s] += number[met[t]]
        largest = least
        if found >= 2:
            before = impurity_to_divide(known, total, missing, absent, rule, criterion, logs)
            if present != 2 and found <= exhaustive:
                largest = _best_of_all(
                    met, found, table, weight, known, total, missing, absent, rule, criterion, logs, smallest, before,
                    largest, inside,
                )  # fmt: skip
            else:
                is_two = present == 2
                for k in range(first_class if is_two else 0, first_class + 1 if is_two else classes):
                    largest = _best_prefix(
                        k, met, found, table, weight, known, total, missing, absent, rule, criterion, logs, smallest,
                        before, largest, inside,
                    )  # fmt: skip
        if largest > least:
            decrease[s], choice[s] = largest, 0
            for t in range(found):
                if inside[t]:
                    left_weight[s] += weight[met[t]]
                    left_rows[s] += number[met[t]]
            if place[s] >= 0:
                heavier = 0 if left_weight[s] >= total - left_weight[s] else 1
                write_sides(place[s], levels, met, inside, found, heavier, groups)
        forget_values(met, found, table, weight, number)
