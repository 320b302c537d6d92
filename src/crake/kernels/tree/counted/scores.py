"""Scores of C4.5's splits of one node, from a table of counts: gain and gain ratio of names and of numbers."""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Floats
from crake.kernels import kernel
from crake.kernels.tree.counted.arrays import CodedRows, Scores, SplitRules
from crake.kernels.tree.impurity import LN2, NOTHING
from crake.kernels.tree.numeric_splits_weighted import CHORDS, ROUNDING, SHARES, SLACK, TINY
from crake.kernels.typed_constants import ZERO


@kernel
def n_log_n(n: float, logs: Floats) -> float:
    """Return n·ln n, 0 for (next to) nothing; whole numbers are looked up."""
    whole = int(n)
    place = np.uint64(whole)  # of a number below 0, which rounding may leave, it is beyond the table
    if whole == n and place < np.uint64(logs.shape[0]):
        return float(logs[place])
    return n * math.log(n) if n > NOTHING else 0.0


@kernel
def fill_logs(logs: Floats) -> None:
    """Write n·ln n of the whole numbers."""
    for n in range(1, logs.shape[0]):
        logs[n] = n * math.log(float(n))


@kernel
def score(
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
def _weight_of(table: Floats, line: int, classes: int) -> float:
    """Return the weight of a line of the table."""
    if classes == 2:
        return float(table[np.uint64(2 * line)] + table[np.uint64(2 * line + 1)])
    own = 0.0
    for k in range(classes):
        own += table[line * classes + k]
    return own


@kernel
def names(
    attribute: int, first: int, codes: int, classes: int, weight: float, rules: SplitRules, total: Floats, out: Scores
) -> None:
    """Score a branch per value, from the lines of the table."""
    table, logs = out.table, rules.logs
    total[:] = 0.0
    known, after, branches, enough = 0.0, 0.0, 0.0, 0
    for line in range(first, first + codes):
        own = _weight_of(table, line, classes)
        if own == 0.0:
            continue
        of_branch = n_log_n(own, logs)
        after += of_branch
        branches += of_branch
        for k in range(classes):
            n = table[line * classes + k]
            total[k] += n
            after -= n_log_n(n, logs)
        known += own
        if own + NOTHING >= rules.smallest:
            enough += 1
    out.usable[attribute] = enough >= 2
    if enough < 2:
        return
    before = n_log_n(known, logs)
    for k in range(classes):
        before -= n_log_n(total[k], logs)
    score(attribute, before - after, known, branches, ZERO, weight, rules, out)


@kernel
def least_weight(whole: float, classes: int, rules: SplitRules) -> float:
    """Return the least weight beside a cut: 0.1·W/K, at least `smallest`, at most 25."""
    least = 0.1 * whole / classes
    return rules.smallest if least <= rules.smallest + NOTHING else min(least, 25.0)


@kernel
def has_enough(whole: float, known_rows: int, least: float, rules: SplitRules) -> bool:
    """Return True if known rows are enough for two sides."""
    return whole + NOTHING >= 2.0 * least and (not rules.counts_rows or known_rows + NOTHING >= 2.0 * least)


@kernel
def entropy_of_sides(left: Floats, whole_of: Floats, on_left: float, whole: float, logs: Floats) -> float:
    """Return weight × entropy of both sides of a cut."""
    after = n_log_n(on_left, logs) + n_log_n(whole - on_left, logs)
    for k in range(left.shape[0]):
        after -= n_log_n(left[k], logs) + n_log_n(whole_of[k] - left[k], logs)
    return after


@kernel
def _no_less(l_1: float, l: float, r_1: float, r: float) -> float:
    """Return weight × entropy of two sides of two classes, or less: by chords, which lie below the entropy."""
    on_left = min(max(np.divide(l_1, max(l, TINY)), 0.0), 1.0) * SHARES
    on_right = min(max(np.divide(r_1, max(r, TINY)), 0.0), 1.0) * SHARES
    a, b = np.uint32(on_left), np.uint32(on_right)
    of_left = CHORDS[a] + (on_left - float(a)) * (CHORDS[a + np.uint32(1)] - CHORDS[a])
    of_right = CHORDS[b] + (on_right - float(b)) * (CHORDS[b + np.uint32(1)] - CHORDS[b])
    return float(l * of_left + r * of_right)


@kernel
def take_cut(
    attribute: int, best: float, cuts: int, on_left: float, whole: float, weight: float, low: int, high: int,
    rules: SplitRules, out: Scores,
) -> None:  # fmt: skip
    """Write the best cut of an attribute, between the ranks `low` and `high`."""
    branches = n_log_n(on_left, rules.logs) + n_log_n(whole - on_left, rules.logs)
    score(attribute, best, whole, branches, cuts, weight, rules, out)
    out.usable[attribute] = out.gain[attribute] > NOTHING
    out.cut[attribute], out.above[attribute] = low, high


@kernel
def counted_numbers(
    coded: CodedRows, attribute: int, known_rows: int, counts: Floats, weight: float, rules: SplitRules,
    whole_of: Floats, left: Floats, out: Scores,
) -> None:  # fmt: skip
    """Score the best cut, the first of equals, from the lines of the table."""
    table, logs, values, classes = out.table, rules.logs, coded.values, left.shape[0]
    first, last = coded.first_line[attribute], coded.first_line[attribute] + coded.codes[attribute]
    is_near, numbers = coded.is_near[attribute], coded.start[attribute] - first
    out.usable[attribute] = False
    whole, before = 0.0, 0.0
    for k in range(classes):
        whole_of[k] = counts[k]
        if coded.has_gaps[attribute]:
            whole_of[k] -= table[last * classes + k]
        whole += whole_of[k]
        before -= n_log_n(whole_of[k], logs)
    before += n_log_n(whole, logs)
    least = least_weight(whole, classes, rules)
    if not has_enough(whole, known_rows, least, rules):
        return
    left[:] = 0.0
    on_left, best, at_weight = 0.0, 0.0, 0.0
    admissible, at_cut, at_above, below, margin = ZERO, -1, -1, -1, NOTHING * weight * LN2
    slack, is_two = SLACK + ROUNDING * whole, classes == 2
    for line in range(first, last):
        own = _weight_of(table, line, classes)
        if own == 0.0:
            continue
        # The cut between the value before and this one.
        if below >= 0 and on_left + NOTHING >= least:
            if whole - on_left + NOTHING < least:
                break
            if not is_near or values[numbers + line] > values[numbers + below] + rules.gap:
                admissible += 1
                if not is_two or before + slack - best - margin > _no_less(
                    left[1], on_left, whole_of[1] - left[1], whole - on_left
                ):
                    gained = before - entropy_of_sides(left, whole_of, on_left, whole, logs)
                    if gained > best + margin:
                        best, at_cut, at_above, at_weight = gained, below, line, on_left
        for k in range(classes):
            left[k] += table[line * classes + k]
        on_left += own
        below = line
    if at_cut >= 0:
        take_cut(attribute, best, admissible, at_weight, whole, weight, at_cut - first, at_above - first, rules, out)
