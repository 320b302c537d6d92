"""Splits as REPTree scores them: a cut is chosen by the known rows, a column by all rows.

The rows without a value are shared out over the branches by their known weights. The score is the information gain
H(classes) − Σ_b (W_b/W)·H(branch b). Its sums are made anew for every split, in the order of the branches, so that
equal splits of two columns come out equal, and as WEKA rounds them.

Of numbers the score is a decrease of squared error. With z = y − mean of the node, and W and S = Σ w·z of each branch,
it is Σ_b S²/W − S²/W of the node.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.tree.arrays import LevelArrays, NominalColumn, Responses, Scoring, SplitRecords
from crake.kernels.tree.impurity import ENTROPY, LN2, term
from crake.kernels.tree.numeric_splits import weigh_classes
from crake.kernels.tree.value_table import ValueTable, add_values, count_values, empty_table, forget_values
from crake.kernels.tree.variance_splits import known_responses


@kernel
def add_branch(terms: float, counts: Floats, logs: Floats) -> float:
    """Return terms + Σ f(n_k) − f(W) with f(n) = n·ln n, of the class weights of one more branch."""
    weight = 0.0
    for k in range(counts.shape[0]):
        terms += term(counts[k], ENTROPY, logs)
        weight += counts[k]
    return terms - term(weight, ENTROPY, logs)


@kernel
def entropy_of(counts: Floats, logs: Floats) -> tuple[float, float]:
    """Return the entropy of class weights in bits, and their sum."""
    terms, weight = 0.0, 0.0
    for k in range(counts.shape[0]):
        terms -= term(counts[k], ENTROPY, logs)
        weight += counts[k]
    if weight <= 0.0:
        return 0.0, weight
    return (terms + term(weight, ENTROPY, logs)) / (weight * LN2), weight


@kernel
def scan_numeric_rep(
    order: Ints, rank: Ints, known_rows: Longs, level: LevelArrays, is_open: Flags, scoring: Scoring, out: SplitRecords
) -> None:
    """Find for each open node the cut by which the known rows gain most, and score it with the missing rows.

    `decrease` is the gain in bits. Usable: both sides weigh at least `smallest`, with their share of the missing rows.
    """
    target, weights, logs = level.target, level.weights, scoring.logs
    is_weighted, classes = weights.shape[0] > 0, scoring.classes
    left, right, whole = np.zeros(classes), np.zeros(classes), np.zeros(classes)
    best_left, best_right = np.zeros(classes), np.zeros(classes)
    for s in range(level.start.shape[0]):
        out[s].decrease, out[s].known_weight, out[s].left_weight, out[s].cut = 0.0, 0.0, 0.0, -1
        out[s].usable = False
        if not is_open[s]:
            continue
        first, last = level.start[s], level.start[s] + known_rows[s]
        weigh_classes(order, first, last, target, weights, whole)
        before, total = entropy_of(whole, logs)
        out[s].known_weight = total
        for k in range(classes):
            left[k], right[k] = 0.0, whole[k]
        best, at_cut = -np.inf, -1
        for i in range(first, last - 1):
            w = weights[order[i]] if is_weighted else 1.0
            left[target[order[i]]] += w
            right[target[order[i]]] -= w
            if rank[i + 1] == rank[i]:
                continue
            gain = before + add_branch(add_branch(0.0, left, logs), right, logs) / (total * LN2)
            if gain > best:
                best, at_cut = gain, i
                best_left[:], best_right[:] = left, right
        if at_cut < 0:
            continue
        # Sums after adding and taking away row by row: their last bits decide which leaves are pruned.
        out[s].left_weight, out[s].right_weight = best_left.sum(), best_right.sum()
        part = out[s].left_weight / (out[s].left_weight + out[s].right_weight)
        for i in range(last, level.start[s] + level.size[s]):
            w = weights[order[i]] if is_weighted else 1.0
            best_left[target[order[i]]] += part * w
            best_right[target[order[i]]] += (1.0 - part) * w
        for k in range(classes):
            whole[k] = best_left[k] + best_right[k]
        before, total = entropy_of(whole, logs)
        out[s].decrease = before + add_branch(add_branch(0.0, best_left, logs), best_right, logs) / (total * LN2)
        out[s].cut, out[s].usable = at_cut, min(best_left.sum(), best_right.sum()) >= scoring.smallest


@kernel
def share_out(table: ValueTable, values: int, level: LevelArrays, node: int, codes: Ints) -> None:
    """Add a part of every missing row to the class weights of every value: the value's part of the known weight."""
    total = 0.0
    for t in range(values):
        total += table.weight[table.present[t]]
    is_weighted = level.weights.shape[0] > 0
    for i in range(level.start[node], level.start[node] + level.size[node]):
        at = level.rows[i]
        if codes[level.row_of[at]] < 0:
            w = level.weights[at] if is_weighted else 1.0
            for t in range(values):
                v = table.present[t]
                table.counts[v, level.target[at]] += table.weight[v] / total * w


@kernel
def scan_multiway_rep(
    level: LevelArrays, column: NominalColumn, is_open: Flags, scoring: Scoring, out: SplitRecords
) -> None:
    """Find for each open node the gain in bits when every value of the column gets its branch.

    Usable: at least two branches weigh `smallest`, with their share of the missing rows.
    """
    logs = scoring.logs
    table = empty_table(column.levels, scoring.classes)
    for s in range(level.start.shape[0]):
        out[s].decrease, out[s].known_weight, out[s].usable = 0.0, 0.0, False
        if not is_open[s]:
            continue
        values = count_values(table, level, s, column.codes)
        if table.missing.sum() > 0.0:
            share_out(table, values, level, s, column.codes)
        out[s].known_weight = add_values(table, values)
        before, total = entropy_of(table.known, logs)
        terms, enough = 0.0, 0
        for t in range(values):
            branch = table.counts[table.present[t]]
            enough += branch.sum() >= scoring.smallest
            terms = add_branch(terms, branch, logs)
        if values > 0:
            out[s].decrease, out[s].usable = before + terms / (total * LN2), enough >= 2
        forget_values(table, values)


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
    weights, deviation = level.weights, node.deviation
    is_weighted = weights.shape[0] > 0
    for s in range(level.start.shape[0]):
        out[s].decrease, out[s].known_weight, out[s].left_weight, out[s].right_weight = 0.0, 0.0, 0.0, 0.0
        out[s].cut, out[s].usable = -1, False
        if not is_open[s]:
            continue
        own, first, last = node.node[s], level.start[s], level.start[s] + known_rows[s]
        is_complete = known_rows[s] == level.size[s]
        total, summed = known_responses(order, first, last, weights, deviation, own, is_complete)
        absent, absent_sum = own.weight - total, own.summed - summed
        out[s].known_weight = total
        weight, so_far, best, at_cut, at_weight, at_sum = 0.0, 0.0, -np.inf, -1, 0.0, 0.0
        for i in range(first, last - 1):
            at = order[i]
            w = weights[at] if is_weighted else 1.0
            weight += w
            so_far += deviation[at]
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
    rows, row_of, weights, deviation = level.rows, level.row_of, level.weights, node.deviation
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
            d = deviation[at]
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
