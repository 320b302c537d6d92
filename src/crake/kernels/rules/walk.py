"""Walking a list of rules: the first that holds takes a row; a missing value may give a rule a part of it."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.kernels import kernel, threads
from crake.kernels.rules.arrays import ABOVE, AT_LEAST, AT_MOST, EQUAL, ConditionArrays
from crake.kernels.tiered import tiered
from crake.kernels.tree.arrays import RowArrays
from crake.kernels.tree.impurity import NOTHING


@kernel
def _part(rules: ConditionArrays, cells: RowArrays, row: int, rule: int) -> float:
    """Return the part of a row that satisfies all conditions of a rule: 1, 0, or a product of shares."""
    part = 1.0
    for at in range(rules.edges[rule], rules.edges[rule + 1]):
        feature = rules.feature[at]
        place, kind = cells.place[feature], rules.kind[at]
        if kind == EQUAL:
            code = cells.codes[row * cells.down + place * cells.across]
            if code < 0:
                part *= rules.share[at]
            elif code != rules.level[at]:
                return 0.0
        else:
            x, threshold = cells.values[row, place], rules.threshold[at]
            if x != x:
                part *= rules.share[at]
            elif (
                (kind == AT_MOST and not x <= threshold)
                or (kind == ABOVE and not x > threshold)
                or (kind == AT_LEAST and not x >= threshold)
            ):
                return 0.0
        if part <= 0.0:
            return 0.0
    return part


@tiered(lambda rules, _cells, _rows, begin, end, *_: 3 * (end - begin) * (len(rules.feature) + 1), most=300_000)
def _mix(
    rules: ConditionArrays,
    cells: RowArrays,
    rows: Longs,
    begin: int,
    end: int,
    answers: Floats,
    out: Floats,
    first: Longs,
) -> None:
    number, classes = rules.edges.shape[0] - 1, answers.shape[1]
    for at in range(begin, end):
        left, largest = 1.0, 0.0
        first[at] = number
        for k in range(classes):
            out[at, k] = 0.0
        for rule in range(number + 1):
            part = 1.0 if rule == number else _part(rules, cells, rows[at], rule)
            if part <= NOTHING:
                continue
            taken = left if left * (1.0 - part) <= NOTHING else left * part
            for k in range(classes):
                out[at, k] += taken * answers[rule, k]
            if taken > largest:
                largest, first[at] = taken, rule
            left -= taken
            if left <= NOTHING:
                break


@kernel
def _count(rules: ConditionArrays, cells: RowArrays, target: Ints, weights: Floats, counts: Floats) -> None:
    number = rules.edges.shape[0] - 1
    for row in range(target.shape[0]):
        left = weights[row]
        for rule in range(number + 1):
            part = 1.0 if rule == number else _part(rules, cells, row, rule)
            if part <= NOTHING:
                continue
            taken = left if part >= 1.0 - NOTHING else left * part
            counts[rule, target[row]] += taken
            left -= taken
            if left <= NOTHING * weights[row]:
                break


def walked(rules: ConditionArrays, cells: RowArrays, rows: Longs, answers: Floats) -> tuple[Floats, Longs]:
    """Return answers[rule] of the rule that takes each row, a mixture where several have a part, and the first of them.

    The last of the `answers` is for rows that no rule takes. The rule returned is the one of the largest part.
    """
    out, first = np.empty((len(rows), answers.shape[1])), np.empty(len(rows), np.int64)
    parts = 1 if len(rows) * 8 < threads.SMALL else 4 * threads.count()
    threads.each(
        lambda span: _mix(rules, cells, rows, span[0], span[1], answers, out, first),
        threads.spans(len(rows), parts),
    )
    return out, first


def counted(rules: ConditionArrays, cells: RowArrays, target: Ints, weights: Floats, classes: int) -> Floats:
    """Return the class weights of the rows that each rule takes, and in the last line of those that none takes."""
    counts = np.zeros((len(rules.edges), classes))
    _count(rules, cells, target, weights, counts)
    return counts
