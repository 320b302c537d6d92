"""The best splits of every node of a level by squared error.

Responses are taken less the mean of their node, so that sums keep their digits: with weight W and sum S of a side,

    Σ w·(y − ȳ)² decreases by Σ_sides S²/W − S²/W of what is divided.

The values of a nominal column are ordered by their mean; the best division is a prefix (Fisher 1958).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel
from crake.kernels.tree.small_sort import sort_places, sort_values
from crake.kernels.tree.split_gain import KNOWN, SHARED, scale_of_sides
from crake.kernels.tree.value_table import write_sides
from crake.kernels.typed_constants import ZERO

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]


@kernel
def node_moments(
    rows: Ints, row_of: Ints, weights: Floats, start: Longs, size: Longs, response: Floats, moments: Floats
) -> None:
    """moments[node] = mean, Σ w·(y − mean)², smallest and largest response."""
    is_weighted = weights.shape[0] > 0
    for s in range(start.shape[0]):
        total, summed, low, high = 0.0, 0.0, np.inf, -np.inf
        for i in range(start[s], start[s] + size[s]):
            w, y = weights[rows[i]] if is_weighted else 1.0, response[row_of[rows[i]]]
            total += w
            summed += w * y
            low, high = min(low, y), max(high, y)
        mean = summed / total if total > 0.0 else 0.0
        mean = min(max(mean, low), high) if total > 0.0 else 0.0
        squares = 0.0
        for i in range(start[s], start[s] + size[s]):
            w, d = weights[rows[i]] if is_weighted else 1.0, response[row_of[rows[i]]] - mean
            squares += w * d * d
        moments[s, 0], moments[s, 1], moments[s, 2], moments[s, 3] = mean, squares, low, high


@kernel
def _explained(
    left_weight: float,
    left_sum: float,
    known_weight: float,
    known_sum: float,
    missing_weight: float,
    missing_sum: float,
    rule: int,
) -> float:
    """Σ S²/W of the sides, less that of what is divided."""
    weight_left, sum_left = left_weight, left_sum
    weight_right, sum_right = known_weight - left_weight, known_sum - left_sum
    weight, total = known_weight, known_sum
    own = 0.0
    if rule != KNOWN and missing_weight > 0.0:
        weight, total = known_weight + missing_weight, known_sum + missing_sum
        if rule == SHARED:
            part = left_weight / known_weight
            weight_left, sum_left = weight_left + part * missing_weight, sum_left + part * missing_sum
            weight_right += (1.0 - part) * missing_weight
            sum_right += (1.0 - part) * missing_sum
        else:
            own = missing_sum * missing_sum / missing_weight
    sides = sum_left * sum_left / weight_left + sum_right * sum_right / weight_right
    return sides + own - total * total / weight


@kernel
def scan_numeric_variance(
    order: Ints,
    rank: Ints,
    row_of: Ints,
    weights: Floats,
    start: Longs,
    size: Longs,
    known_rows: Longs,
    response: Floats,
    mean: Floats,
    is_open: Flags,
    rule: int,
    smallest: float,
    least: float,
    decrease: Floats,
    known_weight: Floats,
    left_weight: Floats,
    cut: Longs,
) -> None:
    """For each open node: the largest decrease of the squared error, and where in the list its left side ends."""
    is_weighted = weights.shape[0] > 0
    for s in range(start.shape[0]):
        decrease[s], known_weight[s], left_weight[s], cut[s] = 0.0, 0.0, 0.0, -1
        if not is_open[s]:
            continue
        first, last = start[s], start[s] + known_rows[s]
        total, summed, absent, absent_sum = 0.0, 0.0, 0.0, 0.0
        for i in range(first, start[s] + size[s]):
            at = order[i]
            w = weights[at] if is_weighted else 1.0
            if i < last:
                total += w
                summed += w * (response[row_of[at]] - mean[s])
            else:
                absent += w
                absent_sum += w * (response[row_of[at]] - mean[s])
        known_weight[s] = total
        if total <= 0.0:
            continue
        scale = scale_of_sides(total, absent, rule)
        weight, so_far, best = 0.0, 0.0, least
        for i in range(first, last - 1):
            at = order[i]
            w = weights[at] if is_weighted else 1.0
            weight += w
            so_far += w * (response[row_of[at]] - mean[s])
            if rank[i + 1] == rank[i] or min(weight, total - weight) * scale < smallest:
                continue
            if total - weight <= 0.0:
                break
            gained = _explained(weight, so_far, total, summed, absent, absent_sum, rule)
            if gained > best:
                best, cut[s] = gained, i
                left_weight[s] = weight
        decrease[s] = best if cut[s] >= 0 else 0.0


@kernel
def scan_subset_variance(
    rows: Ints,
    codes: Ints,
    row_of: Ints,
    weights: Floats,
    start: Longs,
    size: Longs,
    response: Floats,
    mean: Floats,
    is_open: Flags,
    levels: int,
    rule: int,
    smallest: float,
    least: float,
    decrease: Floats,
    known_weight: Floats,
    known_rows: Longs,
    left_weight: Floats,
    left_rows: Longs,
    choice: Longs,
    place: Longs,
    groups: Ints,
) -> None:
    """As `subset_splits.scan_subset`, by squared error."""
    is_weighted = weights.shape[0] > 0
    sums, weight = np.zeros(levels), np.zeros(levels)
    number, met, inside = np.zeros(levels, np.int64), np.zeros(levels, np.int32), np.zeros(levels, np.bool_)
    for s in range(start.shape[0]):
        decrease[s], known_weight[s], left_weight[s] = 0.0, 0.0, 0.0
        known_rows[s], left_rows[s], choice[s] = 0, 0, -1
        if not is_open[s]:
            continue
        found = ZERO
        total, summed, absent, absent_sum = 0.0, 0.0, 0.0, 0.0
        for i in range(start[s], start[s] + size[s]):
            at = rows[i]
            v = codes[row_of[at]]
            w = weights[at] if is_weighted else 1.0
            d = w * (response[row_of[at]] - mean[s])
            if v < 0:
                absent += w
                absent_sum += d
                continue
            if number[v] == 0:
                met[found] = v
                found += 1
            number[v] += 1
            weight[v] += w
            sums[v] += d
            known_rows[s] += 1
        sort_values(met, found)
        share, places = np.empty(found), np.empty(found, np.int64)
        for t in range(found):
            share[t] = sums[met[t]] / weight[met[t]]
            total += weight[met[t]]
            summed += sums[met[t]]
        known_weight[s] = total
        sort_places(share, places)
        scale = scale_of_sides(total, absent, rule)
        so_far, so_far_sum, best, best_prefix = 0.0, 0.0, least, -1
        for t in range(found - 1):
            v = met[places[t]]
            so_far += weight[v]
            so_far_sum += sums[v]
            if min(so_far, total - so_far) * scale < smallest or total - so_far <= 0.0:
                continue
            gained = _explained(so_far, so_far_sum, total, summed, absent, absent_sum, rule)
            if gained > best:
                best, best_prefix = gained, t
        if best_prefix >= 0:
            decrease[s], choice[s] = best, 0
            for t in range(found):
                inside[places[t]] = t <= best_prefix
                if t <= best_prefix:
                    left_weight[s] += weight[met[places[t]]]
                    left_rows[s] += number[met[places[t]]]
            if place[s] >= 0:
                heavier = 0 if left_weight[s] >= total - left_weight[s] else 1
                write_sides(place[s], levels, met, inside, found, heavier, groups)
        for t in range(found):
            v = met[t]
            weight[v], sums[v], number[v] = 0.0, 0.0, 0
