"""One rule of PART: a tree of which only as much is grown as its best leaf needs (Frank and Witten 1998)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.rules.arrays import CodedArrays, CountTable, empty_counts
from crake.kernels.rules.best_split import (
    Scores,
    SplitRules,
    chosen_split,
    n_log_n,
    score_splits,
    threshold_rank,
)
from crake.kernels.tree.impurity import LN2, NOTHING
from crake.kernels.tree.pruning.pessimistic_errors import leaf_errors
from crake.kernels.typed_constants import ZERO

DEEPEST = 400
"""Conditions of a rule beyond which no node is split: each one waits on the stack."""


class Pruning(NamedTuple):
    """Settings of the test that turns a node into a leaf: none without `is_on`."""

    is_on: bool
    confidence: float
    z: float


class Path(NamedTuple):
    """The rule found: the attribute, branch, cut and share of each condition, how many there are, its class weights.

    Branch 0 of a number is ≤ the rank `cut`, branch 1 above it; that of a name is its level.
    """

    attribute: Longs
    branch: Longs
    cut: Longs
    share: Floats
    length: Longs
    counts: Floats


class Branches(NamedTuple):
    """The branches of a node: class weights and weight, and the part of each in the rows that have a value."""

    counts: Floats
    weight: Floats
    share: Floats


@kernel
def _branch_of(code: int, cut: int) -> int:
    """Return the branch of a known cell; a cut of −1 is that of names."""
    return code if cut < 0 else (1 if code > cut else 0)


@kernel
def _branches(cells: Ints, target: Ints, rows: Ints, weights: Floats, cut: int, out: Branches) -> None:
    """Add up the branches; a row without a value goes to all of them in parts."""
    known = 0.0
    for i in range(rows.shape[0]):
        code = cells[rows[i]]
        if code >= 0:
            branch = _branch_of(code, cut)
            out.weight[branch] += weights[i]
            known += weights[i]
    for branch in range(out.weight.shape[0]):
        share = out.weight[branch] / known
        out.share[branch] = share if share > NOTHING else 0.0
        out.weight[branch] = 0.0
    for i in range(rows.shape[0]):
        row = rows[i]
        code, k = cells[row], target[row]
        if code >= 0:
            branch = _branch_of(code, cut)
            out.counts[branch, k] += weights[i]
            out.weight[branch] += weights[i]
            continue
        for branch in range(out.share.shape[0]):
            if out.share[branch] > 0.0:
                out.counts[branch, k] += weights[i] * out.share[branch]
                out.weight[branch] += weights[i] * out.share[branch]


@kernel
def _rows_of_branch(
    cells: Ints, rows: Ints, weights: Floats, cut: int, branch: int, share: float
) -> tuple[Ints, Floats]:
    """Return the rows of a branch in their order, parts of rows among them."""
    number = 0
    for i in range(rows.shape[0]):
        code = cells[rows[i]]
        number += _branch_of(code, cut) == branch if code >= 0 else share > 0.0
    own, parts = np.empty(number, np.int32), np.empty(number)
    at = 0
    for i in range(rows.shape[0]):
        code = cells[rows[i]]
        if code >= 0 and _branch_of(code, cut) == branch:
            own[at], parts[at] = rows[i], weights[i]
            at += 1
        elif code < 0 and share > 0.0:
            own[at], parts[at] = rows[i], weights[i] * share
            at += 1
    return own, parts


@kernel
def _entropy(counts: Floats, logs: Floats) -> float:
    """Return the entropy of class weights in bits."""
    weight, terms = 0.0, 0.0
    for k in range(counts.shape[0]):
        weight += counts[k]
        terms += n_log_n(counts[k], logs)
    return (n_log_n(weight, logs) - terms) / (weight * LN2) if weight > 0.0 else 0.0


@kernel
def _next_branch(branches: Branches, is_leaf: Flags, smallest: float, logs: Floats) -> int:
    """Return the branch of the smallest entropy that was not expanded yet and is heavy enough; −1: none."""
    best, lowest = -1, math.inf
    for branch in range(is_leaf.shape[0]):
        if is_leaf[branch] or branches.weight[branch] + NOTHING < smallest:
            continue
        entropy = _entropy(branches.counts[branch], logs)
        if entropy <= NOTHING:
            return branch
        if entropy < lowest - NOTHING:
            best, lowest = branch, entropy
    return best


@kernel
def _chosen_branch(branches: Branches, is_leaf: Flags, tree: int, best_below: float, smallest: float) -> int:
    """Return the expanded branch whose own best leaf is the heaviest; `tree` is the one that stayed a tree."""
    chosen, heaviest = -1, -1.0
    for branch in range(is_leaf.shape[0]):
        if not (is_leaf[branch] or branch == tree) or branches.weight[branch] + NOTHING < smallest:
            continue
        weight = best_below if branch == tree else branches.weight[branch]
        if weight > heaviest + NOTHING:
            chosen, heaviest = branch, weight
    return chosen


@kernel
def _is_worth_a_leaf(counts: Floats, branches: Branches, pruning: Pruning) -> bool:
    """Return True if the node as a leaf has no more pessimistic errors than its leaves, but for 0.1."""
    if not pruning.is_on:
        return False
    below = 0.0
    for branch in range(branches.weight.shape[0]):
        below += leaf_errors(branches.counts[branch], pruning.confidence, pruning.z)
    return leaf_errors(counts, pruning.confidence, pruning.z) <= below + 0.1 + NOTHING


@kernel
def _expand(
    coded: CodedArrays, rows: Ints, weights: Floats, counts: Floats, depth: int, table: CountTable, rules: SplitRules,
    pruning: Pruning, scores: Scores, path: Path,
) -> float:  # fmt: skip
    """Expand a node; return the weight of the leaf that its rule ends in, or −1 if the node is a leaf itself."""
    weight, top = 0.0, 0.0
    for k in range(counts.shape[0]):
        weight += counts[k]
        top = max(top, counts[k])
    if weight + NOTHING < 2.0 * rules.smallest or weight - top < NOTHING or depth >= DEEPEST:
        return -1.0
    score_splits(coded, rows, weights, weight, table, rules, scores)
    attribute = chosen_split(rules, scores)
    if attribute < 0:
        return -1.0
    cut, number = -1, coded.codes[attribute]
    if coded.is_numeric[attribute]:
        cut, number = threshold_rank(coded, attribute, scores.cut[attribute], scores.above[attribute]), 2
    cells = coded.cells[attribute]
    branches = Branches(np.zeros((number, counts.shape[0])), np.zeros(number), np.zeros(number))
    _branches(cells, coded.target, rows, weights, cut, branches)
    is_leaf, expanded, tree, best_below = np.zeros(number, np.bool_), 0, -1, -1.0
    while tree < 0:
        branch = _next_branch(branches, is_leaf, rules.smallest, rules.logs)
        if branch < 0:
            break
        own, parts = _rows_of_branch(cells, rows, weights, cut, branch, branches.share[branch])
        expanded += 1
        best_below = _expand(coded, own, parts, branches.counts[branch], depth + 1, table, rules, pruning, scores, path)
        if best_below < 0.0:
            is_leaf[branch] = True
        else:
            tree = branch
    if expanded == 0 or (tree < 0 and _is_worth_a_leaf(counts, branches, pruning)):
        return -1.0
    chosen = _chosen_branch(branches, is_leaf, tree, best_below, rules.smallest)
    path.attribute[depth], path.branch[depth], path.cut[depth] = attribute, chosen, cut
    path.share[depth] = branches.weight[chosen] / weight
    if chosen == tree:
        return best_below
    path.length[0] = depth + 1
    path.counts[:] = branches.counts[chosen]
    return float(branches.weight[chosen])


@kernel
def grow_rule(
    coded: CodedArrays, rows: Ints, weights: Floats, table: CountTable, rules: SplitRules, pruning: Pruning
) -> Path:
    """Return the rule of the heaviest leaf of a partial tree of these rows; it may have no conditions."""
    classes, attributes = table.counts.shape[1], coded.cells.shape[0]
    counts = np.zeros(classes)
    for i in range(rows.shape[0]):
        counts[coded.target[rows[i]]] += weights[i]
    path = Path(
        np.zeros(DEEPEST, np.int64), np.zeros(DEEPEST, np.int64), np.zeros(DEEPEST, np.int64), np.zeros(DEEPEST),
        np.zeros(1, np.int64), np.zeros(classes),
    )  # fmt: skip
    scores = Scores(
        np.zeros(attributes, np.bool_), np.zeros(attributes), np.zeros(attributes), np.zeros(attributes, np.int64),
        np.zeros(attributes, np.int64),
    )  # fmt: skip
    if _expand(coded, rows, weights, counts, ZERO, table, rules, pruning, scores, path) < 0.0:
        path.length[0] = 0
        path.counts[:] = counts
    return path


@kernel
def rows_left(coded: CodedArrays, rows: Ints, weights: Floats, path: Path) -> tuple[Ints, Floats]:
    """Return the rows that a rule does not cover, and those it covers in part with the rest of their weight."""
    left, rest = np.empty(rows.shape[0], np.int32), np.empty(rows.shape[0])
    number = 0
    for i in range(rows.shape[0]):
        share = 1.0
        for at in range(path.length[0]):
            code = coded.cells[path.attribute[at], rows[i]]
            if code < 0:
                share *= path.share[at]
            elif _branch_of(code, path.cut[at]) != path.branch[at]:
                share = 0.0
                break
        if share < 1.0 - NOTHING:
            left[number], rest[number] = rows[i], weights[i] * (1.0 - share)
            number += 1
    return left[:number].copy(), rest[:number].copy()


@kernel
def count_table(coded: CodedArrays, classes: int) -> CountTable:
    """Return a table with room for the codes of any attribute."""
    most = 1
    for attribute in range(coded.codes.shape[0]):
        most = max(most, coded.codes[attribute])
    return empty_counts(most, classes)
