"""CHAID's merging of a column's values: Kass's rules, and those of the Python package CHAID 5.5.

That package's rules differ in four ways, and make the tree depend on how values are spelt:

1. The values are looked at in their order by name, the missing one first, and the pairs in the order of their values. A
   pair is passed over if the other groups together are lighter than the smallest child.
2. The first pair that has rows of one class only ends the search: it is the pair to be merged. Its p, which would be 1,
   does not count.
3. Merging ends where no p that was found before is as large as `alpha_merge`, also if none was found, and where both
   groups of the pair looked at last, passed over or not, are as heavy as the smallest child. Else the pair found is
   merged, down to one group.
4. Nothing else keeps groups from being light.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels import kernel
from crake.kernels.chaid.groups import (
    TIE,
    Groups,
    Places,
    Rules,
    least_different,
    merge_pair,
    part_group,
    single_groups,
    total,
)
from crake.kernels.chaid.partings import best_parting

ROUNDING = 1e-9
"""The share of a node's weight below which nothing is left outside a pair."""


@kernel
def merge_values(table: Floats, rules: Rules) -> Places:
    """Return the group of each value of a table (values, classes) without empty lines.

    By Kass (1980), steps 1 to 3: the least different pair that may be merged is merged while it does not differ at
    `alpha_merge`, down to two groups. A group of three values or more that this makes is split in two again where its
    parts differ at `alpha_resplit`. Then groups lighter than `min_leaf` join the one they differ least from.
    """
    groups = single_groups(table, rules)
    is_first, number = np.zeros(table.shape[0], np.bool_), groups.size
    keys = _remember(np.zeros(0, np.uint64), 0, _key(groups))
    remembered = 1
    while number[0] > (2 if rules.is_kass else 1):
        is_last, i, j = _least_different(groups, rules) if rules.is_kass else _in_turn(groups, rules)
        if is_last:
            break
        if i < 0:
            return np.zeros(table.shape[0], np.int64)
        merge_pair(groups, rules, i, j)
        is_parted = best_parting(groups, rules, i, is_first)
        if is_parted:
            part_group(groups, rules, i, is_first)
        key = _key(groups)
        if is_parted and _is_in(keys, remembered, key):
            break  # a merge undone by a split: the same would follow for ever
        keys = _remember(keys, remembered, key)
        remembered += 1
    if rules.is_kass:
        _merge_light(groups, rules)
    return _labels(groups)


@kernel
def _least_different(groups: Groups, rules: Rules) -> tuple[bool, int, int]:
    """Return whether merging ends, and the pair with the largest p, the first of equals."""
    i, j = least_different(groups)
    return i < 0 or groups.log_p[groups.slot[i], groups.slot[j]] <= rules.log_merge, i, j


@kernel
def _merge_light(groups: Groups, rules: Rules) -> None:
    """Merge groups below the smallest weight into the group they differ least from."""
    size = groups.size
    while size[0] > 1:
        i = 0
        while i < size[0] and total(groups.counts[groups.slot[i]]) >= rules.min_leaf:
            i += 1
        if i == size[0]:
            return
        best, at = -np.inf, 0
        for j in range(size[0]):
            score = np.rint(groups.log_p[groups.slot[i], groups.slot[j]] / TIE)
            if j != i and score > best:
                best, at = score, j
        merge_pair(groups, rules, min(i, at), max(i, at))


@kernel
def _in_turn(groups: Groups, rules: Rules) -> tuple[bool, int, int]:
    """Look at the pairs in turn: whether merging ends, and the pair to be merged, −1 if none was looked at."""
    size, slot = groups.size[0], groups.slot
    weight, only = np.empty(size), np.empty(size, np.int64)
    for i in range(size):
        weight[i] = total(groups.counts[slot[i]])
        only[i] = _only_class(groups.counts[slot[i]])
    everything, least = total(weight), rules.min_leaf
    best, largest, one, other, lighter = -np.inf, -np.inf, -1, -1, 0.0
    for i in range(size):
        for j in range(i + 1, size):
            log_p = groups.log_p[slot[i], slot[j]]
            if log_p == -np.inf:
                continue
            lighter = min(weight[i], weight[j])
            outside = everything - weight[i] - weight[j]
            if outside > ROUNDING * everything and outside < least:
                continue
            if only[i] >= 0 and only[i] == only[j]:
                return largest < rules.log_merge and lighter >= least, i, j
            largest = max(largest, log_p)
            if np.rint(log_p / TIE) > best:
                best, one, other = np.rint(log_p / TIE), i, j
    return largest < rules.log_merge and lighter >= least, one, other


@kernel
def _only_class(counts: Floats) -> int:
    """Return the class of a group whose rows are all of one class, else −1."""
    only = -1
    for k in range(counts.shape[0]):
        if counts[k] > 0.0:
            if only >= 0:
                return -1
            only = k
    return only


@kernel
def _key(groups: Groups) -> np.uint64:
    """Return a number for the groups, whatever their order and that of their values: sums of scrambled sums."""
    key = np.uint64(0)
    for i in range(groups.size[0]):
        of_group, value = np.uint64(0), groups.head[groups.slot[i]]
        while value >= 0:
            of_group += _scrambled(np.uint64(value) + np.uint64(1))
            value = groups.following[value]
        key += _scrambled(of_group)
    return key


@kernel
def _scrambled(x: np.uint64) -> np.uint64:
    """Return a number that looks like chance (the finaliser of SplitMix64)."""
    x += np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def _remember(keys: NDArray[np.uint64], number: int, key: np.uint64) -> NDArray[np.uint64]:
    """Return the keys with one more, in an array that doubles when it is full."""
    if number == len(keys):
        longer = np.zeros(2 * number + 16, np.uint64)
        for at in range(number):
            longer[at] = keys[at]
        keys = longer
    keys[number] = key
    return keys


@kernel
def _is_in(keys: NDArray[np.uint64], number: int, key: np.uint64) -> bool:
    for at in range(number):
        if keys[at] == key:
            return True
    return False


@kernel
def _labels(groups: Groups) -> Places:
    """Return the position of each value's group."""
    labels = np.empty(groups.table.shape[0], np.int64)
    for i in range(groups.size[0]):
        value = groups.head[groups.slot[i]]
        while value >= 0:
            labels[value] = i
            value = groups.following[value]
    return labels
