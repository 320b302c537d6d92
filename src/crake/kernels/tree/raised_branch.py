"""The errors that a subtree makes on rows which were not its own: those of the node that it may replace.

The rows of the nodes still to be visited lie on a stack. A node's rows give way to those of its children. Where some
are divided the largest subtree is at the bottom: while the others are visited, at most log2(nodes) such stretches wait,
whatever the depth.
"""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.kernels.inlined import inlined
from crake.kernels.tree.arrays import LEAF, PruningArrays, RowArrays, TreeArrays
from crake.kernels.tree.branch_rows import share_out, tell_branches, with_room
from crake.kernels.tree.impurity import NOTHING
from crake.kernels.tree.pessimistic_errors import leaf_errors

ANY_NUMBER = math.inf


@inlined
def _stack_children(
    first: Longs,
    branches: Longs,
    room: PruningArrays,
    node: int,
    begin: int,
    end: int,
    rows: Ints,
    weights: Floats,
    missing: int,
    waiting: int,
) -> tuple[Ints, Floats, int]:
    """Put the rows of its children in place of the rows begin … end of a node, the first child on top.

    Return the stack, which may have grown, and where it ends.
    """
    branch, nodes_below = room.branch, room.nodes_below
    waiting_node, waiting_begin = room.waiting, room.waiting_begin
    b, here = branches[node], first[node]
    share, to = np.zeros(b), np.zeros(b, np.int64)
    largest = b - 1
    for i in range(end - begin):
        if branch[i] >= 0:
            to[branch[i]] += 1
    if missing > 0:
        share_out(branch, weights, begin, end, share)
        for c in range(b):
            if nodes_below[here + c] > nodes_below[here + largest]:
                largest = c
    top = begin
    for turn in range(b, -1, -1):
        if turn == largest:
            continue
        c = largest if turn == b else turn
        number = to[c] + (missing if share[c] > NOTHING else 0)
        waiting_node[waiting], waiting_begin[waiting], to[c] = here + c, top, top
        waiting += 1
        top += number
    old_rows, old_weights = rows[begin:end].copy(), weights[begin:end].copy()
    rows, weights = with_room(rows, weights, top)
    for i in range(end - begin):
        known = branch[i]
        for c in range(max(known, 0), known + 1 if known >= 0 else b):
            if known >= 0 or share[c] > NOTHING:
                rows[to[c]], weights[to[c]] = old_rows[i], old_weights[i] if known >= 0 else old_weights[i] * share[c]
                to[c] += 1
    return rows, weights, top


@inlined
def errors_through(
    tree: TreeArrays,
    cells: RowArrays,
    room: PruningArrays,
    node: int,
    begin: int,
    end: int,
    rows: Ints,
    weights: Floats,
    most: float,
) -> tuple[Ints, Floats, float]:
    """Send the rows begin … end of the room through a subtree; return the pessimistic errors of its leaves.

    Errors beyond `most` are too many and not counted. With ANY_NUMBER the subtree takes the rows for its own: its
    counts and errors become theirs. `rows` and `weights` are the stack, handed back as it may have grown.
    """
    counts, errors, target, own_rows, own_weights = room.counts, room.errors, room.target, room.rows, room.weights
    waiting_node, waiting_begin, visited, branch = room.waiting, room.waiting_begin, room.visited, room.branch
    kind, first, branches = tree.kind, tree.first, tree.branches
    classes, is_kept = counts.shape[1], most == ANY_NUMBER
    rows, weights = with_room(rows, weights, end - begin)
    for i in range(begin, end):
        rows[i - begin], weights[i - begin] = own_rows[i], own_weights[own_rows[i]]
    here = np.zeros(classes)
    top, waiting, visits, total = end - begin, 1, 0, 0.0
    waiting_node[0], waiting_begin[0] = node, 0
    while waiting > 0 and total <= most:
        waiting -= 1
        node, begin = waiting_node[waiting], waiting_begin[waiting]
        for k in range(classes):
            here[k] = 0.0
        for i in range(begin, top):
            here[target[rows[i]]] += weights[i]
        if is_kept:
            visited[visits] = node
            visits += 1
            for k in range(classes):
                counts[node, k] = here[k]
        if kind[node] == LEAF:
            of_leaf = leaf_errors(here, room.confidence, room.z)
            total += of_leaf
            if is_kept:
                errors[node] = of_leaf
            top = begin
            continue
        missing = tell_branches(tree, cells, node, rows, begin, top, branch)
        below = waiting + branches[node]
        rows, weights, top = _stack_children(first, branches, room, node, begin, top, rows, weights, missing, waiting)
        waiting = below
    for i in range(visits - 1, -1, -1):
        node = visited[i]
        if kind[node] != LEAF:
            errors[node] = 0.0
            for c in range(first[node], first[node] + branches[node]):
                errors[node] += errors[c]
    return rows, weights, total
