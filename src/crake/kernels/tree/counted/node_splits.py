"""C4.5's split of one node: the largest gain ratio among attributes of at least average gain."""

from __future__ import annotations

import numpy as np

from crake.arrays import Flags, Floats
from crake.kernels import kernel
from crake.kernels.tree.counted.arrays import CodedRows, NodeRows, Scores, SplitRules
from crake.kernels.tree.counted.scores import counted_numbers, names
from crake.kernels.tree.counted.sorted_columns import sorted_many_classes, sorted_names, sorted_two_classes
from crake.kernels.tree.impurity import NOTHING

AVERAGE_MARGIN = 1e-3
"""An attribute's gain may be this far below the average gain."""


@kernel
def count_cells(coded: CodedRows, node: NodeRows, table: Floats) -> None:
    """Fill the table with the class weights of all counted attributes."""
    slots, rows, weights = coded.slots, node.rows, node.weights
    columns = slots.shape[1]
    table[:] = 0.0
    for i in range(node.begin, node.end):
        row, w = np.uint32(rows[i]), weights[i]  # an index that might be negative is asked about at every use
        for c in range(columns):
            table[slots[row, np.uint32(c)]] += w


@kernel
def _weigh_rows(coded: CodedRows, node: NodeRows, classes: int, by_row: Floats) -> None:
    """Fill the weights by row; those of the second of two classes are negative."""
    rows, weights, target = node.rows, node.weights, coded.target
    for i in range(node.begin, node.end):
        row = np.uint32(rows[i])
        by_row[row] = -weights[i] if classes == 2 and target[row] == 1 else weights[i]


@kernel
def _known_rows(coded: CodedRows, attribute: int, node: NodeRows) -> int:
    """Return how many rows of a node have a value."""
    if not coded.has_gaps[attribute]:
        return node.end - node.begin
    cells, rows, number = coded.cells[attribute], node.rows, 0
    for i in range(node.begin, node.end):
        number += cells[np.uint32(rows[i])] >= 0
    return number


@kernel
def _sorted(
    coded: CodedRows, attribute: int, node: NodeRows, weight: float, rules: SplitRules, counts: Floats,
    whole_of: Floats, left: Floats, out: Scores,
) -> None:  # fmt: skip
    """Score the split of an attribute of many codes."""
    keys, classes, by_row, target = node.keys[coded.listed[attribute]], counts.shape[0], out.by_row, coded.target
    known = _known_rows(coded, attribute, node)
    out.usable[attribute] = False
    for k in range(classes):
        whole_of[k] = counts[k]
    if known < node.end - node.begin:
        whole_of[:] = 0.0
        for i in range(node.begin, node.begin + known):
            row = np.uint32(keys[i])
            whole_of[target[row]] += abs(by_row[row])
    if not coded.is_numeric[attribute]:
        sorted_names(coded, attribute, keys, node, known, weight, rules, whole_of, left, out)
    elif classes == 2:
        sorted_two_classes(coded, attribute, keys, node, known, weight, rules, whole_of, left, out)
    else:
        sorted_many_classes(coded, attribute, keys, node, known, weight, rules, whole_of, left, out)


@kernel
def score_splits(
    coded: CodedRows, node: NodeRows, counts: Floats, weight: float, rules: SplitRules, out: Scores
) -> None:
    """Score every attribute on the rows of a node; `counts` are their class weights, the table is filled."""
    classes = counts.shape[0]
    whole_of, left = np.empty(classes), np.empty(classes)
    if coded.lists.shape[0] > 0:
        _weigh_rows(coded, node, classes, out.by_row)
    for attribute in range(coded.codes.shape[0]):
        if coded.listed[attribute] >= 0:
            _sorted(coded, attribute, node, weight, rules, counts, whole_of, left, out)
        elif coded.is_numeric[attribute]:
            known = _known_rows(coded, attribute, node) if rules.counts_rows else node.end - node.begin
            counted_numbers(coded, attribute, known, counts, weight, rules, whole_of, left, out)
        else:
            first, codes = coded.first_line[attribute], coded.codes[attribute]
            names(attribute, first, codes, classes, weight, rules, whole_of, out)


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


@kernel
def threshold_rank(coded: CodedRows, attribute: int, low: int, high: int, is_present: Flags) -> int:
    """Return the last rank whose number is not above the midpoint of two ranks of a node.

    is_present[start + rank] is False for numbers that no row has; it is empty where all have rows.
    """
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
    while is_present.shape[0] > 0 and not is_present[start + low]:
        low -= 1
    return low
