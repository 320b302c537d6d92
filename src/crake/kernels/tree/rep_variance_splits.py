"""Splits as REPTree scores them for numbers: a cut is chosen by the known rows, a column by all rows.

The rows without a value are shared out over the branches by their known weights. With z = y − mean of the node, and W
and S = Σ w·z of each branch, the squared error decreases by Σ_b S²/W − S²/W of the node.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Flags, Ints, Longs
from crake.kernels import kernel
from crake.kernels.tree.arrays import LevelArrays, NominalColumn, Responses, Scoring, SplitRecords


@kernel
def _squared(total: float, weight: float) -> float:
    """Return S²/W, 0 of a branch without rows."""
    return total * total / weight if weight > 0.0 else 0.0


@kernel
def scan_numeric_rep_variance(
    order: Ints,
    rank: Ints,
    known_rows: Longs,
    level: LevelArrays,
    node: Responses,
    is_open: Flags,
    scoring: Scoring,
    out: SplitRecords,
) -> None:
    """Find for each open node the cut that removes most of the known rows' error, and score it with the missing rows.

    Usable: both sides weigh at least `smallest`, with their share of the missing rows.
    """
    row_of, weights, response = level.row_of, level.weights, node.response
    is_weighted = weights.shape[0] > 0
    for s in range(level.start.shape[0]):
        out[s].decrease, out[s].known_weight, out[s].left_weight, out[s].right_weight = 0.0, 0.0, 0.0, 0.0
        out[s].cut, out[s].usable = -1, False
        if not is_open[s]:
            continue
        mean = node.mean[s]
        first, last = level.start[s], level.start[s] + known_rows[s]
        total, summed, absent, absent_sum = 0.0, 0.0, 0.0, 0.0
        for i in range(first, level.start[s] + level.size[s]):
            at = order[i]
            w = weights[at] if is_weighted else 1.0
            if i < last:
                total += w
                summed += w * (response[row_of[at]] - mean)
            else:
                absent += w
                absent_sum += w * (response[row_of[at]] - mean)
        out[s].known_weight = total
        weight, so_far, best, at_cut, at_weight, at_sum = 0.0, 0.0, -np.inf, -1, 0.0, 0.0
        for i in range(first, last - 1):
            at = order[i]
            w = weights[at] if is_weighted else 1.0
            weight += w
            so_far += w * (response[row_of[at]] - mean)
            if rank[i + 1] == rank[i]:
                continue
            explained = _squared(so_far, weight) + _squared(summed - so_far, total - weight)
            if explained > best:
                best, at_cut, at_weight, at_sum = explained, i, weight, so_far
        if at_cut < 0:
            continue
        out[s].cut, out[s].left_weight, out[s].right_weight = at_cut, at_weight, total - at_weight
        part = at_weight / total
        left, right = at_weight + part * absent, total - at_weight + (1.0 - part) * absent
        left_sum, right_sum = at_sum + part * absent_sum, summed - at_sum + (1.0 - part) * absent_sum
        whole = _squared(summed + absent_sum, total + absent)
        out[s].decrease = _squared(left_sum, left) + _squared(right_sum, right) - whole
        out[s].usable = min(left, right) >= scoring.smallest


@kernel
def scan_multiway_rep_variance(
    level: LevelArrays, node: Responses, column: NominalColumn, is_open: Flags, scoring: Scoring, out: SplitRecords
) -> None:
    """Find for each open node how much error goes when every value of the column gets its branch.

    Usable: at least two branches weigh `smallest`, with their share of the missing rows.
    """
    rows, row_of, weights, response = level.rows, level.row_of, level.weights, node.response
    is_weighted = weights.shape[0] > 0
    weight, sums = np.zeros(column.levels), np.zeros(column.levels)
    for s in range(level.start.shape[0]):
        out[s].decrease, out[s].known_weight, out[s].usable = 0.0, 0.0, False
        if not is_open[s]:
            continue
        weight[:], sums[:] = 0.0, 0.0
        known, absent, absent_sum, whole = 0.0, 0.0, 0.0, 0.0
        for i in range(level.start[s], level.start[s] + level.size[s]):
            at = rows[i]
            v = column.codes[row_of[at]]
            w = weights[at] if is_weighted else 1.0
            d = w * (response[row_of[at]] - node.mean[s])
            whole += d
            if v < 0:
                absent += w
                absent_sum += d
            else:
                known += w
                weight[v] += w
                sums[v] += d
        out[s].known_weight = known
        if known <= 0.0:
            continue
        explained, enough = 0.0, 0
        for v in range(column.levels):
            part = weight[v] / known
            mine = weight[v] + part * absent
            enough += mine >= scoring.smallest
            explained += _squared(sums[v] + part * absent_sum, mine)
        out[s].decrease = explained - _squared(whole, known + absent)
        out[s].usable = enough >= 2
