"""Parting a merged group again: the two parts of its values that differ most in class.

Every parting is tried of ordered values and of up to ten nominal ones. Beyond that the values are ordered by each
class's share, and the beginnings of that order are tried, among which the best is found if there are two classes.
All partings of a group have the same degrees of freedom, so the largest statistic has the smallest p.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels import kernel
from crake.kernels.chaid.chi_square import log_p, pair_statistic
from crake.kernels.chaid.groups import NOMINAL, TIE, Groups, Places, Rules, places_above_zero, total
from crake.kernels.small_sort import sort_places, sort_values

EXHAUSTIVE = 10
"""Number of values up to which a group is split again in every possible w."""

Mask = NDArray[np.bool_]


@kernel
def best_parting(groups: Groups, rules: Rules, i: int, is_first: Mask) -> bool:
    """Mark one of the two parts that differ most, and return True if they differ at the level of parting."""
    is_first[:] = False
    s = groups.slot[i]
    number, value = 0, groups.head[s]
    members = np.empty(groups.table.shape[0], np.int32)
    while value >= 0:
        members[number] = value
        number += 1
        value = groups.following[value]
    if np.isnan(rules.log_resplit) or number < 3:
        return False
    members = members[:number]
    sort_values(members, number)
    classes = places_above_zero(groups.counts[s])
    if len(classes) < 2:
        return False
    rows = np.empty((number, len(classes)))
    for m in range(number):
        for k in range(len(classes)):
            rows[m, k] = groups.table[members[m], classes[k]]
    if rules.order == NOMINAL and number > EXHAUSTIVE:
        for k in range(len(classes)):
            classes[k] = rules.numbers[classes[k]]
        return _by_share(rows, classes, members, rules, is_first)
    has_missing = rules.order != NOMINAL and members[number - 1] == rules.missing
    masks = _every_mask(number) if rules.order == NOMINAL else _beginnings(number, has_missing)
    return _of_masks(rows, masks, members, rules, is_first)


@kernel
def _every_mask(number: int) -> Mask:
    """Return all sets of values that hold the first, but for the set of all, one per row."""
    masks = np.ones((2 ** (number - 1) - 1, number), np.bool_)
    for w in range(len(masks)):
        for m in range(1, number):
            masks[w, m] = (w >> (m - 1)) & 1
    return masks


@kernel
def _beginnings(number: int, has_missing: bool) -> Mask:
    """Return the first value, the first two …; a missing value, the last of all, with them or not."""
    known = number - 1 if has_missing else number
    apart = known if has_missing else known - 1
    masks = np.zeros((apart + (known - 1 if has_missing else 0), number), np.bool_)
    for w in range(len(masks)):
        joined = w >= apart
        masks[w, : (w - apart if joined else w) + 1] = True
        if joined:
            masks[w, number - 1] = True
    return masks


@kernel
def _of_masks(rows: Floats, masks: Mask, members: NDArray[np.int32], rules: Rules, is_first: Mask) -> bool:
    """Choose among partings that are listed, the first of equals."""
    number, classes = rows.shape
    one, other, statistics = np.empty(classes), np.empty(classes), np.empty(len(masks))
    for w in range(len(masks)):
        _fill_parts(rows, masks[w], one, other)
        statistics[w] = pair_statistic(one, other, rules.is_pearson)[0]
    top = _largest(statistics)
    if log_p(top, classes - 1) > rules.log_resplit:
        return False
    best, chosen = np.inf, -1
    for w in range(len(masks)):
        if statistics[w] >= top - 1e-6 * (1.0 + top):
            score = np.rint(log_p(statistics[w], classes - 1) / TIE)
            if score < best:
                best, chosen = score, w
    for m in range(number):
        is_first[members[m]] = masks[chosen, m]
    return True


@kernel
def _fill_parts(rows: Floats, mask: Mask, one: Floats, other: Floats) -> None:
    """Fill the class weights of the values in a mask, and of those that are not."""
    for k in range(rows.shape[1]):
        one[k], total = 0.0, 0.0
        for m in range(rows.shape[0]):
            total += rows[m, k]
            if mask[m]:
                one[k] += rows[m, k]
        other[k] = total - one[k]


@kernel
def _by_share(rows: Floats, classes: Places, members: NDArray[np.int32], rules: Rules, is_first: Mask) -> bool:
    """Choose among the beginnings of the values by the share of each class, class by class, the first of equals.

    A first pass finds the largest statistic by adding value after value. Only if that is significant a second one
    computes, with the arithmetic of every other test, the few that are as large but for rounding.
    """
    number, width = rows.shape
    order, mask = np.empty(number, np.int64), np.empty(number, np.bool_)
    one, other, statistics = np.empty(width), np.empty(width), np.empty(number - 1)
    top = -1.0
    for turn in range(width + 1):
        if _order_by_share(rows, classes, turn, rules.classes, order):
            _fill_statistics(rows, order, rules.is_pearson, one, other, statistics)
            top = max(top, _largest(statistics))
    slack = 1e-6 * (1.0 + top) + 1e-11 * (total(one) + total(other))
    if log_p(top + slack, width - 1) > rules.log_resplit:
        return False
    best, best_log_p = np.inf, 0.0
    for turn in range(width + 1):
        if not _order_by_share(rows, classes, turn, rules.classes, order):
            continue
        _fill_statistics(rows, order, rules.is_pearson, one, other, statistics)
        for last in range(number - 1):
            if statistics[last] < top - slack:
                continue
            mask[:] = False
            for m in range(last + 1):
                mask[order[m]] = True
            _fill_parts(rows, mask, one, other)
            tested = log_p(pair_statistic(one, other, rules.is_pearson)[0], width - 1)
            if np.rint(tested / TIE) < best:
                best, best_log_p = np.rint(tested / TIE), tested
                for m in range(number):
                    is_first[members[m]] = mask[m]
    return best_log_p <= rules.log_resplit


@kernel
def _order_by_share(rows: Floats, classes: Places, turn: int, all_classes: int, order: Places) -> bool:
    """Fill the values by the share of a class, ascending, equals as they come; return False if it has no turn.

    The turns are the group's classes, by their numbers. All classes that the group lacks give the order of the values,
    and have one turn together, where the first of them stands.
    """
    lacking = 0
    while lacking < len(classes) and classes[lacking] == lacking:
        lacking += 1
    if turn == lacking:
        for m in range(len(order)):
            order[m] = m
        return lacking < all_classes
    k = turn if turn < lacking else turn - 1
    share, some, zeros = np.empty(len(order)), 0, 0
    for m in range(len(order)):
        if rows[m, k] == 0.0:
            order[zeros] = m
            zeros += 1
    which = np.empty(len(order) - zeros, np.int64)
    for m in range(len(order)):
        if rows[m, k] != 0.0:
            share[some] = rows[m, k] / total(rows[m])
            which[some] = m
            some += 1
    places = np.empty(some, np.int64)
    sort_places(share[:some], places)
    for m in range(some):
        order[zeros + m] = which[places[m]]
    return True


@kernel
def _fill_statistics(
    rows: Floats, order: Places, is_pearson: bool, one: Floats, other: Floats, statistics: Floats
) -> None:
    """Fill the statistic of each beginning of the order, but for rounding.

    With n rows, n₁ of them in the part, a_k and c_k of class k: χ² = n² (Σ a_k²/c_k − n₁²/n) / (n₁ (n − n₁)).
    """
    number, classes = rows.shape
    one[:] = 0.0
    other[:] = 0.0
    for m in range(number):
        for k in range(classes):
            other[k] += rows[m, k]
    n, n1, moved, of_class = total(other), 0.0, 0.0, other.copy()
    for last in range(number - 1):
        m = order[last]
        for k in range(classes):
            x = rows[m, k]
            if x == 0.0:
                continue
            n1 += x
            if is_pearson:
                moved += x * (2.0 * one[k] + x) / of_class[k]
            else:
                moved -= _x_log_x(one[k]) + _x_log_x(other[k])
                moved += _x_log_x(one[k] + x) + _x_log_x(other[k] - x)
            one[k] += x
            other[k] -= x
        if is_pearson:
            statistics[last] = n * n * (moved - n1 * n1 / n) / (n1 * (n - n1))
        else:
            statistics[last] = 2.0 * (moved - _x_log_x(n1) - _x_log_x(n - n1) + _x_log_x(n))


@kernel
def _largest(statistics: Floats) -> float:
    top: float = statistics[0]
    for at in range(1, statistics.shape[0]):
        top = max(top, statistics[at])
    return top


@kernel
def _x_log_x(x: float) -> float:
    return x * math.log(x) if x > 0.0 else 0.0
