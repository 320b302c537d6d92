"""C4.5's split of one node, from counts of codes: gain ratio among attributes of at least average gain."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.rules.arrays import CodedArrays, CountTable
from crake.kernels.rules.count_codes import count_codes, forget_codes
from crake.kernels.tree.impurity import LN2, NOTHING
from crake.kernels.typed_constants import ZERO

AVERAGE_MARGIN = 1e-3
"""An attribute's gain may be this far below the average gain."""


class SplitRules(NamedTuple):
    """Settings of C4.5's splits.

    A split needs two branches that weigh `smallest`. Neighbouring numbers within `gap` are not cut apart. With
    `counts_rows` a cut needs as many rows as its two sides must weigh. With `has_correction` log2(cuts)/W is taken off
    the gain of a number. `is_averaged` says which attributes enter the average gain. `logs` holds n·ln n of whole
    numbers.
    """

    smallest: float
    gap: float
    counts_rows: bool
    has_correction: bool
    is_averaged: Flags
    logs: Floats


class Scores(NamedTuple):
    """The split of each attribute: may it be chosen, its gain and gain ratio, and the ranks beside its cut."""

    usable: Flags
    gain: Floats
    ratio: Floats
    cut: Longs
    above: Longs


@kernel
def n_log_n(n: float, logs: Floats) -> float:
    """Return n·ln n, 0 for (next to) nothing; whole numbers are looked up."""
    whole = int(n)
    if whole == n and whole < logs.shape[0]:
        return float(logs[whole])
    return n * math.log(n) if n > NOTHING else 0.0


@kernel
def fill_logs(logs: Floats) -> None:
    """Write n·ln n of the whole numbers."""
    for n in range(1, logs.shape[0]):
        logs[n] = n * math.log(float(n))


@kernel
def _score(
    attribute: int,
    gained: float,
    known: float,
    branches: float,
    cuts: int,
    weight: float,
    rules: SplitRules,
    out: Scores,
) -> None:
    """Write gain and gain ratio of a split that decreases weight × entropy by `gained`; branches is Σ W_b·ln W_b.

    `cuts` is the number of cuts that were possible, 0 for names.
    """
    gain = gained / (LN2 * weight)
    if known / weight * (gained / LN2) < NOTHING:
        gain = 0.0
    if cuts > 0 and rules.has_correction:
        gain -= math.log2(float(cuts)) / weight
    information = (n_log_n(weight, rules.logs) - branches - n_log_n(weight - known, rules.logs)) / LN2
    out.gain[attribute] = gain
    out.ratio[attribute] = gain * weight / information if information >= NOTHING else 0.0


@kernel
def _names(attribute: int, number: int, weight: float, table: CountTable, rules: SplitRules, out: Scores) -> None:
    """Score a branch per value."""
    counts, present, logs = table.counts, table.present, rules.logs
    classes = counts.shape[1]
    total = np.zeros(classes)
    known, after, branches, enough = 0.0, 0.0, 0.0, 0
    for at in range(number):
        code = present[at]
        own, terms = 0.0, 0.0
        for k in range(classes):
            own += counts[code, k]
            total[k] += counts[code, k]
            terms += n_log_n(counts[code, k], logs)
        known += own
        if own + NOTHING >= rules.smallest:
            enough += 1
        of_branch = n_log_n(own, logs)
        after += of_branch - terms
        branches += of_branch
    before = n_log_n(known, logs)
    for k in range(classes):
        before -= n_log_n(total[k], logs)
    out.usable[attribute] = enough >= 2
    if enough >= 2:
        _score(attribute, before - after, known, branches, ZERO, weight, rules, out)


