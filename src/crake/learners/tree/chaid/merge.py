"""CHAID's merging: values of a column that do not differ significantly in class become one group.

A table has shape (values, classes). Groups are lists of row numbers; those of an ordered column are neighbours, and a
missing value, the last row of a `floating` column, may join any group.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, nan

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.chaid.columns import Plan, merge_table
from crake.learners.tree.chaid.settings import Group, Merging, Order

FIGURES = 6
"""Figures of a merged column: see `crake.kernels.chaid.columns.merge_columns`."""


def plan_of(merging: Merging, *, missing_apart: bool) -> Plan:
    """Return the settings as kernels take them."""
    return Plan(
        merging.variant == "kass",
        merging.statistic == "pearson",
        log(merging.alpha_merge),
        nan if merging.alpha_resplit is None else log(merging.alpha_resplit),
        float(merging.min_leaf),
        missing_apart,
    )


def merged_groups(table: Floats, order: Order, merging: Merging, turns: Sequence[int] = ()) -> list[Group]:
    """Return the groups of the values that have rows, in the order of their first values.

    `turns` has the values in the order in which the variant "pypi-chaid" looks at them, if it is not theirs.

    >>> merged_groups(np.array([[9.0, 1], [1, 9], [8, 2], [2, 9]]), "nominal", Merging())
    [[0, 2], [1, 3]]

    Of the variant, two values of one class only, met first, stop it at once; met last, they are merged:

    >>> variant, table = Merging(variant="pypi-chaid"), np.array([[9.0, 0], [5, 0], [8, 2], [2, 9]])
    >>> merged_groups(table, "nominal", variant)
    [[0], [1], [2], [3]]
    >>> merged_groups(table[[3, 2, 1, 0]], "nominal", variant)
    [[0], [1, 2, 3]]
    """
    labels, figures = np.empty(len(table), np.int64), np.empty(FIGURES)
    places = np.array(turns if len(turns) else range(len(table)), np.int64)
    plan = plan_of(merging, missing_apart=order == "floating")
    merge_table(np.ascontiguousarray(table, np.float64), order != "nominal", places, plan, labels, figures)
    return groups_of(labels)


def groups_of(labels: NDArray[np.int64]) -> list[Group]:
    """Return the values of each group.

    >>> groups_of(np.array([0, 1, -1, 0]))
    [[0, 3], [1]]
    """
    groups: list[Group] = [[] for _ in range(int(labels.max(initial=-1)) + 1)]
    for value, label in enumerate(labels.tolist()):
        if label >= 0:
            groups[label].append(value)
    return groups
