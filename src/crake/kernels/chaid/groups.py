"""The groups of a column's values while CHAID merges and parts them, and ln p of every two of them.

A group has a slot, where its class weights are, and a position among the groups. Positions are in order; slots stay
where they are while groups come and go. For each group the first of the later groups that differ least from it is
kept, so a merge costs one line of tests, not all pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels import kernel
from crake.kernels.chaid.chi_square import pair_log_p

Places = NDArray[np.int64]

TIE = 1e-9
"""Logarithms of p closer than this are equal: which of two pairs comes first must not depend on rounding."""
NOMINAL, ORDERED = 0, 1
"""Any two groups may be merged, or neighbours only; the missing value may join any group."""


class Rules(NamedTuple):
    """Settings of the merging. `log_resplit` is NaN if groups are never parted; `missing` is −1 without that value.

    `numbers` has the numbers of the table's classes among all `classes`.
    """

    is_kass: bool
    is_pearson: bool
    order: int
    missing: int
    log_merge: float
    log_resplit: float
    min_leaf: float
    classes: int
    numbers: Places


class Groups(NamedTuple):
    """The class weights of the values, and the groups as they are; `size[0]` is their number.

    `slot` and `position` translate positions and slots. The values of a group are a chain: `head` and `tail` by slot,
    `following` by value. `best` and `best_slot` are the largest ln p with a later group, in units of `TIE`.
    """

    table: Floats
    counts: Floats
    log_p: Floats
    size: Places
    slot: Places
    position: Places
    head: Places
    tail: Places
    following: Places
    best: Floats
    best_slot: Places


@kernel
def single_groups(table: Floats, rules: Rules) -> Groups:
    """Return every value as a group of its own, with all pairs tested."""
    values = table.shape[0]
    places, log_p, size = np.empty((6, values), np.int64), np.empty((values, values)), np.empty(1, np.int64)
    log_p[:] = -np.inf
    size[0] = values
    for value in range(values):
        for line in range(6):
            places[line, value] = value if line < 4 else -1
    groups = Groups(
        table,
        table.copy(),
        log_p,
        size,
        places[0],
        places[1],
        places[2],
        places[3],
        places[4],
        np.empty(values),
        places[5],
    )
    lone = lone_missing(groups, rules)
    for i in range(values):
        last = values if rules.order == NOMINAL or i == lone else min(i + 3, values)
        for j in range(i + 1, last):
            if may_join(i, j, lone, rules):
                groups.log_p[i, j] = groups.log_p[j, i] = pair_log_p(table[i], table[j], rules.is_pearson)
        if lone > i and rules.order != NOMINAL:
            groups.log_p[i, lone] = groups.log_p[lone, i] = pair_log_p(table[i], table[lone], rules.is_pearson)
    for i in range(values):
        seek_best(groups, i)
    return groups


@kernel
def lone_missing(groups: Groups, rules: Rules) -> int:
    """Return the position of the group that holds the missing value alone; −1 if there is none."""
    if rules.missing < 0:
        return -1
    for i in range(groups.size[0]):
        s = groups.slot[i]
        if groups.head[s] == rules.missing and groups.tail[s] == rules.missing:
            return i
    return -1


@kernel
def may_join(i: int, j: int, lone: int, rules: Rules) -> bool:
    """Return True if the groups at positions i < j may be merged."""
    if rules.order == NOMINAL or lone in (i, j):
        return True
    return j == i + 1 or (j == i + 2 and lone == i + 1)


@kernel
def compare_group(groups: Groups, rules: Rules, i: int) -> None:
    """Test the group at position i against every other that it may join."""
    s, lone = groups.slot[i], lone_missing(groups, rules)
    for j in range(groups.size[0]):
        if j == i:
            continue
        t, tested = groups.slot[j], -np.inf
        if may_join(min(i, j), max(i, j), lone, rules):
            tested = pair_log_p(groups.counts[s], groups.counts[t], rules.is_pearson)
        groups.log_p[s, t] = groups.log_p[t, s] = tested


@kernel
def seek_best(groups: Groups, i: int) -> None:
    """Find the first later group that differs least from the one at position i."""
    s, best, place = groups.slot[i], -np.inf, -1
    for j in range(i + 1, groups.size[0]):
        score = np.rint(groups.log_p[s, groups.slot[j]] / TIE)
        if score > best:
            best, place = score, groups.slot[j]
    groups.best[s], groups.best_slot[s] = best, place


@kernel
def least_different(groups: Groups) -> tuple[int, int]:
    """Return the positions of the pair with the largest p, the first of equals; −1 if no two may be merged."""
    best, at = -np.inf, -1
    for i in range(groups.size[0]):
        if groups.best[groups.slot[i]] > best:
            best, at = groups.best[groups.slot[i]], i
    if at < 0:
        return -1, -1
    return at, groups.position[groups.best_slot[groups.slot[at]]]


@kernel
def merge_pair(groups: Groups, rules: Rules, i: int, j: int) -> None:
    """Merge the group at position j into the one at position i < j."""
    s, gone, size = groups.slot[i], groups.slot[j], groups.size
    for k in range(groups.counts.shape[1]):
        groups.counts[s, k] += groups.counts[gone, k]
    groups.following[groups.tail[s]] = groups.head[gone]
    groups.tail[s] = groups.tail[gone]
    for at in range(j, size[0] - 1):
        groups.slot[at] = groups.slot[at + 1]
        groups.position[groups.slot[at]] = at
    size[0] -= 1
    groups.position[gone] = -1
    compare_group(groups, rules, i)
    for at in range(size[0]):
        t = groups.slot[at]
        if at == i or groups.best_slot[t] == gone or (at < i and groups.best_slot[t] == s):
            seek_best(groups, at)
        elif at < i:
            score = np.rint(groups.log_p[t, s] / TIE)
            known = groups.best_slot[t]
            if score > groups.best[t] or (score == groups.best[t] and known >= 0 and i < groups.position[known]):
                groups.best[t], groups.best_slot[t] = score, s


@kernel
def part_group(groups: Groups, rules: Rules, i: int, is_first: NDArray[np.bool_]) -> None:
    """Part the group at position i: values that are True in `is_first` come first, ascending, the others after them."""
    s, size, fresh = groups.slot[i], groups.size, 0
    while groups.position[fresh] >= 0:
        fresh += 1
    for at in range(size[0], i + 1, -1):
        groups.slot[at] = groups.slot[at - 1]
        groups.position[groups.slot[at]] = at
    size[0] += 1
    groups.slot[i + 1], groups.position[fresh] = fresh, i + 1
    value = groups.head[s]
    groups.head[fresh] = groups.head[s] = -1
    while value >= 0:  # the others keep their order
        after = groups.following[value]
        if not is_first[value]:
            _append(groups, fresh, value)
        value = after
    for value in range(len(is_first)):
        if is_first[value]:
            _append(groups, s, value)
    compare_group(groups, rules, i)
    compare_group(groups, rules, i + 1)
    for at in range(size[0]):
        seek_best(groups, at)


@kernel
def _append(groups: Groups, s: int, value: int) -> None:
    """Put a value behind those of a slot, whose `head` is −1 if there are none yet."""
    groups.following[value] = -1
    if groups.head[s] < 0:
        groups.head[s] = value
        for k in range(groups.counts.shape[1]):
            groups.counts[s, k] = 0.0
    else:
        groups.following[groups.tail[s]] = value
    groups.tail[s] = value
    for k in range(groups.counts.shape[1]):
        groups.counts[s, k] += groups.table[value, k]


@kernel
def total(counts: Floats) -> float:
    """Return the sum of some weights."""
    weight = 0.0
    for k in range(counts.shape[0]):
        weight += counts[k]
    return weight


@kernel
def places_above_zero(weights: Floats) -> Places:
    """Return the places of the weights that are not 0."""
    places, number = np.empty(weights.shape[0], np.int64), 0
    for at in range(weights.shape[0]):
        if weights[at] > 0.0:
            places[number] = at
            number += 1
    return places[:number]
