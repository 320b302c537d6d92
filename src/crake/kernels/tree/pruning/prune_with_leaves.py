"""Pessimistic pruning with subtree raising (C4.5), where the rows of all leaves find room.

A subtree is weighed against a leaf and against its largest branch, children first. To weigh the branch, the rows of its
siblings are sent through it (`foreign_rows`). When a branch is raised, all rows of the node are sent down again.
"""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Ints, Longs
from crake.kernels.tiered import tiered
from crake.kernels.tree.arrays import LEAF, RowArrays, TreeArrays
from crake.kernels.tree.impurity import NOTHING
from crake.kernels.tree.pruning.branch_rows import tell_branches, with_room
from crake.kernels.tree.pruning.foreign_rows import errors_with
from crake.kernels.tree.pruning.leaf_rows import (
    LeafArrays,
    RoomForRows,
    count_branches,
    noted,
    part_rows,
    room_of_branches,
    undivided,
)
from crake.kernels.tree.pruning.pessimistic_errors import leaf_errors
from crake.kernels.tree.pruning.pessimistic_pruning import MARGIN, add_children, raise_branch
from crake.kernels.typed_constants import ZERO

TOO_MANY = -1
NODE, NEXT, IS_NEW = 0, 1, 2
"""Lines of the path from the root: a node, the branch to go into next (−1: its rows are not parted yet), and whether
its rows have changed since the tree was grown."""


def _steps(_tree: TreeArrays, _cells: RowArrays, out: LeafArrays, target: Ints, *_: object) -> int:
    """Count the nodes' classes, and the rows on a path of usual length."""
    return int(8 * out.counts.size + 50 * target.size)


@tiered(_steps, most=1_000_000)
def prune_with_leaves(
    tree: TreeArrays, cells: RowArrays, out: LeafArrays, target: Ints, nodes_below: Longs,
    path: Longs, limits: tuple[float, float], most_rows: int, room: RoomForRows,
) -> int:  # fmt: skip
    """Prune in place; return how many rows there was room for in the end, or TOO_MANY if more than `most_rows`.

    `limits` are the confidence and its quantile. `room` has the rows in their order, and is used up.
    """
    kind, first, branches, counts, errors = tree.kind, tree.first, tree.branches, out.counts, out.errors
    confidence, z = limits
    number = target.shape[0]
    rows, weights, log, log_weights = room.rows, room.weights, room.log, room.log_weights
    gap_rows, gap_weights = np.empty(16, np.int32), np.empty(16)
    branch, own_rows, own_weights = room.branch, room.own_rows, room.own_weights
    for node in range(kind.shape[0]):
        if kind[node] == LEAF:
            errors[node] = leaf_errors(counts[node], confidence, z)
    is_marked = np.zeros(number, np.bool_)
    depth, log_top, gap_top = 0, 0, 0
    path[NODE, 0], path[NEXT, 0], path[IS_NEW, 0] = 0, -1, 0
    out.begin[0], out.end[0] = 0, number
    while depth >= 0:
        node, c = path[NODE, depth], path[NEXT, depth]
        begin, end = out.begin[node], out.end[node]
        if kind[node] == LEAF:
            log, log_weights = with_room(log, log_weights, log_top + end - begin)
            out.log_begin[node] = log_top
            log_top = noted(rows, weights, begin, end, log, log_weights, log_top)
            out.log_end[node] = log_top
            if path[IS_NEW, depth] == 1:
                errors[node], nodes_below[node] = leaf_errors(counts[node], confidence, z), 1
            depth -= 1
            continue
        if c < 0:  # part the rows of the node
            size = end - begin
            if size > branch.shape[0]:
                branch, own_rows, own_weights = (
                    np.empty(2 * size, np.int32), np.empty(2 * size, np.int32), np.empty(2 * size)
                )  # fmt: skip
            missing = tell_branches(tree, cells, node, rows, begin, end, branch)
            count_branches(tree, node, rows, weights, branch, target, path[IS_NEW, depth] == 1, out)
            out.log_begin[node], out.gap_begin[node] = log_top, gap_top
            if missing > 0:
                gap_rows, gap_weights = with_room(gap_rows, gap_weights, gap_top + missing)
                for i in range(begin, end):
                    if branch[i - begin] < 0:
                        gap_rows[gap_top], gap_weights[gap_top] = rows[i], weights[i]
                        gap_top += 1
            out.gap_end[node] = gap_top
            top = room_of_branches(tree, node, branch, missing, out)
            if log_top + gap_top + top > most_rows:
                return TOO_MANY
            for i in range(size):
                own_rows[i], own_weights[i] = rows[begin + i], weights[begin + i]
            rows, weights = with_room(rows, weights, top)
            part_rows(tree, node, rows, weights, own_rows[:size], own_weights[:size], branch, out)
            c = branches[node]
        if c > 0:
            path[NEXT, depth] = c - 1
            is_new = path[IS_NEW, depth]
            depth += 1
            path[NODE, depth], path[NEXT, depth], path[IS_NEW, depth] = first[node] + c - 1, -1, is_new
            continue
        largest = first[node] + add_children(first[node], branches[node], counts, errors, nodes_below, node)
        as_leaf, as_tree, as_branch = leaf_errors(counts[node], confidence, z), errors[node], math.inf
        allowed = as_tree + MARGIN + NOTHING
        # As many errors of the branch settle both questions below.
        most = min(allowed, as_leaf - MARGIN - NOTHING) if as_leaf <= allowed else allowed
        if kind[largest] == LEAF:  # it would have the rows of the node, and their errors
            as_branch = as_leaf
        else:
            before, after = out.log_begin[largest] - out.log_begin[node], log_top - out.log_end[largest]
            if before + after > own_rows.shape[0]:
                own_rows, own_weights = np.empty(before + after, np.int32), np.empty(before + after)
            come, come_weights = own_rows[: before + after], own_weights[: before + after]
            noted(log, log_weights, out.log_begin[node], out.log_begin[largest], come, come_weights, ZERO)
            noted(log, log_weights, out.log_end[largest], log_top, come, come_weights, before)
            as_branch = errors_with(
                tree, cells, out, target, largest, come, come_weights, gap_rows, gap_weights, (most, confidence, z)
            )
        if out.gap_end[node] > out.gap_begin[node]:
            log_top = undivided(node, log, log_weights, log_top, gap_rows, gap_weights, is_marked, out)
        if as_leaf <= allowed and as_branch >= most:
            kind[node], tree.feature[node], first[node], branches[node] = LEAF, -1, -1, 0
            errors[node], nodes_below[node] = as_leaf, 1
            gap_top = out.gap_begin[node]
        elif as_branch <= allowed and kind[largest] != LEAF:
            raise_branch(tree, nodes_below, node, largest)
            size = log_top - out.log_begin[node]
            rows, weights = with_room(rows, weights, begin + size)
            noted(log, log_weights, out.log_begin[node], log_top, rows, weights, begin)
            out.end[node] = begin + size
            log_top, gap_top = out.log_begin[node], out.gap_begin[node]
            path[NEXT, depth], path[IS_NEW, depth] = -1, 1
            continue
        out.log_end[node] = log_top
        depth -= 1
    return int(len(rows) + len(log) + len(gap_rows) + 3 * number)
