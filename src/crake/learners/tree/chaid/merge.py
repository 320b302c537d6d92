"""CHAID's merging: values of a column that do not differ significantly in class become one group.

A table has shape (values, classes). Groups are lists of row numbers; those of an ordered column are neighbours, and a
missing value, the last row of a `floating` column, may join any group.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np

from crake.arrays import Floats
from crake.learners.tree.chaid.groups import Groups
from crake.learners.tree.chaid.pypi_variant import merged_in_turn
from crake.learners.tree.chaid.settings import Group, Merging, Order


def merged_groups(table: Floats, order: Order, merging: Merging, turns: Sequence[int] = ()) -> list[Group]:
    """The groups of the values that have rows, in the order of their first values.

    `turns` has the values in the order in which the variant "pypi-chaid" looks at them, if it is not theirs.

    >>> merged_groups(np.array([[9.0, 1], [1, 9], [8, 2], [2, 9]]), "nominal", Merging())
    [[0, 2], [1, 3]]
    """
    if merging.variant == "kass":
        groups = merged_by_kass(table, order, merging)
    else:
        values = np.array(turns if len(turns) else range(len(table)), np.intp)
        groups = [values[group].tolist() for group in merged_in_turn(table[values], order, merging)]
    return [sorted(group) for group in sorted(groups, key=min)]


def merged_by_kass(table: Floats, order: Order, merging: Merging) -> list[Group]:
    """The groups of the values that have rows (Kass 1980, steps 1 to 3).

    The least different pair that may be merged is merged while it does not differ at `alpha_merge`, down to two groups.
    A group of three values or more that this makes is split in two again where its parts differ at `alpha_resplit`.
    Then groups lighter than `min_leaf` join the one they differ least from.
    """
    state = Groups(table, order, merging)
    seen = {state.key()}
    while len(state.groups) > 2:
        log_p, pair = state.least_different()
        if log_p <= log(merging.alpha_merge):
            break
        state.merge(pair)
        # A merge undone by a split: the same would follow for ever.
        if state.resplit(pair[0]) and state.key() in seen:
            break
        seen.add(state.key())
    state.merge_light()
    return state.groups
