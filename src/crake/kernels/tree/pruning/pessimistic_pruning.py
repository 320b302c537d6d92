"""Pessimistic pruning with subtree raising (C4.5): a subtree is weighed against a leaf and against its largest branch.

A subtree is worth the pessimistic errors that its leaves add up to. To weigh the largest branch, all rows of the node
are sent through it; `branch_rows` keeps the rows of the node that is looked at, `raised_branch` sends them.
"""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Floats, Longs
from crake.kernels.inlined import inlined
from crake.kernels.tiered import tiered
from crake.kernels.tree.arrays import LEAF, PruningArrays, RowArrays, TreeArrays
from crake.kernels.tree.impurity import NOTHING
from crake.kernels.tree.pruning.branch_rows import (
    SEGMENT,
    come_back,
    go_down,
    keep,
    merge_rows,
    part_rows,
    restore_weights,
    share_out,
    tell_branches,
    weigh_again,
    with_room,
)
from crake.kernels.tree.pruning.pessimistic_errors import leaf_errors
from crake.kernels.tree.pruning.raised_branch import ANY_NUMBER, errors_through
from crake.kernels.typed_constants import ZERO

NODE, BEGIN, END, NEXT, NOTED, PARTED = 0, 1, 2, 3, 4, 5
"""Lines of the path from the root: a node, its rows begin … end, the branch to go into next, how many weights were
noted before, and whether its rows lie in the order of the branches."""
MARGIN = 0.1
"""A leaf (a raised branch) replaces a subtree unless it is worse by more than this."""


@inlined
def add_children(first: int, branches: int, counts: Floats, errors: Floats, nodes_below: Longs, node: int) -> int:
    """Add up errors and nodes of a node's branches; return the heaviest branch, the last of equals."""
    errors[node], nodes_below[node] = 0.0, 1
    largest, heaviest = 0, -1.0
    for c in range(branches):
        child, weight = first + c, 0.0
        errors[node] += errors[child]
        nodes_below[node] += nodes_below[child]
        for k in range(counts.shape[1]):
            weight += counts[child, k]
        if weight > heaviest - NOTHING:
            largest, heaviest = c, weight
    return largest


@inlined
def raise_branch(tree: TreeArrays, nodes_below: Longs, node: int, raised: int) -> None:
    """Make a node one of those below it; the one it was is left behind."""
    tree.kind[node], tree.feature[node], tree.threshold[node] = (
        tree.kind[raised],
        tree.feature[raised],
        tree.threshold[raised],
    )
    tree.value[node], tree.first[node], tree.branches[node] = (
        tree.value[raised],
        tree.first[raised],
        tree.branches[raised],
    )
    tree.missing[node], nodes_below[node] = tree.missing[raised], nodes_below[raised]


def _steps(_tree: TreeArrays, _cells: RowArrays, room: PruningArrays, has_raising: bool, *_: object) -> int:
    """Count the nodes' classes, and the rows on a path of usual length if branches may be raised."""
    return int(8 * room.counts.size + (50 * room.rows.size if has_raising else 0))


