"""The best splits of every node of a level by squared error.

Responses are taken less the mean of their node, so that sums keep their digits: with weight W and sum S of a side,

    Σ w·(y − ȳ)² decreases by Σ_sides S²/W − S²/W of what is divided.

The values of a nominal column are ordered by their mean; the best division is a prefix (Fisher 1958).
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.inlined import inlined
from crake.kernels.small_sort import sort_places, sort_values
from crake.kernels.tree.arrays import Groups, LevelArrays, NominalColumn, Responses, Scoring, SplitRecords
from crake.kernels.tree.split_gain import KNOWN, SHARED, scale_of_sides
from crake.kernels.tree.value_table import write_sides
from crake.kernels.typed_constants import ZERO


@kernel
def node_moments(level: LevelArrays, response: Floats, moments: Floats) -> None:
    """Fill moments[node] with mean, Σ w·(y − mean)², smallest and largest response."""
    rows, row_of, weights, start, size = level.rows, level.row_of, level.weights, level.start, level.size
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


@inlined
def sum_responses(
    order: Ints, first: int, last: int, size: int, level: LevelArrays, response: Floats, mean: float
) -> tuple[float, float, float, float]:
    """Return weight and Σ w·(y − mean) of a node's rows with a value, first … last in the list, and of those without.

    The node has `size` rows.
    """
    row_of, weights = level.row_of, level.weights
    is_weighted = weights.shape[0] > 0
    known, known_sum, missing, missing_sum = 0.0, 0.0, 0.0, 0.0
    for i in range(first, first + size):
        w = weights[order[i]] if is_weighted else 1.0
        d = w * (response[row_of[order[i]]] - mean)
        if i < last:
            known += w
            known_sum += d
        else:
            missing += w
            missing_sum += d
    return known, known_sum, missing, missing_sum


@kernel
def scan_numeric_variance(
    order: Ints,
    rank: Ints,
    known_rows: Longs,
    level: LevelArrays,
    node: Responses,
    is_open: Flags,
    scoring: Scoring,
    out: SplitRecords,
) -> None:
    """Find for each open node the largest decrease of the squared error, and where in the list its left side ends."""
    row_of, weights = level.row_of, level.weights
    response, rule = node.response, scoring.rule
    is_weighted = weights.shape[0] > 0
    for s in range(level.start.shape[0]):
        out[s].decrease, out[s].known_weight, out[s].left_weight, out[s].cut = 0.0, 0.0, 0.0, -1
        if not is_open[s]:
            continue
        mean = node.mean[s]
        first, last = level.start[s], level.start[s] + known_rows[s]
        total, summed, absent, absent_sum = sum_responses(order, first, last, level.size[s], level, response, mean)
        out[s].known_weight = total
        if total <= 0.0:
            continue
        scale = scale_of_sides(total, absent, rule)
        weight, so_far, best, at_cut, at_weight = 0.0, 0.0, scoring.least, -1, 0.0
        for i in range(first, last - 1):
            at = order[i]
            w = weights[at] if is_weighted else 1.0
            weight += w
            so_far += w * (response[row_of[at]] - mean)
            if rank[i + 1] == rank[i] or min(weight, total - weight) * scale < scoring.smallest:
                continue
            if total - weight <= 0.0:
                break
            gained = _explained(weight, so_far, total, summed, absent, absent_sum, rule)
            if gained > best:
                best, at_cut, at_weight = gained, i, weight
        out[s].cut, out[s].left_weight, out[s].decrease = at_cut, at_weight, best if at_cut >= 0 else 0.0


@kernel
def scan_subset_variance(
    level: LevelArrays,
    node: Responses,
    column: NominalColumn,
    is_open: Flags,
    scoring: Scoring,
    out: SplitRecords,
    sides: Groups,
) -> None:
    """Scan as `subset_splits.scan_subset`, by squared error."""
    rows, row_of, weights, response = level.rows, level.row_of, level.weights, node.response
    codes, levels, rule = column.codes, column.levels, scoring.rule
    is_weighted = weights.shape[0] > 0
    sums, weight = np.zeros(levels), np.zeros(levels)
    number, present, inside = np.zeros(levels, np.int64), np.zeros(levels, np.int32), np.zeros(levels, np.bool_)
    for s in range(level.start.shape[0]):
        out[s].decrease, out[s].known_weight, out[s].left_weight = 0.0, 0.0, 0.0
        out[s].known_rows, out[s].left_rows, out[s].choice = 0, 0, -1
        if not is_open[s]:
            continue
        mean, values = node.mean[s], ZERO
        total, summed, absent, absent_sum = 0.0, 0.0, 0.0, 0.0
        for i in range(level.start[s], level.start[s] + level.size[s]):
            at = rows[i]
            v = codes[row_of[at]]
            w = weights[at] if is_weighted else 1.0
            d = w * (response[row_of[at]] - mean)
            if v < 0:
                absent += w
                absent_sum += d
                continue
            if number[v] == 0:
                present[values] = v
                values += 1
            number[v] += 1
            weight[v] += w
            sums[v] += d
            out[s].known_rows += 1
        sort_values(present, values)
        share, places = np.empty(values), np.empty(values, np.int64)
        for t in range(values):
            share[t] = sums[present[t]] / weight[present[t]]
            total += weight[present[t]]
            summed += sums[present[t]]
        out[s].known_weight = total
        sort_places(share, places)
        scale = scale_of_sides(total, absent, rule)
        so_far, so_far_sum, best, best_prefix = 0.0, 0.0, scoring.least, -1
        for t in range(values - 1):
            v = present[places[t]]
            so_far += weight[v]
            so_far_sum += sums[v]
            if min(so_far, total - so_far) * scale < scoring.smallest or total - so_far <= 0.0:
                continue
            gained = _explained(so_far, so_far_sum, total, summed, absent, absent_sum, rule)
            if gained > best:
                best, best_prefix = gained, t
        if best_prefix >= 0:
            out[s].decrease, out[s].choice = best, 0
            for t in range(values):
                inside[places[t]] = t <= best_prefix
                if t <= best_prefix:
                    out[s].left_weight += weight[present[places[t]]]
                    out[s].left_rows += number[present[places[t]]]
            if sides.place[s] >= 0:
                heavier = 0 if out[s].left_weight >= total - out[s].left_weight else 1
                write_sides(sides, s, levels, present, inside, values, heavier)
        for t in range(values):
            v = present[t]
            weight[v], sums[v], number[v] = 0.0, 0.0, 0
