"""Rows sent down a tree to its leaves, in parts where values are missing, and logged there.

The rows of nodes that wait are a stack: those of a node give way to those of its branches, the last of which is
visited first. A leaf adds its rows to the log, so that the rows of every node visited are one stretch of it. A row that
a node divides is in the stretch of each branch, and once in that of the node, which is made when all are visited.
"""

from __future__ import annotations

from typing import NamedTuple

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.grid import part_of
from crake.kernels.tree.arrays import TreeArrays
from crake.kernels.tree.impurity import NOTHING


class LeafArrays(NamedTuple):
    """By node: class weights, pessimistic errors, its share of the known rows above it, the weight of its known rows.

    Where its rows begin and end on the stack and in the log, and its rows without a value in their own log. Parts of
    rows are rounded to the grid of the anchor.
    """

    anchor: float
    counts: Floats
    errors: Floats
    share: Floats
    known: Floats
    begin: Longs
    end: Longs
    log_begin: Longs
    log_end: Longs
    gap_begin: Longs
    gap_end: Longs


class RoomForRows(NamedTuple):
    """The rows on the stack, those in the log, and those of the node that is looked at, with the branches they take."""

    rows: Ints
    weights: Floats
    log: Ints
    log_weights: Floats
    branch: Ints
    own_rows: Ints
    own_weights: Floats


@kernel
def noted(rows: Ints, weights: Floats, begin: int, end: int, log: Ints, log_weights: Floats, top: int) -> int:
    """Add rows to a log that has room for them; return where it ends now."""
    for i in range(begin, end):
        log[top + i - begin], log_weights[top + i - begin] = rows[i], weights[i]
    return top + end - begin


@kernel
def count_branches(
    tree: TreeArrays, node: int, rows: Ints, weights: Floats, branch: Ints, target: Ints, is_new: bool, out: LeafArrays
) -> None:
    """Fill shares and known weight of a node whose rows have their branches; with `is_new` the counts of its children.

    A row without a value goes to the branches that have a share.
    """
    first, last = tree.first[node], tree.first[node] + tree.branches[node]
    share, counts, begin, end = out.share, out.counts, out.begin[node], out.end[node]
    known = 0.0
    for child in range(first, last):
        share[child] = 0.0
        if is_new:
            for k in range(counts.shape[1]):
                counts[child, k] = 0.0
    for i in range(begin, end):
        b = branch[i - begin]
        if b >= 0:
            share[first + b] += weights[i]
            known += weights[i]
            if is_new:
                counts[first + b, target[rows[i]]] += weights[i]
    for child in range(first, last):
        share[child] = share[child] / known if known > 0.0 else 1.0 / (last - first)
    out.known[node] = known
    for i in range(begin, end if is_new else begin):
        if branch[i - begin] < 0:
            for child in range(first, last):
                if share[child] > NOTHING:
                    counts[child, target[rows[i]]] += part_of(weights[i], share[child], out.anchor)


@kernel
def room_of_branches(tree: TreeArrays, node: int, branch: Ints, missing: int, out: LeafArrays) -> int:
    """Fill where the rows of a node's children begin and end, in place of its own; return where the last ones end."""
    first, last, top = tree.first[node], tree.first[node] + tree.branches[node], out.begin[node]
    for child in range(first, last):
        out.end[child] = 0
    for i in range(out.end[node] - out.begin[node]):
        if branch[i] >= 0:
            out.end[first + branch[i]] += 1
    for child in range(first, last):
        size = out.end[child] + (missing if out.share[child] > NOTHING else 0)
        out.begin[child], out.end[child] = top, top + size
        top += size
    return int(top)


@kernel
def part_rows(
    tree: TreeArrays, node: int, rows: Ints, weights: Floats, own_rows: Ints, own_weights: Floats, branch: Ints,
    out: LeafArrays,
) -> None:  # fmt: skip
    """Put the rows of a node's children in place of its own, of which own_rows and own_weights are copies."""
    first, last = tree.first[node], tree.first[node] + tree.branches[node]
    end, share = out.end, out.share
    for child in range(first, last):
        end[child] = out.begin[child]
    for i in range(own_rows.shape[0]):
        b = branch[i]
        if b >= 0:
            to = end[first + b]
            rows[to], weights[to] = own_rows[i], own_weights[i]
            end[first + b] = to + 1
            continue
        for child in range(first, last):
            if share[child] > NOTHING:
                to = end[child]
                rows[to], weights[to] = own_rows[i], part_of(own_weights[i], share[child], out.anchor)
                end[child] = to + 1


@kernel
def undivided(
    node: int, log: Ints, log_weights: Floats, top: int, gap_rows: Ints, gap_weights: Floats, is_marked: Flags,
    out: LeafArrays,
) -> int:  # fmt: skip
    """Put the rows that a node divides back together in the log, at its end; return where it ends now."""
    gap_begin, gap_end, to = out.gap_begin[node], out.gap_end[node], out.log_begin[node]
    for i in range(gap_begin, gap_end):
        is_marked[gap_rows[i]] = True
    for i in range(to, top):
        log[to], log_weights[to] = log[i], log_weights[i]
        to += not is_marked[log[i]]
    for i in range(gap_begin, gap_end):
        is_marked[gap_rows[i]] = False
    return noted(gap_rows, gap_weights, gap_begin, gap_end, log, log_weights, to)
