"""The errors that a subtree makes on rows which were not its own: those of the node that it may replace.

The rows of the nodes still to be visited lie on a stack. A node's rows give way to those of its children. Where some
are divided the largest subtree is at the bottom: while the others are visited, at most log2(nodes) such stretches wait,
whatever the depth.

Its own rows are among them, and the pessimistic errors of a leaf never fall when rows are added. So a leaf that is not
visited yet has at least the errors of its own rows, and the sum is too large long before all leaves are visited. Where
values are missing, more rows change the shares of the branches, and a leaf may lose a part of a row: below such a node
nothing is said of leaves that are not visited.
"""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.kernels.grid import part_of
from crake.kernels.inlined import inlined
from crake.kernels.tree.arrays import LEAF, PruningArrays, RowArrays, TreeArrays
from crake.kernels.tree.impurity import NOTHING
from crake.kernels.tree.pruning.branch_rows import share_out, tell_branches, with_room
from crake.kernels.tree.pruning.pessimistic_errors import leaf_errors

ANY_NUMBER = math.inf
ROUNDING = 1e-9
"""The share of the errors that their bound may be off by rounding, and much more."""


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

    Return the stack, which may have grown, and where it ends. Children wait as −1 − node below a negative node.
    """
    branch, nodes_below = room.branch, room.nodes_below
    waiting_node, waiting_begin = room.waiting, room.waiting_begin
    old_rows, old_weights = room.spare, room.spare_weights
    is_bound = node >= 0
    node = node if is_bound else -1 - node
    b, here = branches[node], first[node]
    share, to = room.branch_share[:b], room.branch_place[:b]
    for c in range(b):
        share[c], to[c] = 0.0, 0
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
        waiting_node[waiting] = here + c if is_bound else -1 - (here + c)
        waiting_begin[waiting], to[c] = top, top
        waiting += 1
        top += number
    for i in range(begin, end):
        old_rows[i - begin], old_weights[i - begin] = rows[i], weights[i]
    rows, weights = with_room(rows, weights, top)
    for i in range(end - begin):
        known = branch[i]
        for c in range(max(known, 0), known + 1 if known >= 0 else b):
            if known >= 0 or share[c] > NOTHING:
                w = old_weights[i] if known >= 0 else part_of(old_weights[i], share[c], room.anchor)
                rows[to[c]], weights[to[c]] = old_rows[i], w
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
    bound = errors[node]
    waiting_node[0], waiting_begin[0] = node, 0
    while waiting > 0 and max(total, bound - ROUNDING * (1.0 + bound)) <= most:
        waiting -= 1
        node, begin = waiting_node[waiting], waiting_begin[waiting]
        is_bound = node >= 0
        node = node if is_bound else -1 - node
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
            bound += of_leaf - errors[node] if is_bound else of_leaf
            if is_kept:
                errors[node] = of_leaf
            top = begin
            continue
        missing = tell_branches(tree, cells, node, rows, begin, top, branch)
        below = waiting + branches[node]
        if missing > 0 and is_bound:
            bound -= errors[node]
            is_bound = False
        here_node = node if is_bound else -1 - node
        rows, weights, top = _stack_children(
            first, branches, room, here_node, begin, top, rows, weights, missing, waiting
        )
        waiting = below
    for i in range(visits - 1, -1, -1):
        node = visited[i]
        if kind[node] != LEAF:
            errors[node] = 0.0
            for c in range(first[node], first[node] + branches[node]):
                errors[node] += errors[c]
    return rows, weights, total if waiting == 0 else max(total, bound)
