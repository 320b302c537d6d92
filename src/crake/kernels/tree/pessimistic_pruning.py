"""Pessimistic pruning with subtree raising (C4.5): a subtree is weighed against a leaf and against its largest branch.

A subtree is worth the pessimistic errors that its leaves add up to. To weigh the largest branch, all rows of the node
are sent through it; `branch_rows` keeps the rows of the node that is looked at, `raised_branch` sends them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel
from crake.kernels.tree.branch_rows import (
    SEGMENT,
    come_back,
    go_down,
    keep,
    merge_rows,
    part_rows,
    share_out,
    tell_branches,
    weigh_again,
    weigh_as_kept,
    with_room,
)
from crake.kernels.tree.impurity import NOTHING
from crake.kernels.tree.partition import LEAF
from crake.kernels.tree.pessimistic_errors import leaf_errors
from crake.kernels.tree.raised_branch import ANY_NUMBER, errors_through
from crake.kernels.typed_constants import ZERO

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]

NODE, BEGIN, END, NEXT, NOTED, PARTED = 0, 1, 2, 3, 4, 5
"""Of every node on the way from the root: its rows begin … end, the branch to go into next, what was noted before, and
whether its rows lie in the order of the branches."""
MARGIN = 0.1
"""A leaf (a raised branch) replaces a subtree unless it is worse by more than this."""


@kernel
def _add_children(node: int, first: Longs, branches: Longs, counts: Floats, errors: Floats, nodes_below: Longs) -> int:
    """Errors and nodes of a subtree from those of its branches; the heaviest branch, the last of equals."""
    errors[node], nodes_below[node] = 0.0, 1
    largest, heaviest = 0, -1.0
    for c in range(branches[node]):
        child, weight = first[node] + c, 0.0
        errors[node] += errors[child]
        nodes_below[node] += nodes_below[child]
        for k in range(counts.shape[1]):
            weight += counts[child, k]
        if weight > heaviest - NOTHING:
            largest, heaviest = c, weight
    return largest


@kernel
def _raise(
    node: int, raised: int, kind: Ints, feature: Ints, threshold: Floats, value: Longs, missing_branch: Ints,
    first: Longs, branches: Longs, nodes_below: Longs,
) -> None:  # fmt: skip
    """A node becomes one of those below it; the one it was is left behind."""
    kind[node], feature[node], threshold[node] = kind[raised], feature[raised], threshold[raised]
    value[node], first[node], branches[node] = value[raised], first[raised], branches[raised]
    missing_branch[node], nodes_below[node] = missing_branch[raised], nodes_below[raised]


@kernel
def prune_pessimistic(
    kind: Ints,
    feature: Ints,
    threshold: Floats,
    value: Longs,
    missing_branch: Ints,
    groups: Ints,
    cuts: Floats,
    first: Longs,
    branches: Longs,
    counts: Floats,
    is_numeric: Flags,
    place: Ints,
    values: Floats,
    codes: Ints,
    target: Ints,
    weights: Floats,
    confidence: float,
    z: float,
    has_raising: bool,
    has_gaps: bool,
    levels: int,
) -> int:
    """Prune in place, children first; how many rows there was room for in the end.

    `weights` has one weight a row and is used up, `codes` lies column by column, `levels` is the tree's depth + 1. No
    row is divided unless the table has gaps, none is looked at unless branches may be raised.
    """
    nodes, held = kind.shape[0], len(target) if has_raising else 0
    errors, nodes_below, share = np.zeros(nodes), np.ones(nodes, np.int64), np.zeros(nodes)
    edge = np.empty(nodes, np.int64)
    for node in range(nodes):
        if kind[node] == LEAF:
            errors[node] = leaf_errors(counts[node], confidence, z)
    rows, spare, branch = np.empty(held, np.int32), np.empty(held, np.int32), np.empty(held, np.int32)
    noted_rows, noted_weights, noted = np.empty(0, np.int32), np.empty(0), ZERO
    kept_rows, kept_weights, kept = np.empty(0, np.int32), np.empty(0), ZERO
    stack_rows, stack_weights, node_weights = np.empty(held, np.int32), np.empty(held), np.empty(held)
    waiting, waiting_begin, visited = np.empty(nodes, np.int64), np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    for row in range(held):
        rows[row] = row
    way, depth = np.zeros((levels, 6), np.int64), 0
    way[0, END] = held
    if has_raising and has_gaps:
        kept_rows, kept_weights = with_room(kept_rows, kept_weights, held)
        kept = keep(kept, held, rows, weights, kept_rows, kept_weights, kept)
    while depth >= 0:
        node, begin, end, c = way[depth, NODE], way[depth, BEGIN], way[depth, END], way[depth, NEXT]
        while c < branches[node] and kind[first[node] + c] == LEAF:
            c += 1
        if c < branches[node]:
            way[depth, NEXT], way[depth, NOTED] = c + 1, noted
            above = depth
            depth += 1
            way[depth, NODE], way[depth, NEXT], way[depth, PARTED] = first[node] + c, 0, 0
            if has_raising:
                if way[above, PARTED] == 0:
                    missing = tell_branches(
                        node, rows, begin, end, kind, feature, threshold, value, missing_branch, groups, cuts, branches,
                        is_numeric, place, values, codes, branch,
                    )  # fmt: skip
                    if missing == 0:
                        part_rows(branch, begin, end, first[node], branches[node], rows, spare, edge)
                        way[above, PARTED] = 1
                if way[above, PARTED] == 1:
                    way[depth, BEGIN] = edge[first[node] + c]
                    end = edge[first[node] + c + 1] if c + 1 < branches[node] else end
                else:
                    noted_rows, noted_weights = with_room(noted_rows, noted_weights, noted + end - begin)
                    for i in range(begin, end):
                        node_weights[i] = weights[rows[i]]
                    share_out(branch, node_weights, begin, end, share[first[node] : first[node] + branches[node]])
                    way[depth, BEGIN], noted = go_down(
                        c, share[first[node] + c], begin, end, branch, rows, weights, spare, noted_rows, noted_weights,
                        noted,
                    )  # fmt: skip
                way[depth, END] = end
                if has_gaps and depth % SEGMENT == 0:
                    kept_rows, kept_weights = with_room(kept_rows, kept_weights, kept + end - way[depth, BEGIN])
                    kept = keep(way[depth, BEGIN], end, rows, weights, kept_rows, kept_weights, kept)
                    noted = ZERO
            continue
        if way[depth, PARTED] == 1:
            merge_rows(first[node], branches[node], end, rows, spare, edge)
            way[depth, PARTED] = 0
        if branches[node] > 0:
            largest = _add_children(node, first, branches, counts, errors, nodes_below)
            as_leaf, as_tree, as_branch = leaf_errors(counts[node], confidence, z), errors[node], math.inf
            sent_to, most, is_raised = first[node] + largest, as_tree + MARGIN + NOTHING, False
            while has_raising:
                # Errors beyond what the tree is allowed settle both questions below; a branch that is raised takes the
                # rows for its own. One call for both: it is half of what is compiled here.
                stack_rows, stack_weights, as_branch = errors_through(
                    sent_to, begin, end, rows, weights, stack_rows, stack_weights, branch, waiting, waiting_begin,
                    visited, kind, feature, threshold, value, missing_branch, groups, cuts, first, branches, counts,
                    errors, nodes_below, is_numeric, place, values, codes, target, confidence, z, most,
                )  # fmt: skip
                is_leaf = as_leaf <= as_tree + MARGIN + NOTHING and as_leaf <= as_branch + MARGIN + NOTHING
                if is_raised or is_leaf or as_branch > as_tree + MARGIN + NOTHING:
                    break
                _raise(node, sent_to, kind, feature, threshold, value, missing_branch, first, branches, nodes_below)
                sent_to, most, is_raised = node, ANY_NUMBER, True
            if is_raised:
                way[depth, NEXT] = 0
                continue
            if as_leaf <= as_tree + MARGIN + NOTHING and as_leaf <= as_branch + MARGIN + NOTHING:
                kind[node], feature[node], first[node], branches[node] = LEAF, -1, -1, 0
                errors[node], nodes_below[node] = as_leaf, 1
        depth -= 1
        if depth >= 0 and has_raising:
            if has_gaps and (depth + 1) % SEGMENT == 0:
                kept, noted = kept - (end - begin), ZERO
                base = depth + 1 - SEGMENT
                weigh_as_kept(kept - (way[base, END] - way[base, BEGIN]), kept, weights, kept_rows, kept_weights)
                for above in range(base, depth):
                    way[above, NOTED], below = noted, above + 1
                    tell_branches(
                        way[above, NODE], rows, way[below, BEGIN], way[below, END], kind, feature, threshold, value,
                        missing_branch, groups, cuts, branches, is_numeric, place, values, codes, branch,
                    )  # fmt: skip
                    needed = noted + way[below, END] - way[below, BEGIN]
                    noted_rows, noted_weights = with_room(noted_rows, noted_weights, needed)
                    noted = weigh_again(
                        way[below, BEGIN], way[below, END], branch, share[way[below, NODE]], rows, weights, noted_rows,
                        noted_weights, noted,
                    )  # fmt: skip
            else:
                weigh_as_kept(way[depth, NOTED], noted, weights, noted_rows, noted_weights)
                noted = way[depth, NOTED]
            if way[depth, PARTED] == 0:
                come_back(way[depth, BEGIN], begin, end, rows, spare)
    return len(kept_rows) + len(noted_rows) + len(stack_rows) + 3 * held