@tiered(_steps, most=1_000_000)
def prune_pessimistic(
    tree: TreeArrays, cells: RowArrays, room: PruningArrays, has_raising: bool, node_weights: Floats | None
) -> int:
    """Prune in place, children first; return how many rows there was room for in the end.

    The weights of the room are used up. No row is looked at unless branches may be raised. `node_weights` is room for a
    weight per row; None says that no value is missing, so that no row is divided and half of this need not be compiled.
    """
    kind, first, branches = tree.kind, tree.first, tree.branches
    counts, errors, share, edge = room.counts, room.errors, room.share, room.edge
    rows, weights, spare, branch, path = room.rows, room.weights, room.spare, room.branch, room.path
    nodes_below, confidence, z = room.nodes_below, room.confidence, room.z
    path_node, path_begin, path_end, path_next = path[NODE], path[BEGIN], path[END], path[NEXT]
    path_noted, path_parted = path[NOTED], path[PARTED]
    row_count = len(rows)
    for node in range(kind.shape[0]):
        if kind[node] == LEAF:
            errors[node] = leaf_errors(counts[node], confidence, z)
    stack_rows, stack_weights = np.empty(row_count, np.int32), np.empty(row_count)
    depth = 0
    path_end[0] = row_count
    if node_weights is not None:
        noted_rows, noted_weights, noted_count = np.empty(0, np.int32), np.empty(0), ZERO
        kept_rows, kept_weights = np.empty(row_count, np.int32), np.empty(row_count)
        kept_count = keep(ZERO, row_count, rows, weights, kept_rows, kept_weights, ZERO)
    while depth >= 0:
        node, begin, end, c = path_node[depth], path_begin[depth], path_end[depth], path_next[depth]
        while c < branches[node] and kind[first[node] + c] == LEAF:
            c += 1
        if c < branches[node]:
            path_next[depth] = c + 1
            if node_weights is not None:
                path_noted[depth] = noted_count
            above = depth
            depth += 1
            path_node[depth], path_next[depth], path_parted[depth] = first[node] + c, 0, 0
            if has_raising:
                if path_parted[above] == 0:
                    missing = tell_branches(tree, cells, node, rows, begin, end, branch)
                    if missing == 0:
                        part_rows(branch, begin, end, first[node], branches[node], rows, spare, edge)
                        path_parted[above] = 1
                if path_parted[above] == 1:
                    path_begin[depth] = edge[first[node] + c]
                    end = edge[first[node] + c + 1] if c + 1 < branches[node] else end
                elif node_weights is not None:
                    noted_rows, noted_weights = with_room(noted_rows, noted_weights, noted_count + end - begin)
                    for i in range(begin, end):
                        node_weights[i] = weights[rows[i]]
                    share_out(branch, node_weights, begin, end, share[first[node] : first[node] + branches[node]])
                    path_begin[depth], noted_count = go_down(
                        c, share[first[node] + c], begin, end, room, noted_rows, noted_weights, noted_count
                    )
                path_end[depth] = end
                if node_weights is not None:
                    if depth % SEGMENT == 0:
                        kept_rows, kept_weights = with_room(
                            kept_rows, kept_weights, kept_count + end - path_begin[depth]
                        )
                        kept_count = keep(path_begin[depth], end, rows, weights, kept_rows, kept_weights, kept_count)
                        noted_count = ZERO
            continue
        if path_parted[depth] == 1:
            merge_rows(first[node], branches[node], end, rows, spare, edge)
            path_parted[depth] = 0
        if branches[node] > 0:
            largest = add_children(first[node], branches[node], counts, errors, nodes_below, node)
            as_leaf, as_tree, as_branch = leaf_errors(counts[node], confidence, z), errors[node], math.inf
            sent_to, most, is_raised = first[node] + largest, as_tree + MARGIN + NOTHING, False
            if kind[sent_to] == LEAF:  # it would have the rows of the node, and their errors
                as_branch = as_leaf
            while has_raising and kind[sent_to] != LEAF:
                # Errors beyond what the tree is allowed settle both questions below; a branch that is raised takes the
                # rows for its own. One call for both: it is half of what is compiled here.
                stack_rows, stack_weights, as_branch = errors_through(
                    tree, cells, room, sent_to, begin, end, stack_rows, stack_weights, most
                )
                is_leaf = as_leaf <= as_tree + MARGIN + NOTHING and as_leaf <= as_branch + MARGIN + NOTHING
                if is_raised or is_leaf or as_branch > as_tree + MARGIN + NOTHING:
                    break
                raise_branch(tree, nodes_below, node, sent_to)
                sent_to, most, is_raised = node, ANY_NUMBER, True
            if is_raised:
                path_next[depth] = 0
                continue
            if as_leaf <= as_tree + MARGIN + NOTHING and as_leaf <= as_branch + MARGIN + NOTHING:
                kind[node], tree.feature[node], first[node], branches[node] = LEAF, -1, -1, 0
                errors[node], nodes_below[node] = as_leaf, 1
        depth -= 1
        if node_weights is not None:
            if depth < 0 or not has_raising:
                continue
            if (depth + 1) % SEGMENT == 0:
                kept_count, noted_count = kept_count - (end - begin), ZERO
                base = depth + 1 - SEGMENT
                restore_weights(
                    kept_count - (path_end[base] - path_begin[base]), kept_count, weights, kept_rows, kept_weights
                )
                for above in range(base, depth):
                    path_noted[above], below = noted_count, above + 1
                    begin_below, end_below = path_begin[below], path_end[below]
                    tell_branches(tree, cells, path_node[above], rows, begin_below, end_below, branch)
                    noted_rows, noted_weights = with_room(
                        noted_rows, noted_weights, noted_count + end_below - begin_below
                    )
                    noted_count = weigh_again(
                        begin_below, end_below, share[path_node[below]], room, noted_rows, noted_weights, noted_count
                    )
            else:
                restore_weights(path_noted[depth], noted_count, weights, noted_rows, noted_weights)
                noted_count = path_noted[depth]
            if path_parted[depth] == 0:
                come_back(path_begin[depth], begin, end, rows, spare)
    in_stacks = len(stack_rows)
    if node_weights is not None:
        in_stacks += len(kept_rows) + len(noted_rows)
    return in_stacks + 3 * row_count
