"""The best division of a nominal column's values into two sets, for every node of a level.

For two classes the values are ordered by the share of the first class, and the best division is a prefix of that order
(Breiman et al. 1984, theorem 4.5). For more classes all divisions are tried, or, beyond some number of values, the
prefixes of the orders by the share of each class.

A prefix differs from the one before by one value. Where all numbers are whole, and so Gini's Σ n² is exact, only the
classes of that value are added; other sums are made anew, since their rounding would decide between equal divisions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crake.arrays import Flags, Longs
from crake.kernels import kernel, shared_kernel
from crake.kernels.inlined import inlined
from crake.kernels.small_sort import sort_places
from crake.kernels.tree.arrays import Groups, LevelArrays, NominalColumn, NominalColumns, Scoring, SplitRecords
from crake.kernels.tree.impurity import GINI
from crake.kernels.tree.split_gain import SHARED, decrease_of, gini_decrease, impurity_to_divide, scale_of_sides
from crake.kernels.tree.value_table import (
    ValueTable,
    add_values,
    count_values,
    empty_table,
    forget_values,
    write_sides,
)

MOST_EXACT = 2.0**26
"""Weight up to which the sum of squares of whole numbers is exact."""


class Division(NamedTuple):
    """The rows of a node that are divided: number of values, known and missing weight, impurity before."""

    values: int
    known_weight: float
    missing_weight: float
    before: float


class Cells(NamedTuple):
    """The classes of each value that is present, one after the other; value t has those from first[t] to first[t + 1].

    `squares` is Σ n² of the classes of all values; `is_exact` says that sums of squares can be changed step by step.
    """

    first: Longs
    classes: Longs
    squares: float
    is_exact: bool


@inlined
def _cells(table: ValueTable, values: int, rows: int, is_exact: bool) -> Cells:  # a kernel has no keywords
    """List the classes of each value; numbers that are not whole are not exact."""
    counts, present, known = table.counts, table.present, table.known
    first, classes = np.zeros(values + 1, np.int64), np.empty(rows, np.int64)
    squares, at = 0.0, 0
    for t in range(values):
        for k in range(known.shape[0]):
            n = counts[present[t], k]
            if n > 0.0:
                classes[at] = k
                at += 1
                is_exact = is_exact and n == np.floor(n)
        first[t + 1] = at
    for k in range(known.shape[0]):
        squares += known[k] * known[k]
    return Cells(first, classes, squares, is_exact)


@inlined
def _best_prefix(
    table: ValueTable, cells: Cells, node: Division, by: int, scoring: Scoring, largest: float, inside: Flags
) -> float:
    """Order the values by the share of class `by`; find the prefix of the largest decrease, if above `largest`."""
    present, values, known = table.present, node.values, table.known
    counts, weight, missing = table.counts, table.weight, table.missing
    share, order = np.empty(values), np.empty(values, np.int64)
    for t in range(values):
        share[t] = counts[present[t], by] / weight[present[t]]
    sort_places(share, order)
    left = np.zeros(known.shape[0])
    left_weight, left_squares, right_squares, best = 0.0, 0.0, cells.squares, -1
    rule, criterion, logs = scoring.rule, scoring.criterion, scoring.logs
    scale = scale_of_sides(node.known_weight, node.missing_weight, rule)
    for t in range(values - 1):
        v = present[order[t]]
        left_weight += weight[v]
        for at in range(cells.first[order[t]], cells.first[order[t] + 1]):
            k = cells.classes[at]
            n = counts[v, k]
            left_squares += n * (2.0 * left[k] + n)
            right_squares -= n * (2.0 * (known[k] - left[k]) - n)
            left[k] += n
        right_weight = node.known_weight - left_weight
        if min(left_weight, right_weight) * scale < scoring.smallest or right_weight <= 0.0:
            continue
        if cells.is_exact:
            gained = gini_decrease(node.before, left_squares, left_weight, right_squares, right_weight)
        else:
            gained = decrease_of(
                node.before, left, left_weight, known, node.known_weight, missing, node.missing_weight, rule,
                criterion, logs,
            )  # fmt: skip
        if gained > largest:
            largest, best = gained, t
    if best >= 0:
        for t in range(values):
            inside[order[t]] = t <= best
    return largest


@inlined
def _best_of_all(table: ValueTable, node: Division, scoring: Scoring, largest: float, inside: Flags) -> float:
    """Try all divisions; the last value is never on the left. A set adds its last value to the sums of the others."""
    present, values, known = table.present, node.values, table.known
    counts, weight, missing = table.counts, table.weight, table.missing
    classes = known.shape[0]
    sums, sums_weight = np.zeros((1 << (values - 1), classes)), np.zeros(1 << (values - 1))
    rule, criterion, logs = scoring.rule, scoring.criterion, scoring.logs
    scale = scale_of_sides(node.known_weight, node.missing_weight, rule)
    best, top = 0, 0
    for members in range(1, 1 << (values - 1)):
        if members >> (top + 1):
            top += 1
        rest = members & ~(1 << top)
        for k in range(classes):
            sums[members, k] = sums[rest, k] + counts[present[top], k]
        sums_weight[members] = sums_weight[rest] + weight[present[top]]
        right_weight = node.known_weight - sums_weight[members]
        if min(sums_weight[members], right_weight) * scale < scoring.smallest or right_weight <= 0.0:
            continue
        gained = decrease_of(
            node.before, sums[members], sums_weight[members], known, node.known_weight, missing,
            node.missing_weight, rule, criterion, logs,
        )  # fmt: skip
        if gained > largest:
            largest, best = gained, members
    if best > 0:
        for t in range(values):
            inside[t] = (best >> t) & 1 == 1
    return largest


@shared_kernel
def scan_subset(
    level: LevelArrays, column: NominalColumn, is_open: Flags, scoring: Scoring, out: SplitRecords, sides: Groups
) -> None:
    """Find for each open node the largest decrease of weight × impurity; choice 0 if there is one, −1 if not.

    Where a place is given the sides of all levels are written; a value that the node does not have goes to the heavier
    side.
    """
    levels, classes = column.levels, scoring.classes
    table, inside = empty_table(levels, classes), np.zeros(levels, np.bool_)
    for s in range(level.start.shape[0]):
        out[s].decrease, out[s].known_weight, out[s].left_weight = 0.0, 0.0, 0.0
        out[s].known_rows, out[s].left_rows, out[s].choice = 0, 0, -1
        if not is_open[s]:
            continue
        values = count_values(table, level, s, column.codes)
        total = add_values(table, values)
        out[s].known_weight = total
        absent, with_rows, first_class = 0.0, 0, 0
        for k in range(classes):
            absent += table.missing[k]
            if table.known[k] > 0.0 or table.missing[k] > 0.0:
                first_class = k if with_rows == 0 else first_class
                with_rows += 1
        for t in range(values):
            out[s].known_rows += table.number[table.present[t]]
        largest = scoring.least
        if values >= 2:
            before = impurity_to_divide(
                table.known, total, table.missing, absent, scoring.rule, scoring.criterion, scoring.logs
            )
            node = Division(values, total, absent, before)
            if with_rows != 2 and values <= scoring.exhaustive:
                largest = _best_of_all(table, node, scoring, largest, inside)
            else:
                is_two, in_order = with_rows == 2, False
                is_divided = scoring.rule == SHARED and absent > 0.0
                is_exact = scoring.criterion == GINI and total <= MOST_EXACT and not is_divided
                cells = _cells(table, values, out[s].known_rows, is_exact)
                for k in range(first_class if is_two else 0, first_class + 1 if is_two else classes):
                    if table.known[k] <= 0.0:  # every class without rows leaves the values as they stand
                        if in_order:
                            continue
                        in_order = True
                    largest = _best_prefix(table, cells, node, k, scoring, largest, inside)
        if largest > scoring.least:
            out[s].decrease, out[s].choice = largest, 0
            for t in range(values):
                if inside[t]:
                    out[s].left_weight += table.weight[table.present[t]]
                    out[s].left_rows += table.number[table.present[t]]
            if sides.place[s] >= 0:
                heavier = 0 if out[s].left_weight >= total - out[s].left_weight else 1
                write_sides(sides, s, levels, table.present, inside, values, heavier)
        forget_values(table, values)


@kernel
def scan_subsets(
    level: LevelArrays, columns: NominalColumns, is_open: Flags, chosen: Longs, scoring: Scoring, out: SplitRecords,
    sides: Groups,
) -> None:  # fmt: skip
    """Scan all nominal columns of a small level in one call; `out` has a line for each attribute, or one for all.

    A node whose `chosen` attribute is not −1 is scanned on that one only.
    """
    for j in range(columns.codes.shape[0]):
        attribute = columns.attribute[j]
        is_scanned = is_open & ((chosen < 0) | (chosen == attribute))
        if is_scanned.any():
            line = 0 if out.shape[0] == 1 else attribute
            column = NominalColumn(columns.codes[j], int(columns.levels[j]))
            scan_subset(level, column, is_scanned, scoring, out[line], sides)
