"""The errors that a subtree makes on rows which were not its own: those of the node that it may replace.

The rows of the nodes still to be visited lie on a stack. A node's rows give way to those of its children. Where some
are divided the largest subtree is at the bottom: while the others are visited, at most log2(nodes) such stretches wait,
whatever the depth.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel
from crake.kernels.tree.branch_rows import share_out, tell_branches, with_room
from crake.kernels.tree.impurity import NOTHING
from crake.kernels.tree.partition import LEAF
from crake.kernels.tree.pessimistic_errors import leaf_errors

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]

ANY_NUMBER = math.inf


@kernel
def _stack_children(
    node: int,
    begin: int,
    end: int,
    rows: Ints,
    weights: Floats,
    branch: Ints,
    missing: int,
    first: Longs,
    branches: Longs,
    nodes_below: Longs,
    waiting_nodes: Longs,
    waiting_begin: Longs,
    waiting: int,
) -> tuple[Ints, Floats, int]:
    """The rows begin … end of a node give way to those of its children, the first on top; where these end."""
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
        waiting_nodes[waiting], waiting_begin[waiting], to[c] = here + c, top, top
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


@kernel
def errors_through(
    node: int,
    begin: int,
    end: int,
    node_rows: Ints,
    row_weights: Floats,
    rows: Ints,
    weights: Floats,
    branch: Ints,
    waiting_nodes: Longs,
    waiting_begin: Longs,
    visited: Longs,
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
    errors: Floats,
    nodes_below: Longs,
    is_numeric: Flags,
    place: Ints,
    values: Floats,
    codes: Ints,
    target: Ints,
    confidence: float,
    z: float,
    most: float,
) -> tuple[Ints, Floats, float]:
    """Send node_rows[begin … end] through a subtree; the pessimistic errors of its leaves.

    More errors than `most` are too many: those beyond are not counted. Where ANY_NUMBER is allowed the subtree takes
    the rows for its own: its counts and errors become theirs. `rows` and `weights` are the stack, handed back as it may
    have grown.
    """
    classes, is_kept = counts.shape[1], most == ANY_NUMBER
    rows, weights = with_room(rows, weights, end - begin)
    for i in range(begin, end):
        rows[i - begin], weights[i - begin] = node_rows[i], row_weights[node_rows[i]]
    here = np.zeros(classes)
    top, waiting, met, total = end - begin, 1, 0, 0.0
    waiting_nodes[0], waiting_begin[0] = node, 0
    while waiting > 0 and total <= most:
        waiting -= 1
        node, begin = waiting_nodes[waiting], waiting_begin[waiting]
        for k in range(classes):
            here[k] = 0.0
        for i in range(begin, top):
            here[target[rows[i]]] += weights[i]
        if is_kept:
            visited[met] = node
            met += 1
            for k in range(classes):
                counts[node, k] = here[k]
        if kind[node] == LEAF:
            total += leaf_errors(here, confidence, z)
            errors[node] = leaf_errors(here, confidence, z) if is_kept else errors[node]
            top = begin
            continue
        missing = tell_branches(
            node, rows, begin, top, kind, feature, threshold, value, missing_branch, groups, cuts, branches, is_numeric,
            place, values, codes, branch,
        )  # fmt: skip
        below = waiting + branches[node]
        rows, weights, top = _stack_children(
            node,
            begin,
            top,
            rows,
            weights,
            branch,
            missing,
            first,
            branches,
            nodes_below,
            waiting_nodes,
            waiting_begin,
            waiting,
        )
        waiting = below
    for i in range(met - 1, -1, -1):
        node = visited[i]
        if kind[node] != LEAF:
            errors[node] = 0.0
            for c in range(first[node], first[node] + branches[node]):
                errors[node] += errors[c]
    return rows, weights, total
