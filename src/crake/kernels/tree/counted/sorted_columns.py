"""The split of one node on a column of many values, from its rows in ascending order of their codes."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.kernels import kernel
from crake.kernels.tree.counted.arrays import BLOCK, CodedRows, Keys, NodeRows, Scores, SplitRules
from crake.kernels.tree.counted.scores import entropy_of_sides, has_enough, least_weight, n_log_n, score, take_cut
from crake.kernels.tree.impurity import LN2, NOTHING
from crake.kernels.tree.numeric_splits_weighted import CHORDS, ROUNDING, SHARES, SLACK, TINY
from crake.kernels.typed_constants import ZERO


@kernel
def _bound(left: Floats, number: int, whole: float, ones: float, before: float, bar: float) -> int:
    """Fill left[2] with no less than each cut decreases weight × entropy; return how many are above the bar.

    The other lines are the weights of class 1 and of both on the left.
    """
    l_1, l, bound = left[0], left[1], left[2]
    better = 0
    for i in range(number):
        on_left = min(max(np.divide(l_1[i], max(l[i], TINY)), 0.0), 1.0) * SHARES
        on_right = min(max(np.divide(ones - l_1[i], max(whole - l[i], TINY)), 0.0), 1.0) * SHARES
        a, b = np.uint32(on_left), np.uint32(on_right)
        of_left = CHORDS[a] + (on_left - float(a)) * (CHORDS[a + np.uint32(1)] - CHORDS[a])
        of_right = CHORDS[b] + (on_right - float(b)) * (CHORDS[b + np.uint32(1)] - CHORDS[b])
        bound[i] = before - (l[i] * of_left + (whole - l[i]) * of_right)
        better += bound[i] > bar
    return better


@kernel
def _changes(
    keys: Keys, begin: int, end: int, l: Floats, whole: float, least: float, is_near: bool, gap: float, numbers: Floats
) -> int:
    """Return how many cuts of a block lie between different numbers, with enough weight on either side."""
    number = 0
    for i in range(begin, end):
        rank, above = keys[i] >> 32, keys[i + 1] >> 32
        is_cut = above != rank and l[i - begin] + NOTHING >= least and whole - l[i - begin] + NOTHING >= least
        number += is_cut and (not is_near or numbers[above] > numbers[rank] + gap)
    return number


@kernel
def sorted_two_classes(
    coded: CodedRows, attribute: int, keys: Keys, node: NodeRows, known: int, weight: float, rules: SplitRules,
    whole_of: Floats, left: Floats, out: Scores,
) -> None:  # fmt: skip
    """Score the best cut of rows of two classes, the first of equals, from the keys of the rows that have a number."""
    by_row, logs, block = out.by_row, rules.logs, out.left
    first, last = node.begin, node.begin + known
    whole = whole_of[0] + whole_of[1]
    least = least_weight(whole, 2, rules)
    if not has_enough(whole, known, least, rules):
        return
    before = n_log_n(whole, logs) - n_log_n(whole_of[0], logs) - n_log_n(whole_of[1], logs)
    numbers, is_near = coded.values[coded.start[attribute] :], coded.is_near[attribute]
    ones, l_1, l, bound = whole_of[1], block[0], block[1], block[2]
    margin, slack = NOTHING * weight * LN2, SLACK + ROUNDING * whole
    best, at_cut, at_weight, admissible = 0.0, -1, 0.0, ZERO
    left_0, left_1 = 0.0, 0.0
    for begin in range(first, last - 1, BLOCK):
        end = min(begin + BLOCK, last - 1)
        for i in range(begin, end):
            w = by_row[np.uint32(keys[i])]  # the low bits are the row
            left_0 += max(w, 0.0)
            left_1 -= min(w, 0.0)
            l_1[i - begin], l[i - begin] = left_1, left_0 + left_1
        if l[end - begin - 1] + NOTHING < least:
            continue
        if whole - l[0] + NOTHING < least:
            break
        admissible += _changes(keys, begin, end, l, whole, least, is_near, rules.gap, numbers)
        if _bound(block, end - begin, whole, ones, before + slack, best + margin) == 0:
            continue
        for i in range(begin, end):
            on_left = l[i - begin]
            if bound[i - begin] <= best + margin or on_left + NOTHING < least or whole - on_left + NOTHING < least:
                continue
            rank, above = keys[i] >> 32, keys[i + 1] >> 32
            if above == rank or (is_near and not numbers[above] > numbers[rank] + rules.gap):
                continue
            left[0], left[1] = on_left - l_1[i - begin], l_1[i - begin]
            gained = before - entropy_of_sides(left, whole_of, on_left, whole, logs)
            if gained > best + margin:
                best, at_cut, at_weight = gained, i, on_left
    if at_cut >= 0:
        low, high = keys[at_cut] >> 32, keys[at_cut + 1] >> 32
        take_cut(attribute, best, admissible, at_weight, whole, weight, low, high, rules, out)


@kernel
def sorted_many_classes(
    coded: CodedRows, attribute: int, keys: Keys, node: NodeRows, known: int, weight: float, rules: SplitRules,
    whole_of: Floats, left: Floats, out: Scores,
) -> None:  # fmt: skip
    """Score the best cut of rows of any number of classes, the first of equals."""
    by_row, target, logs, classes = out.by_row, coded.target, rules.logs, left.shape[0]
    whole, before = 0.0, 0.0
    for k in range(classes):
        whole += whole_of[k]
        before -= n_log_n(whole_of[k], logs)
    before += n_log_n(whole, logs)
    least = least_weight(whole, classes, rules)
    if not has_enough(whole, known, least, rules):
        return
    numbers, is_near = coded.values[coded.start[attribute] :], coded.is_near[attribute]
    margin, best, at_cut, at_weight, admissible = NOTHING * weight * LN2, 0.0, -1, 0.0, ZERO
    on_left, on_right, left_terms, right_terms = 0.0, whole, 0.0, 0.0
    left[:] = 0.0
    for k in range(classes):
        right_terms += n_log_n(whole_of[k], logs)
    for i in range(node.begin, node.begin + known - 1):
        row = np.uint32(keys[i])
        w, k = by_row[row], target[row]
        left_terms -= n_log_n(left[k], logs)
        right_terms -= n_log_n(whole_of[k] - left[k], logs)
        left[k] += w
        on_left += w
        on_right = whole - on_left
        left_terms += n_log_n(left[k], logs)
        right_terms += n_log_n(whole_of[k] - left[k], logs)
        rank, above = keys[i] >> 32, keys[i + 1] >> 32
        if above == rank or on_left + NOTHING < least:
            continue
        if on_right + NOTHING < least:
            break
        if is_near and not numbers[above] > numbers[rank] + rules.gap:
            continue
        admissible += 1
        gained = before - (n_log_n(on_left, logs) - left_terms + n_log_n(on_right, logs) - right_terms)
        if gained > best + margin:
            best, at_cut, at_weight = gained, i, on_left
    if at_cut >= 0:
        low, high = keys[at_cut] >> 32, keys[at_cut + 1] >> 32
        take_cut(attribute, best, admissible, at_weight, whole, weight, low, high, rules, out)


@kernel
def sorted_names(
    coded: CodedRows, attribute: int, keys: Keys, node: NodeRows, known: int, weight: float, rules: SplitRules,
    whole_of: Floats, left: Floats, out: Scores,
) -> None:  # fmt: skip
    """Score a branch per value; `left` is room for the class weights of one."""
    by_row, target, logs, classes = out.by_row, coded.target, rules.logs, left.shape[0]
    whole, before, after, branches, enough = 0.0, 0.0, 0.0, 0.0, 0
    for k in range(classes):
        whole += whole_of[k]
        before -= n_log_n(whole_of[k], logs)
    before += n_log_n(whole, logs)
    left[:] = 0.0
    own, last = 0.0, node.begin + known
    for i in range(node.begin, last):
        row = np.uint32(keys[i])
        w = abs(by_row[row])
        left[target[row]] += w
        own += w
        if i + 1 < last and keys[i + 1] >> 32 == keys[i] >> 32:
            continue
        of_branch = n_log_n(own, logs)
        after += of_branch
        branches += of_branch
        for k in range(classes):
            after -= n_log_n(left[k], logs)
        enough += own + NOTHING >= rules.smallest
        left[:] = 0.0
        own = 0.0
    out.usable[attribute] = enough >= 2
    if enough >= 2:
        score(attribute, before - after, whole, branches, ZERO, weight, rules, out)
