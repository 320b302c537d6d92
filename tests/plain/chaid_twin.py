"""CHAID's merging and its adjusted p, slow and obvious: every pair tested anew, every way of merging listed."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import log

import numpy as np
from scipy.stats import chi2_contingency

Groups = list[list[int]]


def p_value(table: np.ndarray) -> float:
    """Pearson's p of a table without its empty rows and columns; 1 where nothing can differ."""
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    if min(table.shape) < 2:
        return 1.0
    return float(chi2_contingency(table, correction=False).pvalue)


def counts(table: np.ndarray, groups: Groups) -> np.ndarray:
    return np.array([table[group].sum(axis=0) for group in groups])


def allowed(groups: Groups, order: str, missing: int) -> list[tuple[int, int]]:
    """The pairs of groups that may be merged."""
    pairs = list(combinations(range(len(groups)), 2))
    if order == "nominal":
        return pairs
    alone = [i for i, group in enumerate(groups) if order == "floating" and group == [missing]]
    by_value = sorted((i for i in range(len(groups)) if i not in alone), key=lambda i: min(set(groups[i]) - {missing}))
    neighbours = {frozenset(pair) for pair in pairwise(by_value)}
    return [pair for pair in pairs if frozenset(pair) in neighbours or set(pair) & set(alone)]


def score(p: float) -> int:
    return round(log(max(p, 1e-300)) / 1e-9)


def least_different(table: np.ndarray, groups: Groups, order: str, among: int | None = None) -> tuple[float, tuple]:
    missing = len(table) - 1 if order == "floating" else -1
    pairs = [pair for pair in allowed(groups, order, missing) if among is None or among in pair]
    tested = [(p_value(counts(table, [groups[i], groups[j]])), (i, j)) for i, j in pairs]
    return max(tested, key=lambda found: score(found[0]))  # the first of equals


def partings(group: list[int], order: str, missing: int) -> list[list[int]]:
    """Parts of a group that hold its first value, the rest being the other part."""
    found = []
    for size in range(1, len(group)):
        for part in combinations(group, size):
            rest = [v for v in group if v not in part]
            known = [v for v in group if not (order == "floating" and v == missing)]
            ordered = [v in part for v in known]
            changes = sum(a != b for a, b in pairwise(ordered))
            if group[0] in part and (order == "nominal" or changes <= 1) and rest:
                found.append(list(part))
    return found


def beginnings(table: np.ndarray, group: list[int]) -> list[list[int]]:
    """The beginnings of the values by the share of each class, class by class: for more than ten nominal values."""
    shares = table[group] / table[group].sum(axis=1, keepdims=True)
    orders = [sorted(range(len(group)), key=lambda at, k=k: shares[at, k]) for k in range(table.shape[1])]
    return [sorted(group[at] for at in order[:size]) for order in orders for size in range(1, len(group))]


def merged(table: np.ndarray, order: str, alpha_merge: float, alpha_resplit: float | None, min_leaf: float) -> Groups:
    missing = len(table) - 1 if order == "floating" else -1
    groups: Groups = [[v] for v in range(len(table)) if table[v].sum() > 0]
    seen = [sorted(map(sorted, groups))]
    while len(groups) > 2:
        p, (i, j) = least_different(table, groups, order)
        if p <= alpha_merge:
            break
        groups[i] += groups.pop(j)
        if alpha_resplit is not None and len(groups[i]) >= 3:
            group = sorted(groups[i])
            options = [(p_value(counts(table, [part, [v for v in group if v not in part]])), part)
                       for part in (partings(group, order, missing) if len(group) <= 10 or order != "nominal"
                                    else beginnings(table, group))]  # fmt: skip
            best = min(options, key=lambda found: score(found[0]))
            if best[0] <= alpha_resplit:
                groups[i : i + 1] = [best[1], [v for v in group if v not in best[1]]]
        if sorted(map(sorted, groups)) in seen:
            break
        seen.append(sorted(map(sorted, groups)))
    while len(groups) > 1:
        light = [i for i, group in enumerate(groups) if table[group].sum() < min_leaf]
        if not light:
            break
        _, (i, j) = least_different(table, groups, order, among=light[0])
        groups[i] += groups.pop(j)
    return sorted(sorted(group) for group in groups)


def merged_in_turn(table: np.ndarray, alpha: float, min_child: float) -> Groups:
    """The rules of the Python package CHAID, one pair after the other; one group where there is no split."""
    groups: Groups = [[v] for v in range(len(table)) if table[v].sum() > 0]
    while len(groups) > 1:
        to_merge, largest = None, None
        for pair in combinations(range(len(groups)), 2):
            looked_at = counts(table, [groups[i] for i in pair])
            outside = table.sum() - looked_at.sum()
            if 0 < outside < min_child:
                continue
            if np.count_nonzero(looked_at.sum(axis=0)) == 1:
                to_merge = pair
                break
            p = p_value(looked_at)
            if largest is None or score(p) > score(largest):
                to_merge, largest = pair, p
        if (largest is None or largest < alpha) and looked_at.sum(axis=1).min() >= min_child:
            break
        if to_merge is None:
            return [sorted(v for group in groups for v in group)]
        i, j = to_merge
        groups[i] += groups.pop(j)
    return sorted(sorted(group) for group in groups)


def ways(values: int, groups: int, order: str) -> int:
    """In how many ways so many values can be merged into so many groups: list them all."""
    return sum(len(each) == groups for each in _partitions(list(range(values)), order, values - 1))


def _partitions(values: list[int], order: str, missing: int) -> list[Groups]:
    if not values:
        return [[]]
    first, rest = values[0], values[1:]
    found = []
    for each in _partitions(rest, "nominal", missing):
        found.append([[first], *each])
        found.extend([*each[:i], [first, *each[i]], *each[i + 1 :]] for i in range(len(each)))
    return [each for each in found if order == "nominal" or all(_in_a_row(group, order, missing) for group in each)]


def _in_a_row(group: list[int], order: str, missing: int) -> bool:
    known = sorted(v for v in group if not (order == "floating" and v == missing))
    return not known or known[-1] - known[0] == len(known) - 1
