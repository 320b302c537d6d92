"""The columns of a node, each merged and tested in one call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints
from crake.kernels import kernel
from crake.kernels.chaid.chi_square import judge_tables
from crake.kernels.chaid.groups import NOMINAL, ORDERED, Places, Rules, places_above_zero, total
from crake.kernels.chaid.merging import merge_values
from crake.kernels.tiered import tiered


class Columns(NamedTuple):
    """Features as categories: `codes` (columns, rows), where the missing value has the code `values[column]`.

    `turns` has the categories in the order in which the variant "pypi-chaid" looks at them, one line per column.
    """

    codes: Ints
    values: Places
    is_ordered: NDArray[np.bool_]
    turns: Places


class Plan(NamedTuple):
    """Settings of the merging, those of `Rules` that all columns share."""

    is_kass: bool
    is_pearson: bool
    log_merge: float
    log_resplit: float
    min_leaf: float
    missing_apart: bool


def _steps(columns: Columns, rows: Places, _weights: Floats, _target: Ints, classes: int, *_: object) -> int:
    """Count the cells of the tables that are made, and the classes of all pairs of values."""
    values = columns.values + 1
    return int(len(values) * len(rows) + 2 * classes * (values @ values))


@tiered(_steps, most=1_500_000)
def merge_columns(
    columns: Columns,
    rows: Places,
    weights: Floats,
    target: Ints,
    classes: int,
    plan: Plan,
    labels: Places,
    tested: Floats,
) -> None:
    """Fill labels[column, value] with the group of each value, in the order of their first values, −1 without rows.

    tested[column] becomes statistic, degrees of freedom, ln p, values with rows, groups, and whether the missing value
    has rows.
    """
    for column in range(columns.codes.shape[0]):
        width = columns.values[column] + 1
        table, codes = np.zeros((width, classes)), columns.codes[column]
        for r in range(len(rows)):
            table[codes[rows[r]], target[rows[r]]] += weights[r]
        merge_table(
            table if plan.missing_apart else table[: width - 1],
            columns.is_ordered[column],
            columns.turns[column],
            plan,
            labels[column],
            tested[column],
        )


@kernel
def merge_table(table: Floats, is_ordered: bool, turns: Places, plan: Plan, labels: Places, tested: Floats) -> None:
    """Fill the groups of the values of one table (values, classes), and their test."""
    length, classes = table.shape
    values, present, of_class = np.empty(length, np.int64), 0, np.zeros(classes)
    labels[:] = -1
    tested[:] = 0.0
    for turn in range(len(turns)):
        value = turns[turn] if not plan.is_kass and not is_ordered else turn
        if value < length and total(table[value]) > 0.0:
            values[present] = value
            present += 1
            labels[value] = 0
            for k in range(classes):
                of_class[k] = max(of_class[k], table[value, k])
    tested[3], tested[4] = present, min(present, 1)
    tested[5] = plan.missing_apart and total(table[length - 1]) > 0.0
    if present < 2:
        return
    numbers = places_above_zero(of_class)
    rules = Rules(
        plan.is_kass,
        plan.is_pearson,
        ORDERED if is_ordered else NOMINAL,
        present - 1 if is_ordered and tested[5] > 0.0 else -1,
        plan.log_merge,
        plan.log_resplit,
        plan.min_leaf,
        classes,
        numbers,
    )
    dense = np.empty((present, len(numbers)))
    for v in range(present):
        for k in range(len(numbers)):
            dense[v, k] = table[values[v], numbers[k]]
    own = merge_values(dense, rules)
    for v in range(present):
        labels[values[v]] = own[v]
    _test_groups(table, plan, labels, tested)


@kernel
def _test_groups(table: Floats, plan: Plan, labels: Places, tested: Floats) -> None:
    """Number the groups by their first values, and test them."""
    length, classes = table.shape
    number, fresh = 0, np.empty(length, np.int64)
    fresh[:] = -1
    counts = np.zeros((1, length, classes))
    for value in range(length):
        if labels[value] < 0:
            continue
        if fresh[labels[value]] < 0:
            fresh[labels[value]] = number
            number += 1
        labels[value] = fresh[labels[value]]
        for k in range(classes):
            counts[0, labels[value], k] += table[value, k]
    result = np.empty((1, 3))
    judge_tables(counts, plan.is_pearson, result)
    for figure in range(3):
        tested[figure] = result[0, figure]
    tested[4] = number
