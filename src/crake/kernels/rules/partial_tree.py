"""One rule of PART: a tree of which only as much is grown as its best leaf needs (Frank and Witten 1998)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.grid import part_of
from crake.kernels.tree.counted.arrays import CodedRows, Keys, NodeRows, Scores, SplitRules
from crake.kernels.tree.counted.node_splits import chosen_split, count_cells, score_splits, threshold_rank
from crake.kernels.tree.counted.scores import n_log_n
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


class Uncovered(NamedTuple):
    """The rows that no rule covers, with their weights, and the keys of the sorted columns: the first `number` of each.

    `table` holds the class weights of all counted attributes, `filled` how many rows are in each of its places. What a
    rule covers is taken off both, so that nothing is counted twice.
    """

    rows: Ints
    weights: Floats
    keys: Keys
    number: Longs
    table: Floats
    filled: Ints


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
def _weigh_cells(
    coded: CodedRows, attribute: int, node: NodeRows, cut: int, table: Floats, counts: Floats, missing: Floats
) -> None:
    """Fill the class weights of the branches, and of the rows without a value: from the table, where they are in it."""
    first, codes, classes = coded.first_line[attribute], coded.codes[attribute], missing.shape[0]
    if first >= 0:
        for code in range(codes):
            branch = _branch_of(code, cut)
            for k in range(classes):
                counts[branch, k] += table[(first + code) * classes + k]
        for k in range(classes):
            missing[k] = table[(first + codes) * classes + k]
        return
    cells, target, rows, weights = coded.cells[attribute], coded.target, node.rows, node.weights
    for i in range(node.begin, node.end):
        row = np.uint32(rows[i])
        code = cells[row]
        if code < 0:
            missing[target[row]] += weights[i]
        else:
            counts[_branch_of(code, cut), target[row]] += weights[i]


@kernel
def _branches(coded: CodedRows, attribute: int, node: NodeRows, cut: int, table: Floats, out: Branches) -> None:
    """Add up the branches; a row without a value goes to all of them in parts."""
    counts, weight, share = out.counts, out.weight, out.share
    classes = counts.shape[1]
    missing, known = np.zeros(classes), 0.0
    _weigh_cells(coded, attribute, node, cut, table, counts, missing)
    for branch in range(share.shape[0]):
        for k in range(classes):
            weight[branch] += counts[branch, k]
        known += weight[branch]
    for branch in range(share.shape[0]):
        part = weight[branch] / known
        share[branch] = part if part > NOTHING else 0.0
        for k in range(classes):
            counts[branch, k] += missing[k] * share[branch]
            weight[branch] += missing[k] * share[branch]


@kernel
def _rows_of_branch(
    cells: Ints, node: NodeRows, cut: int, branch: int, share: float, anchor: float, goes: Flags
) -> NodeRows:
    """Return the rows of a branch in their order, parts of rows among them; `goes` is room for a flag per row."""
    rows, weights, keys, size = node.rows, node.weights, node.keys, 0
    own, parts = np.empty(node.end - node.begin, np.int32), np.empty(node.end - node.begin)
    for i in range(node.begin, node.end):
        row = np.uint32(rows[i])
        code = cells[row]
        own[size], parts[size] = rows[i], weights[i] if code >= 0 else part_of(weights[i], share, anchor)
        goes[row] = _branch_of(code, cut) == branch if code >= 0 else share > 0.0
        size += goes[row]
    own_keys = np.empty((keys.shape[0], size + 1), np.int64)  # room for one that does not go
    for j in range(keys.shape[0]):
        to, of_column = 0, keys[j]
        for i in range(node.begin, node.end):
            own_keys[j, to] = of_column[i]
            to += goes[np.uint32(of_column[i])]
    return NodeRows(own, parts, own_keys, ZERO, size)


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
def _open_weight(counts: Floats, smallest: float) -> float:
    """Return the weight of a node that is worth a look: neither pure nor too light; 0 for the others."""
    weight, top = 0.0, 0.0
    for k in range(counts.shape[0]):
        weight += counts[k]
        top = max(top, counts[k])
    return 0.0 if weight + NOTHING < 2.0 * smallest or weight - top < NOTHING else weight


@kernel
def _expand(
    coded: CodedRows, node: NodeRows, counts: Floats, weight: float, depth: int, rules: SplitRules, pruning: Pruning,
    scores: Scores, path: Path,
) -> float:  # fmt: skip
    """Expand a node whose cells are counted; return the weight of the leaf that its rule ends in.

    −1: the node is a leaf itself.
    """
    score_splits(coded, node, counts, weight, rules, scores)
    attribute = chosen_split(rules, scores)
    if attribute < 0:
        return -1.0
    cut, number = -1, coded.codes[attribute]
    if coded.is_numeric[attribute]:
        low, high = scores.cut[attribute], scores.above[attribute]
        cut, number = threshold_rank(coded, attribute, low, high, np.zeros(0, np.bool_)), 2
    cells = coded.cells[attribute]
    branches = Branches(np.zeros((number, counts.shape[0])), np.zeros(number), np.zeros(number))
    _branches(coded, attribute, node, cut, scores.table, branches)
    is_leaf, expanded, tree, best_below = np.zeros(number, np.bool_), 0, -1, -1.0
    while tree < 0:
        branch = _next_branch(branches, is_leaf, rules.smallest, rules.logs)
        if branch < 0:
            break
        expanded += 1
        best_below, of_branch = -1.0, branches.counts[branch]
        heavy = _open_weight(of_branch, rules.smallest)
        if heavy > 0.0 and depth + 1 < DEEPEST:
            share = branches.share[branch]
            own = _rows_of_branch(cells, node, cut, branch, share, rules.anchor, scores.goes)
            count_cells(coded, own, scores.table)
            best_below = _expand(coded, own, of_branch, heavy, depth + 1, rules, pruning, scores, path)
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
    for k in range(counts.shape[0]):
        path.counts[k] = branches.counts[chosen, k]
    return float(branches.weight[chosen])


@kernel
def grow_rule(coded: CodedRows, left: Uncovered, scores: Scores, rules: SplitRules, pruning: Pruning) -> Path:
    """Return the rule of the heaviest leaf of a partial tree of the rows that are left; it may have no conditions.

    The scores are room to work in.
    """
    number, classes = left.number[0], scores.classes
    counts = np.zeros(classes)
    for i in range(number):
        counts[coded.target[left.rows[i]]] += left.weights[i]
    path = Path(
        np.zeros(DEEPEST, np.int64), np.zeros(DEEPEST, np.int64), np.zeros(DEEPEST, np.int64), np.zeros(DEEPEST),
        np.zeros(1, np.int64), np.zeros(classes),
    )  # fmt: skip
    weight, best = _open_weight(counts, rules.smallest), -1.0
    if weight > 0.0:
        for place in range(left.table.shape[0]):
            scores.table[place] = left.table[place]
        node = NodeRows(left.rows, left.weights, left.keys, ZERO, number)
        best = _expand(coded, node, counts, weight, ZERO, rules, pruning, scores, path)
    if best < 0.0:
        path.length[0] = 0
        for k in range(classes):
            path.counts[k] = counts[k]
    return path


@kernel
def all_rows(coded: CodedRows, weights: Floats, places: int) -> Uncovered:
    """Return all rows, none of which is covered; the table has this many places."""
    rows, table = np.arange(weights.shape[0]).astype(np.int32), np.zeros(places)
    filled, columns = np.zeros(places, np.int32), coded.slots.shape[1]
    count_cells(coded, NodeRows(rows, weights, coded.lists, ZERO, rows.shape[0]), table)
    for row in range(rows.shape[0]):
        for c in range(columns):
            filled[coded.slots[row, c]] += 1
    return Uncovered(rows, weights.copy(), coded.lists.copy(), np.full(1, rows.shape[0]), table, filled)


@kernel
def _share_of(coded: CodedRows, row: int, path: Path) -> float:
    """Return the part of a row that a rule covers."""
    share = 1.0
    for at in range(path.length[0]):
        code = coded.cells[path.attribute[at], row]
        if code < 0:
            share *= path.share[at]
        elif _branch_of(code, path.cut[at]) != path.branch[at]:
            return 0.0
    return share


@kernel
def take_covered(coded: CodedRows, left: Uncovered, path: Path, anchor: float) -> None:
    """Take away what a rule covers; a row that it covers in part keeps the rest of its weight, on the anchor's grid."""
    rows, weights, keys, table, filled, slots = left.rows, left.weights, left.keys, left.table, left.filled, coded.slots
    number, to, columns, is_left = left.number[0], 0, slots.shape[1], np.ones(coded.cells.shape[1], np.bool_)
    for i in range(number):
        row, w = np.uint32(rows[i]), weights[i]
        share = _share_of(coded, rows[i], path)
        rest = part_of(w, 1.0 - share, anchor)
        is_left[row] = share < 1.0 - NOTHING
        for c in range(columns if share > 0.0 else 0):
            place = slots[row, np.uint32(c)]
            table[place] -= w - rest
            if not is_left[row]:
                filled[place] -= 1
                if filled[place] == 0:
                    table[place] = 0.0  # not what rounding leaves
        rows[to], weights[to] = rows[i], rest
        to += is_left[row]
    for j in range(keys.shape[0]):
        place = 0
        for i in range(number):
            keys[j, place] = keys[j, i]
            place += is_left[np.uint32(keys[j, i])]
    left.number[0] = to
