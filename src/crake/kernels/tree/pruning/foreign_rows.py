"""The errors of a subtree that takes over the rows of its siblings: only those rows are sent through it.

Its own rows stay where they are. So a leaf has its own class weights and those of the rows that come, and a branch that
no row comes to keeps its errors. Where rows of its own are without a value, those that come change the shares of the
branches: each such row is sent on with the change of its part, which may be negative.

The pessimistic errors of a leaf never fall when rows are added. So the errors of the subtree are too many long before
all rows are sent. Below a node whose own rows change their parts nothing is said of leaves that are not visited.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats, Ints
from crake.kernels import kernel
from crake.kernels.grid import part_of
from crake.kernels.tree.arrays import LEAF, RowArrays, TreeArrays
from crake.kernels.tree.impurity import NOTHING
from crake.kernels.tree.pruning.branch_rows import tell_branches, with_room
from crake.kernels.tree.pruning.leaf_rows import LeafArrays
from crake.kernels.tree.pruning.pessimistic_errors import leaf_errors

ROUNDING = 1e-9
"""The share of the errors that their bound may be off by rounding, and much more."""


@kernel
def _change_shares(
    tree: TreeArrays, node: int, weights: Floats, begin: int, end: int, branch: Ints, out: LeafArrays, new: Floats
) -> None:
    """Fill the shares of a node's branches once the rows begin … end have come; shares of next to nothing are 0."""
    first, number, known = tree.first[node], tree.branches[node], out.known[node]
    for c in range(number):
        new[c] = out.share[first + c] * known
    for i in range(begin, end):
        b = branch[i - begin]
        if b >= 0:
            new[b] += weights[i]
            known += weights[i]
    for c in range(number):
        share = new[c] / known if known > 0.0 else 1.0 / number
        new[c] = share if share > NOTHING else 0.0


@kernel
def errors_with(
    tree: TreeArrays, cells: RowArrays, out: LeafArrays, target: Ints, node: int, rows: Ints, weights: Floats,
    gap_rows: Ints, gap_weights: Floats, limits: tuple[float, float, float],
) -> float:  # fmt: skip
    """Return the pessimistic errors of a subtree once these rows have come to it.

    `limits` are the errors beyond which they are not counted any more, the confidence and its quantile. `gap_rows` and
    `gap_weights` are the log of rows without a value.
    """
    kind, first, branches, errors, counts, share = (
        tree.kind,
        tree.first,
        tree.branches,
        out.errors,
        out.counts,
        out.share,
    )
    most, confidence, z = limits
    anchor = out.anchor
    classes, waiting, top = counts.shape[1], 1, rows.shape[0]
    here, new, to = np.empty(classes), np.empty(64), np.empty(64, np.int64)
    nodes, begins = np.empty(64, np.int64), np.empty(64, np.int64)
    branch, own_rows, own_weights = np.empty(top, np.int32), np.empty(top, np.int32), np.empty(top)
    nodes[0], begins[0], total = node, 0, errors[node]
    while waiting > 0 and total - ROUNDING * (1.0 + total) <= most:
        waiting -= 1
        node, begin = nodes[waiting], begins[waiting]
        is_bound = node >= 0
        node = node if is_bound else -1 - node
        if kind[node] == LEAF:
            for k in range(classes):
                here[k] = counts[node, k]
            for i in range(begin, top):
                here[target[rows[i]]] += weights[i]
            for k in range(classes):
                here[k] = max(here[k], 0.0)  # rounding
            total += leaf_errors(here, confidence, z) - (errors[node] if is_bound else 0.0)
            top = begin
            continue
        size, child, number = top - begin, first[node], branches[node]
        if size > branch.shape[0]:
            branch, own_rows, own_weights = (
                np.empty(2 * size, np.int32), np.empty(2 * size, np.int32), np.empty(2 * size)
            )  # fmt: skip
        if number > new.shape[0]:
            new, to = np.empty(number), np.empty(number, np.int64)
        missing = tell_branches(tree, cells, node, rows, begin, top, branch)
        gaps = out.gap_end[node] - out.gap_begin[node]
        if missing + gaps > 0:
            _change_shares(tree, node, weights, begin, top, branch, out, new)
        if is_bound and gaps > 0:
            is_bound = False
            total -= errors[node]
        to[:number] = 0
        for i in range(size):
            own_rows[i], own_weights[i] = rows[begin + i], weights[begin + i]
            if branch[i] >= 0:
                to[branch[i]] += 1
        top = begin
        if waiting + number > nodes.shape[0]:
            more_nodes, more_begins = (
                np.empty(2 * (waiting + number), np.int64),
                np.empty(2 * (waiting + number), np.int64),
            )
            more_nodes[:waiting], more_begins[:waiting] = nodes[:waiting], begins[:waiting]
            nodes, begins = more_nodes, more_begins
        for c in range(number):
            old = share[child + c] if share[child + c] > NOTHING else 0.0
            come = to[c]
            if missing > 0 and new[c] > 0.0:
                come += missing
            if gaps > 0 and new[c] != old:
                come += gaps
            to[c] = top
            if come > 0:
                nodes[waiting], begins[waiting] = child + c if is_bound else -1 - (child + c), top
                waiting += 1
                top += come
            elif not is_bound:
                total += errors[child + c]
        rows, weights = with_room(rows, weights, top)
        for i in range(size):
            if branch[i] >= 0:
                at = to[branch[i]]
                rows[at], weights[at] = own_rows[i], own_weights[i]
                to[branch[i]] = at + 1
                continue
            for c in range(number):
                if new[c] > 0.0:
                    rows[to[c]], weights[to[c]] = own_rows[i], part_of(own_weights[i], new[c], anchor)
                    to[c] += 1
        for c in range(number if gaps > 0 else 0):
            old = share[child + c] if share[child + c] > NOTHING else 0.0
            if new[c] != old:
                for i in range(out.gap_begin[node], out.gap_end[node]):
                    change = part_of(gap_weights[i], new[c], anchor) - part_of(gap_weights[i], old, anchor)
                    rows[to[c]], weights[to[c]] = gap_rows[i], change
                    to[c] += 1
    return float(total)
