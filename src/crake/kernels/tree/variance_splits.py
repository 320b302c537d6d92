"""The best splits of every node of a level by squared error.

Responses are taken less the mean of their node, so that sums keep their digits, and rounded to a grid so fine that sums
are exact: no order of the rows changes a split. With weight W and sum S of a side,

    Σ w·(y − ȳ)² decreases by Σ_sides S²/W − S²/W of what is divided.

The values of a nominal column are ordered by their mean; the best division is a prefix (Fisher 1958).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.grid import anchor_of, on_grid
from crake.kernels.inlined import inlined
from crake.kernels.small_sort import sort_places, sort_values
from crake.kernels.tree.arrays import (
    Groups,
    LevelArrays,
    MomentRecords,
    NominalColumn,
    Responses,
    Scoring,
    SplitRecords,
)
from crake.kernels.tree.split_gain import KNOWN, SHARED, scale_of_sides
from crake.kernels.tree.value_table import write_sides
from crake.kernels.typed_constants import ZERO

HALF_STEP = 2.0**-53
"""Half a step of a grid is no more than this part of its anchor."""


@inlined
def _in_two(number: float, coarse: float, fine: float) -> tuple[float, float]:
    """Return a number as its place on a coarse grid, and on a fine one what that leaves."""
    first = on_grid(number, coarse)
    return first, on_grid(number - first, fine)


@inlined
def _fine_anchor(coarse: float, number: int) -> float:
    """Return the anchor of the grid for what a coarse grid leaves of some numbers: half a step of each at most."""
    return anchor_of(coarse * HALF_STEP * number)


@kernel
def node_moments(level: LevelArrays, response: Floats, moments: MomentRecords, deviation: Floats) -> None:
    """Fill in the moments of each node, and the deviation of each instance.

    All sums are exact, so the order of the rows does not matter. The mean is that of the numbers less the middle of
    their range, each in two parts of 51 bits. So are the squares.
    """
    rows, row_of, weights, start, size = level.rows, level.row_of, level.weights, level.start, level.size
    is_weighted = weights.shape[0] > 0
    for s in range(start.shape[0]):
        first, last = start[s], start[s] + size[s]
        total, low, high = 0.0, np.inf, -np.inf
        for i in range(first, last):
            y = response[row_of[rows[i]]]
            total += weights[rows[i]] if is_weighted else 1.0
            low, high = min(low, y), max(high, y)
        mean, squares, summed = low if total > 0.0 else 0.0, 0.0, 0.0
        if low < high and total > 0.0:
            middle = low / 2.0 + high / 2.0
            coarse = anchor_of(total * max(high - middle, middle - low))
            fine = _fine_anchor(coarse, size[s])
            sum_coarse, sum_fine = 0.0, 0.0
            for i in range(first, last):
                w = weights[rows[i]] if is_weighted else 1.0
                c, f = _in_two(w * (response[row_of[rows[i]]] - middle), coarse, fine)
                sum_coarse += c
                sum_fine += f
            mean = min(max(middle + (sum_coarse + sum_fine) / total, low), high)
            widest = max(high - mean, mean - low)
            anchor, coarse = anchor_of(total * widest), anchor_of(total * widest * widest)
            fine = _fine_anchor(coarse, size[s])
            sum_coarse, sum_fine = 0.0, 0.0
            for i in range(first, last):
                w, d = weights[rows[i]] if is_weighted else 1.0, response[row_of[rows[i]]] - mean
                deviation[rows[i]] = on_grid(w * d, anchor)
                summed += deviation[rows[i]]
                c, f = _in_two(w * d * d, coarse, fine)
                sum_coarse += c
                sum_fine += f
            squares = sum_coarse + sum_fine
        own = moments[s]
        own.mean, own.squares, own.low, own.high = mean, squares, low, high
        own.weight, own.summed = total, summed


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
def known_responses(
    order: Ints, first: int, last: int, weights: Floats, deviation: Floats, own: Any, is_complete: bool
) -> tuple[float, float]:
    """Return the weight and the deviations of the rows first … last of a list: those with a value, or all."""
    if is_complete:
        return own.weight, own.summed
    is_weighted = weights.shape[0] > 0
    known, summed = 0.0, 0.0
    for i in range(first, last):
        known += weights[order[i]] if is_weighted else 1.0
        summed += deviation[order[i]]
    return known, summed


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
    weights, deviation, rule = level.weights, node.deviation, scoring.rule
    is_weighted = weights.shape[0] > 0
    for s in range(level.start.shape[0]):
        out[s].decrease, out[s].known_weight, out[s].left_weight, out[s].cut = 0.0, 0.0, 0.0, -1
        if not is_open[s]:
            continue
        own, first, last = node.node[s], level.start[s], level.start[s] + known_rows[s]
        is_complete = known_rows[s] == level.size[s]
        total, summed = known_responses(order, first, last, weights, deviation, own, is_complete)
        absent, absent_sum = own.weight - total, own.summed - summed
        out[s].known_weight = total
        if total <= 0.0:
            continue
        scale = scale_of_sides(total, absent, rule)
        is_plain, before = rule == KNOWN or absent <= 0.0, summed * summed / total
        weight, so_far, best, at_cut, at_weight = 0.0, 0.0, scoring.least, -1, 0.0
        for i in range(first, last - 1):
            at = np.uint32(order[i])  # an index that might be negative is asked about at every use
            w = weights[at] if is_weighted else 1.0
            weight += w
            so_far += deviation[at]
            if rank[i + 1] == rank[i] or min(weight, total - weight) * scale < scoring.smallest:
                continue
            if total - weight <= 0.0:
                break
            if is_plain:  # an operator would ask whether a weight is 0
                rest = summed - so_far
                sides = np.divide(so_far * so_far, weight) + np.divide(rest * rest, total - weight)
                gained = sides - before
            else:
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
    rows, row_of, weights, deviation = level.rows, level.row_of, level.weights, node.deviation
    codes, levels, rule = column.codes, column.levels, scoring.rule
    is_weighted = weights.shape[0] > 0
    sums, weight = np.zeros(levels), np.zeros(levels)
    number, present, inside = np.zeros(levels, np.int64), np.zeros(levels, np.int32), np.zeros(levels, np.bool_)
    for s in range(level.start.shape[0]):
        out[s].decrease, out[s].known_weight, out[s].left_weight = 0.0, 0.0, 0.0
        out[s].known_rows, out[s].left_rows, out[s].choice = 0, 0, -1
        if not is_open[s]:
            continue
        values = ZERO
        total, summed, absent, absent_sum = 0.0, 0.0, 0.0, 0.0
        for i in range(level.start[s], level.start[s] + level.size[s]):
            at = rows[i]
            v = codes[row_of[at]]
            w = weights[at] if is_weighted else 1.0
            d = deviation[at]
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
