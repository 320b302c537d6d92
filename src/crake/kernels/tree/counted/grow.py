"""A whole tree of C4.5, node by node: a branch per name, cuts of numbers, rows without a value divided.

It is the tree that growing level by level finds. The rows of a node are a stretch of one array, and those of its
branches take its place. A branch that will not be split keeps no rows. The last branch is grown first: its stretch is
the last one in use, so that the parts of divided rows find room behind it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.grid import part_of
from crake.kernels.tree.counted.arrays import CodedRows, Keys, NodeRows, SplitRules, empty_scores, with_room
from crake.kernels.tree.counted.node_splits import chosen_split, count_cells, score_splits, threshold_rank
from crake.kernels.tree.impurity import NOTHING

FEATURE, CUT, FIRST_CHILD, BRANCHES = 0, 1, 2, 3
"""The places in the line of a node: its attribute (−1 for a leaf), the last rank of its left side (−1 for names), its
first child, and how many it has."""
NODE, BEGIN, END, DEPTH = 0, 1, 2, 3
"""The places in the line of a node that waits to be split: its number, its rows and its depth."""


class Branching(NamedTuple):
    """The branches of the node that is split: class weights, share, how many rows, where they begin, are they kept.

    side[row] is the branch of a row, −1 where its value is missing. The others are room for copies.
    """

    counts: Floats
    share: Floats
    size: Longs
    place: Longs
    is_kept: Flags
    side: Ints
    rows: Ints
    weights: Floats
    keys: Keys
    anchor: float


@kernel
def _tell_sides(coded: CodedRows, attribute: int, cut: int, node: NodeRows, out: Branching) -> int:
    """Fill the sides of the rows, and class weights, shares and sizes of the branches; return how many are missing."""
    cells, target, rows, weights = coded.cells[attribute], coded.target, node.rows, node.weights
    side, counts, share, size = out.side, out.counts, out.share, out.size
    counts[:], share[:], size[:] = 0.0, 0.0, 0
    missing, known, classes = 0, 0.0, counts.shape[1]
    for i in range(node.begin, node.end):
        row = np.uint32(rows[i])
        code = cells[row]
        if code < 0:
            side[row] = -1
            missing += 1
            continue
        branch = code if cut < 0 else (1 if code > cut else 0)
        side[row] = branch
        counts[branch, target[row]] += weights[i]
        size[branch] += 1
        known += weights[i]
    for branch in range(share.shape[0]):
        for k in range(classes):
            share[branch] += counts[branch, k]
        share[branch] = share[branch] / known if known > 0.0 else 0.0
        if share[branch] > NOTHING:
            size[branch] += missing
    for i in range(node.begin, node.end if missing > 0 else node.begin):
        row = np.uint32(rows[i])
        for branch in range(share.shape[0] if side[row] < 0 else 0):
            if share[branch] > NOTHING:
                counts[branch, target[row]] += part_of(weights[i], share[branch], out.anchor)
    return missing


@kernel
def _part_rows(node: NodeRows, out: Branching) -> None:
    """Put the rows of the branches that are kept after each other, in place of those of the node."""
    rows, weights, side, share, is_kept = node.rows, node.weights, out.side, out.share, out.is_kept
    to, own_rows, own_weights = out.place.copy(), out.rows, out.weights
    size = node.end - node.begin
    for i in range(size):
        own_rows[i], own_weights[i] = rows[node.begin + i], weights[node.begin + i]
    for i in range(size):
        branch = side[np.uint32(own_rows[i])]
        if branch >= 0:
            if is_kept[branch]:
                rows[to[branch]], weights[to[branch]] = own_rows[i], own_weights[i]
                to[branch] += 1
            continue
        for b in range(share.shape[0]):
            if is_kept[b] and share[b] > NOTHING:
                rows[to[b]], weights[to[b]] = own_rows[i], part_of(own_weights[i], share[b], out.anchor)
                to[b] += 1


@kernel
def _part_keys(keys: Keys, begin: int, size: int, out: Branching) -> None:
    """Put the keys of one sorted column as the rows, each branch in ascending order."""
    side, share, is_kept, own = out.side, out.share, out.is_kept, out.keys
    to = out.place.copy()
    for i in range(size):
        own[i] = keys[begin + i]
    for i in range(size):
        branch = side[np.uint32(own[i])]
        if branch >= 0:
            if is_kept[branch]:
                keys[to[branch]] = own[i]
                to[branch] += 1
            continue
        for b in range(share.shape[0]):
            if is_kept[b] and share[b] > NOTHING:
                keys[to[b]] = own[i]
                to[b] += 1


@kernel
def _is_open(counts: Floats, depth: int, max_depth: int, rules: SplitRules) -> bool:
    """Return True for a node worth a look: not pure, heavy enough for two sides, not too deep."""
    weight, top = 0.0, 0.0
    for k in range(counts.shape[0]):
        weight += counts[k]
        top = max(top, counts[k])
    return depth < max_depth and weight + NOTHING >= 2.0 * rules.smallest and weight - top >= NOTHING


@kernel
def _more_lines(lines: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """Return a copy with room for this many lines."""
    # Entry by entry: an assignment of slices compiles the message of its error, too.
    more = np.empty((number, lines.shape[1]), np.int64)
    for at in range(lines.shape[0]):
        for place in range(lines.shape[1]):
            more[at, place] = lines[at, place]
    return more


@kernel
def _doubled(lines: NDArray[np.int64], counts: Floats, needed: int) -> tuple[NDArray[np.int64], Floats]:
    """Return both, or copies with room for twice as many nodes as needed."""
    if needed <= lines.shape[0]:
        return lines, counts
    more_counts = np.empty((2 * needed, counts.shape[1]))
    for at in range(lines.shape[0]):
        for k in range(counts.shape[1]):
            more_counts[at, k] = counts[at, k]
    return _more_lines(lines, 2 * needed), more_counts


@kernel
def grow_counted(
    coded: CodedRows, rows: Ints, weights: Floats, keys: Keys, classes: int, max_depth: int, is_present: Flags,
    rules: SplitRules,
) -> tuple[NDArray[np.int64], Floats]:  # fmt: skip
    """Return a line FEATURE, CUT, … and the class weights of each node; children stand side by side.

    The rows, their weights and the keys of the sorted columns are used up.
    """
    scores, number = empty_scores(coded, classes), rows.shape[0]
    most, target = 2, coded.target
    for attribute in range(coded.codes.shape[0]):
        if not coded.is_numeric[attribute]:
            most = max(most, coded.codes[attribute])
    side = np.zeros(coded.cells.shape[1], np.int32)
    of_branches, of_shares, of_sizes = np.zeros((most, classes)), np.zeros(most), np.zeros(most, np.int64)
    places, kept = np.zeros(most, np.int64), np.zeros(most, np.bool_)
    own_rows, own_weights, own_keys = np.empty(number, np.int32), np.empty(number), np.empty(number, np.int64)
    lines, counts = np.empty((1024, 4), np.int64), np.zeros((1024, classes))
    waiting = np.zeros((256, 4), np.int64)
    lines[0, FEATURE], lines[0, CUT], lines[0, FIRST_CHILD], lines[0, BRANCHES] = -1, -1, -1, 0
    for i in range(number):
        counts[0, target[rows[i]]] += weights[i]
    nodes, still = 1, 0
    if _is_open(counts[0], 0, max_depth, rules):
        waiting[0, END] = number
        still = 1
    while still > 0:
        still -= 1
        at, begin, end = waiting[still, NODE], waiting[still, BEGIN], waiting[still, END]
        depth, weight = waiting[still, DEPTH] + 1, 0.0
        for k in range(classes):
            weight += counts[at, k]
        node = NodeRows(rows, weights, keys, begin, end)
        count_cells(coded, node, scores.table)
        score_splits(coded, node, counts[at], weight, rules, scores)
        attribute = chosen_split(rules, scores)
        if attribute < 0:
            continue
        cut, number = -1, coded.codes[attribute]
        if coded.is_numeric[attribute]:
            cut = threshold_rank(coded, attribute, scores.cut[attribute], scores.above[attribute], is_present)
            number = 2
        lines, counts = _doubled(lines, counts, nodes + number)
        lines[at, FEATURE], lines[at, CUT], lines[at, FIRST_CHILD], lines[at, BRANCHES] = attribute, cut, nodes, number
        if end - begin > own_rows.shape[0]:  # parts of divided rows
            own_rows, own_weights = np.empty(2 * (end - begin), np.int32), np.empty(2 * (end - begin))
            own_keys = np.empty(2 * (end - begin), np.int64)
        out = Branching(
            of_branches[:number], of_shares[:number], of_sizes[:number], places[:number], kept[:number], side,
            own_rows, own_weights, own_keys, rules.anchor,
        )  # fmt: skip
        _tell_sides(coded, attribute, cut, node, out)
        top, is_any = begin, False
        if still + number > waiting.shape[0]:
            waiting = _more_lines(waiting, 2 * (still + number))
        for branch in range(number):
            child = nodes + branch
            lines[child, FEATURE], lines[child, CUT], lines[child, FIRST_CHILD], lines[child, BRANCHES] = -1, -1, -1, 0
            for k in range(classes):
                counts[child, k] = of_branches[branch, k]
            places[branch] = top
            kept[branch] = _is_open(of_branches[branch], depth, max_depth, rules)
            if kept[branch]:
                waiting[still, NODE], waiting[still, BEGIN], waiting[still, DEPTH] = child, top, depth
                top += of_sizes[branch]
                waiting[still, END] = top
                still += 1
                is_any = True
        nodes += number
        if is_any:
            rows, weights, keys = with_room(rows, weights, keys, top)
            node = NodeRows(rows, weights, keys, begin, end)
            _part_rows(node, out)
            for j in range(keys.shape[0]):
                _part_keys(keys[j], begin, end - begin, out)
    return lines[:nodes].copy(), counts[:nodes].copy()
