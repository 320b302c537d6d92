"""TAN's posteriors of whole rows: log prior + each value's logarithm given its parent's value, then normalised.

Each row is asked of the tree of its fold, in one pass over the rows; a single model is the tree of one fold.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from crake.arrays import Codes, Flags, Floats, Ints, Longs
from crake.kernels import readable, threads
from crake.kernels.bayes.posterior import normalise
from crake.kernels.tiered import tiered


class TreeLogs(NamedTuple):
    """The tables of trees over the same columns, one tree for each fold.

    Node i is the column used[i] of the codes, with levels[i] values. parent[fold, i] is a node, or −1, and
    mode[fold, i] stands for a missing value, −1 where none does. The logarithms of node i begin at offsets[fold, i] of
    logs (all cells, classes): those of its values, within the values of its parent. prior has shape (folds, classes).
    """

    used: Longs
    levels: Longs
    parent: Longs
    mode: Longs
    offsets: Longs
    logs: Floats
    prior: Floats
    log_prior: Floats


@tiered(
    lambda _codes, _fold, start, stop, tree, *_: (stop - start) * (tree.prior.shape[1] + 1) * (tree.used.size + 3),
    most=300_000,
)
def _tree_posteriors(
    codes: Codes, fold: Ints, start: int, stop: int, tree: TreeLogs, is_whole: Flags, out: Floats
) -> None:
    nodes, classes = tree.used.shape[0], out.shape[1]
    row, place = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    for at in range(start, stop):
        f = fold[at]
        is_whole[at] = True
        if f < 0:
            for k in range(classes):
                out[at, k] = math.nan
            continue
        for i in range(nodes):
            value = codes[at, tree.used[i]]
            row[i] = value if value >= 0 else tree.mode[f, i]
            if row[i] < 0:
                is_whole[at] = False
        if not is_whole[at]:
            continue
        for i in range(nodes):
            above = tree.parent[f, i]
            place[i] = tree.offsets[f, i] + row[i]
            if above >= 0:
                place[i] += row[above] * tree.levels[i]
        if classes == 2:
            # Two sums in registers: half the time of the loop over classes, and the same sums.
            one, other = tree.log_prior[f, 0], tree.log_prior[f, 1]
            for i in range(nodes):
                one += tree.logs[place[i], 0]
                other += tree.logs[place[i], 1]
            out[at, 0], out[at, 1] = one, other
        else:
            for k in range(classes):
                out[at, k] = tree.log_prior[f, k]
            for i in range(nodes):
                for k in range(classes):
                    out[at, k] += tree.logs[place[i], k]
        normalise(out[at], tree.prior[f])


def tree_posteriors(codes: Codes, fold: Ints, tree: TreeLogs) -> tuple[Floats, Flags]:
    """Return P(class given row), and which rows have every value: those of the others are not set.

    Rows of fold −1 have NaN. Each sum is taken in the order of the nodes. A row that no class can have gets the prior.
    """
    codes, fold = readable(codes), readable(fold)
    out, is_whole = np.empty((len(codes), tree.prior.shape[1])), np.empty(len(codes), np.bool_)
    threads.each(
        lambda span: _tree_posteriors(codes, fold, span[0], span[1], tree, is_whole, out),
        threads.spans(len(codes), threads.count()),
        codes.size,
    )
    return out, is_whole
