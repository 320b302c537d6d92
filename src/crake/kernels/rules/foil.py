"""Growing a rule condition by condition: by FOIL's gain (Quinlan 1990) as RIPPER does, or by the share of the class."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.rules.arrays import AT_LEAST, AT_MOST, EQUAL, CodedArrays, CountTable
from crake.kernels.rules.count_codes import count_codes, forget_codes
from crake.kernels.rules.cover import holds
from crake.kernels.tree.counted.arrays import NO_RANK
from crake.kernels.tree.impurity import LN2, NOTHING

MOST_CONDITIONS = 1000
"""Conditions of a rule."""
SLACK = 1e-9
"""An upper bound of the rounding error of the bound of a gain, as a share of it."""
POSITIVE, ROW = 1 << 31, (1 << 31) - 1
"""The bit of a key that tells positives, and the bits of its row."""


class Growing(NamedTuple):
    """The rule so far: attribute, kind and code of each condition, and how many there are."""

    attribute: Longs
    kind: Longs
    code: Longs
    length: Longs


class Best(NamedTuple):
    """The best condition so far: attribute, kind and code; its score and the weight of the positives it covers."""

    condition: Longs
    figures: Floats


class Standing(NamedTuple):
    """The rule to be grown further: its share of positives, log2 of it, and the weight it covers; how it is scored.

    With `by_share` a condition is scored by the share of positives in what it covers, the heavier of equals first.
    """

    share: float
    before: float
    weight: float
    by_share: bool


class Ascending(NamedTuple):
    """The rows that a rule covers by each number of many values: the first `number` keys, positives marked.

    by_row[row] is the weight of a row; it is empty where all rows weigh 1. `is_in` marks the rows covered.
    """

    keys: NDArray[np.int64]
    number: Longs
    by_row: Floats
    is_in: Flags


@kernel
def _in_ascending_order(coded: CodedArrays, rows: Ints, weights: Floats) -> Ascending:
    """Return some rows by each number of many values; keys of missing values are left out."""
    lists, target = coded.keys, coded.target
    all_rows = coded.cells.shape[1] if lists.shape[0] > 0 else 0
    is_in, is_unit = np.zeros(all_rows, np.bool_), True
    for i in range(rows.shape[0] if all_rows > 0 else 0):
        is_in[rows[i]] = True
        is_unit = is_unit and weights[i] == 1.0
    by_row = np.zeros(0 if is_unit else all_rows)
    for i in range(0 if is_unit else rows.shape[0]):
        by_row[rows[i]] = weights[i]
    keys, number = np.empty((lists.shape[0], rows.shape[0] + 1), np.int64), np.zeros(lists.shape[0], np.int64)
    for j in range(lists.shape[0]):
        of_column, own, to = lists[j], keys[j], 0
        for i in range(all_rows):
            key = of_column[i]
            row = np.uint32(key)
            own[to] = key | POSITIVE if target[row] == 1 else key
            to += is_in[row]
        while to > 0 and own[to - 1] >> 32 == NO_RANK:
            to -= 1
        number[j] = to
    return Ascending(keys, number, by_row, is_in)


@kernel
def _keep_covered(ascending: Ascending) -> None:
    """Drop the keys of rows that are not covered any more."""
    is_in = ascending.is_in
    for j in range(ascending.keys.shape[0]):
        own, to = ascending.keys[j], 0
        for i in range(ascending.number[j]):
            own[to] = own[i]
            to += is_in[np.uint32(own[i] & ROW)]
        ascending.number[j] = to


@kernel
def _offer(attribute: int, kind: int, code: int, p: float, t: float, now: Standing, best: Best) -> None:
    """Take a condition as the best one if its score is strictly larger.

    FOIL's gain is p·[log2((p + 1)/(t + 1)) − log2(share so far)].
    """
    t = max(t, p)  # heavy rows that were subtracted may have taken the digits of light ones
    if now.by_share:
        is_idle = kind != EQUAL and t > now.weight - NOTHING  # a number may be asked for again, but not in vain
        if is_idle or p <= 0.0 or p / t < best.figures[0] or (p / t == best.figures[0] and p <= best.figures[1]):
            return
        best.figures[0] = p / t
    else:
        # ln x ≤ x − 1, so that the gain is at most p·(share/share so far − 1)/ln 2; most cuts need no logarithm.
        expected = now.share * (t + 1.0)
        if p * (p + 1.0 - expected) < (1.0 - SLACK) * best.figures[0] * LN2 * expected - SLACK * p:
            return
        gain = p * (math.log((p + 1.0) / (t + 1.0)) / LN2 - now.before)
        if not gain > best.figures[0]:
            return
        best.figures[0] = gain
    best.figures[1] = p
    best.condition[0], best.condition[1], best.condition[2] = attribute, kind, code


@kernel
def _look_at_numbers(attribute: int, number: int, table: CountTable, now: Standing, best: Best) -> None:
    """Offer ≤ v and ≥ v for each value that occurs, upwards; ≥ v goes first where both gain as much."""
    counts, present = table.counts, table.present
    p_all, t_all = 0.0, 0.0
    for at in range(number):
        p_all += counts[present[at], 1]
        t_all += counts[present[at], 0] + counts[present[at], 1]
    p_below, t_below = 0.0, 0.0
    for at in range(number):
        code = present[at]
        _offer(attribute, AT_LEAST, code, p_all - p_below, t_all - t_below, now, best)
        p_below += counts[code, 1]
        t_below += counts[code, 0] + counts[code, 1]
        _offer(attribute, AT_MOST, code, p_below, t_below, now, best)


@kernel
def _look_at_keys(
    attribute: int, keys: NDArray[np.int64], number: int, by_row: Floats, now: Standing, best: Best
) -> None:
    """Offer ≤ v and ≥ v as `_look_at_numbers` does, from the rows in ascending order."""
    is_weighted, p_all, t_all = by_row.shape[0] > 0, 0.0, 0.0
    for at in range(number):
        key = keys[at]
        w = by_row[np.uint32(key & ROW)] if is_weighted else 1.0
        t_all += w
        p_all += w if key & POSITIVE else 0.0
    p_below, t_below, at = 0.0, 0.0, 0
    while at < number:
        rank = keys[at] >> 32
        _offer(attribute, AT_LEAST, rank, p_all - p_below, t_all - t_below, now, best)
        while at < number and keys[at] >> 32 == rank:
            key = keys[at]
            w = by_row[np.uint32(key & ROW)] if is_weighted else 1.0
            t_below += w
            p_below += w if key & POSITIVE else 0.0
            at += 1
        _offer(attribute, AT_MOST, rank, p_below, t_below, now, best)


@kernel
def _look(
    coded: CodedArrays, rows: Ints, weights: Floats, is_used: Flags, now: Standing, table: CountTable, best: Best,
    ascending: Ascending,
) -> None:  # fmt: skip
    """Find the best condition of all attributes on these rows."""
    best.figures[0], best.figures[1], best.condition[0] = 0.0, 0.0, -1
    for attribute in range(coded.cells.shape[0]):
        if is_used[attribute]:
            continue
        j = coded.listed[attribute]
        if j >= 0:
            _look_at_keys(attribute, ascending.keys[j], ascending.number[j], ascending.by_row, now, best)
            continue
        number, _ = count_codes(coded, attribute, rows, weights, table)
        if coded.is_numeric[attribute]:
            _look_at_numbers(attribute, number, table, now, best)
        else:
            for at in range(number):
                code = table.present[at]
                p = table.counts[code, 1]
                _offer(attribute, EQUAL, code, p, p + table.counts[code, 0], now, best)
        forget_codes(table, number)


@kernel
def grow_rule(
    coded: CodedArrays, rows: Ints, weights: Floats, least: float, by_share: bool, table: CountTable, rule: Growing
) -> None:
    """Add conditions to a rule while it covers others, and one gains and covers positives of the `least` weight.

    The rows satisfy the conditions that the rule has already; weights[i] is that of row rows[i]. Positives have the
    target 1, all others 0.
    """
    is_used = np.zeros(coded.cells.shape[0], np.bool_)
    for at in range(rule.length[0]):
        if rule.kind[at] == EQUAL:
            is_used[rule.attribute[at]] = True
    best, ascending = Best(np.zeros(3, np.int64), np.zeros(2)), _in_ascending_order(coded, rows, weights)
    while rows.shape[0] > 0 and rule.length[0] < MOST_CONDITIONS:
        p, t = 0.0, 0.0
        for i in range(rows.shape[0]):
            t += weights[i]
            if coded.target[rows[i]] == 1:
                p += weights[i]
        share = (p + 1.0) / (t + 1.0)
        if (share >= 1.0 - NOTHING and not by_share) or (by_share and t - p < NOTHING):
            return
        now = Standing(share, math.log(share) / LN2, t, by_share)
        _look(coded, rows, weights, is_used, now, table, best, ascending)
        if best.condition[0] < 0 or best.figures[1] < least - NOTHING:
            return
        attribute, kind, code = best.condition[0], best.condition[1], best.condition[2]
        at = rule.length[0]
        rule.attribute[at], rule.kind[at], rule.code[at] = attribute, kind, code
        rule.length[0] = at + 1
        if kind == EQUAL:
            is_used[attribute] = True
        kept, parts, number = np.empty(rows.shape[0], np.int32), np.empty(rows.shape[0]), 0
        for i in range(rows.shape[0]):
            if holds(coded.cells[attribute, rows[i]], kind, code):
                kept[number], parts[number] = rows[i], weights[i]
                number += 1
            elif ascending.keys.shape[0] > 0:
                ascending.is_in[rows[i]] = False
        _keep_covered(ascending)
        rows, weights = kept[:number].copy(), parts[:number].copy()