@kernel
def _numbers(
    coded: CodedArrays, attribute: int, number: int, known_rows: int, weight: float, table: CountTable,
    rules: SplitRules, out: Scores,
) -> None:  # fmt: skip
    """Score the best cut; the first of equals."""
    counts, present, logs, values = table.counts, table.present, rules.logs, coded.values
    classes, start = counts.shape[1], coded.start[attribute]
    out.usable[attribute] = False
    left, right = np.zeros(classes), np.zeros(classes)
    for at in range(number):
        for k in range(classes):
            right[k] += counts[present[at], k]
    whole, before = 0.0, 0.0
    for k in range(classes):
        whole += right[k]
        before -= n_log_n(right[k], logs)
    before += n_log_n(whole, logs)
    least = 0.1 * whole / classes
    least = rules.smallest if least <= rules.smallest + NOTHING else min(least, 25.0)
    if whole + NOTHING < 2.0 * least or (rules.counts_rows and known_rows + NOTHING < 2.0 * least):
        return
    weight_left, weight_right, best, at_weight = 0.0, whole, 0.0, 0.0
    admissible, at_cut, margin = ZERO, -1, NOTHING * weight * LN2
    for at in range(number - 1):
        code = present[at]
        for k in range(classes):
            w = counts[code, k]
            left[k] += w
            right[k] -= w
            weight_left += w
            weight_right -= w
        if weight_left + NOTHING < least:
            continue
        if weight_right + NOTHING < least:
            break
        if not values[start + present[at + 1]] > values[start + code] + rules.gap:
            continue
        admissible += 1
        after = n_log_n(weight_left, logs) + n_log_n(weight_right, logs)
        for k in range(classes):
            after -= n_log_n(left[k], logs) + n_log_n(right[k], logs)
        if before - after > best + margin:
            best, at_cut, at_weight = before - after, at, weight_left
    if at_cut < 0:
        return
    branches = n_log_n(at_weight, logs) + n_log_n(whole - at_weight, logs)
    _score(attribute, best, whole, branches, admissible, weight, rules, out)
    out.usable[attribute] = out.gain[attribute] > NOTHING
    out.cut[attribute], out.above[attribute] = present[at_cut], present[at_cut + 1]


@kernel
def threshold_rank(coded: CodedArrays, attribute: int, low: int, high: int) -> int:
    """Return the last rank, in all training rows, whose number is not above the midpoint of two ranks of a node."""
    values, start = coded.values, coded.start[attribute]
    below, above = values[start + low], values[start + high]
    middle = below / 2 + above / 2 if abs(below) > 8e307 or abs(above) > 8e307 else (below + above) / 2
    if not middle < above:
        return low
    while high - low > 1:
        at = (low + high) // 2
        if values[start + at] <= middle:
            low = at
        else:
            high = at
    return low


@kernel
def score_splits(
    coded: CodedArrays, rows: Ints, weights: Floats, weight: float, table: CountTable, rules: SplitRules, out: Scores
) -> None:
    """Score every attribute on the rows of a node."""
    for attribute in range(coded.cells.shape[0]):
        number, known_rows = count_codes(coded, attribute, rows, weights, table)
        if coded.is_numeric[attribute]:
            _numbers(coded, attribute, number, known_rows, weight, table, rules, out)
        else:
            _names(attribute, number, weight, table, rules, out)
        forget_codes(table, number)


@kernel
def chosen_split(rules: SplitRules, scores: Scores) -> int:
    """Return the attribute of the largest gain ratio among those of at least average gain; −1: none."""
    total, number = 0.0, 0
    for attribute in range(scores.gain.shape[0]):
        if scores.usable[attribute] and rules.is_averaged[attribute]:
            total += scores.gain[attribute]
            number += 1
    if number == 0:
        return -1
    best, chosen = 0.0, -1
    for attribute in range(scores.gain.shape[0]):
        is_enough = scores.gain[attribute] >= total / number - AVERAGE_MARGIN
        if scores.usable[attribute] and is_enough and scores.ratio[attribute] > best + NOTHING:
            best, chosen = scores.ratio[attribute], attribute
    return chosen
