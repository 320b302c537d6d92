"""Rows in files, laid out anew by the leaves that they reach: those of every subtree then lie side by side.

Pruning asks for the cells of a node's rows again and again. In the order of the table they are spread over the whole
file, and a few thousand rows would bring all of it into memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Ints, Longs
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.growing.room import SORTING
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.routing import Cases, reached_leaves
from crake.learners.tree.tree import Tree

BESIDE_CELLS = 40
"""Bytes of a row in a window, beside its cells."""


def by_leaf(tree: Tree, training: Training) -> tuple[Training, Ints]:
    """Return the rows by leaf, in their order at each, and the place of every row; only cells and classes move."""
    room, rows = training.room, len(training)
    cells = 8 * training.values.shape[1] + 4 * len(training.codes) + BESIDE_CELLS
    window = max(1, SORTING * (room.sorted_at_once or rows) // cells)
    place: Ints = room.empty(rows, np.int32)
    staged: Ints = room.empty(rows, np.int32)
    old = [training.values, training.target, *training.codes]
    new = [room.empty(array.shape, array.dtype) for array in (training.values, training.target)]
    codes: Ints = room.empty(training.codes.shape, np.int32)
    new += list(codes)
    filled = np.arange(0, rows, window)
    for begin, order, to in _places(tree, training, window):
        place[begin + order] = to
        edges = np.flatnonzero(np.diff(to // window, prepend=-1, append=-1))
        for first, last in pairwise(edges.tolist()):
            group = int(to[first] // window)
            own = slice(filled[group], filled[group] + last - first)
            for array, moved in zip((*old, place), (*new, staged), strict=True):
                moved[own] = array[begin : begin + window][order[first:last]]
            filled[group] = own.stop
    for begin in range(0, rows, window):
        room.look()
        own = slice(begin, min(begin + window, rows))
        where = staged[own] - begin
        for moved in new:
            moved[own][where] = moved[own].copy()
    return replace(training, values=new[0], target=new[1], codes=codes, shared=None), place


def _places(tree: Tree, training: Training, window: int) -> Iterator[tuple[int, NDArray[np.intp], Longs]]:
    """Yield the rows of a window by the place that they will have, and these places, ascending."""
    rank, tree = _ranks(tree), _one_way(tree)
    leaf: Ints = training.room.empty(len(training), np.int32)
    sizes = np.zeros(len(tree), np.int64)
    for begin in range(0, len(training), window):
        training.room.look()
        own = slice(begin, begin + window)
        cases = Cases(training.layout, training.values[own], np.ascontiguousarray(training.codes[:, own].T))
        leaf[own] = rank[reached_leaves(tree, cases)]
        sizes += np.bincount(leaf[own], minlength=len(sizes))
    next_place = np.cumsum(sizes) - sizes
    for begin in range(0, len(training), window):
        training.room.look()
        own_leaf = leaf[begin : begin + window]
        order = np.argsort(own_leaf, kind="stable")
        met, first, number = np.unique(own_leaf[order], return_index=True, return_counts=True)
        to = np.arange(len(order)) + np.repeat(next_place[met] - first, number)
        next_place[met] += number
        yield begin, order, to


def _ranks(tree: Tree) -> Ints:
    """Return the rank of each leaf, by which those of every subtree follow each other; −1 elsewhere."""
    rank, found, waiting = np.full(len(tree), -1, np.int32), 0, [0]
    first, branches, is_leaf = tree.first.tolist(), tree.branches.tolist(), (tree.kind == LEAF).tolist()
    while waiting:
        node = waiting.pop()
        if is_leaf[node]:
            rank[node] = found
            found += 1
        else:
            waiting.extend(range(first[node], first[node] + branches[node]))
    return rank


def _one_way(tree: Tree) -> Tree:
    """Return the tree in which a row without a value takes the heaviest branch."""
    missing, weight = tree.missing.copy(), tree.counts.sum(axis=1)
    for node in np.flatnonzero((tree.kind != LEAF) & (missing < 0)).tolist():
        children = slice(tree.first[node], tree.first[node] + tree.branches[node])
        missing[node] = np.argmax(weight[children])
    return replace(tree, missing=missing)
