"""Sending rows down a tree: along known values to a leaf, along every branch where a value is missing."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats, Longs
from crake.kernels import threads
from crake.kernels.threads import SMALL
from crake.kernels.tiered import tiered
from crake.kernels.tree.arrays import LEAF, RowArrays, TreeArrays
from crake.kernels.tree.branch_of import branch_of


@tiered(lambda _tree, _cells, _rows, begin, end, *_: 20 * (end - begin), most=300_000)
def _mix(
    tree: TreeArrays,
    cells: RowArrays,
    rows: Longs,
    begin: int,
    end: int,
    share: Floats,
    leaf: Floats,
    out: Floats,
) -> None:
    kind, feature, threshold, value = tree.kind, tree.feature, tree.threshold, tree.value
    groups, cuts, branches = tree.groups, tree.cuts, tree.branches
    values, codes, is_numeric, place = cells.values, cells.codes, cells.is_numeric, cells.place
    down, across = cells.down, cells.across
    first, missing = tree.first, tree.missing
    classes = leaf.shape[1]
    nodes, parts = np.zeros(64, np.int64), np.zeros(64)
    for at in range(begin, end):
        row = rows[at]
        for k in range(classes):
            out[at, k] = 0.0
        nodes[0], parts[0] = 0, 1.0
        waiting = 1
        while waiting > 0:
            waiting -= 1
            node, part = nodes[waiting], parts[waiting]
            is_stopped = False
            while kind[node] != LEAF and not is_stopped:
                j = place[feature[node]]
                x, code = 0.0, 0
                if is_numeric[feature[node]]:
                    x = values[row, j]
                else:
                    code = codes[row * down + j * across]
                branch = branch_of(kind[node], threshold[node], value[node], branches[node], groups, cuts, x, code)
                if branch < 0:
                    branch = missing[node]
                if branch < 0:
                    # One branch after the other, the first on top, so that sums are taken in their order.
                    needed = waiting + branches[node]
                    if needed > nodes.shape[0]:
                        more_nodes, more_parts = np.zeros(2 * needed, np.int64), np.zeros(2 * needed)
                        for old in range(waiting):
                            more_nodes[old], more_parts[old] = nodes[old], parts[old]
                        nodes, parts = more_nodes, more_parts
                    for child in range(first[node] + branches[node] - 1, first[node] - 1, -1):
                        if share[child] > 0.0:
                            nodes[waiting], parts[waiting] = child, part * share[child]
                            waiting += 1
                    is_stopped = True
                else:
                    node = first[node] + branch
            if not is_stopped:
                for k in range(classes):
                    out[at, k] += part * leaf[node, k]


def mixed_leaves(tree: TreeArrays, cells: RowArrays, rows: Longs, share: Floats, leaf: Floats) -> Floats:
    """Return leaf[node] of the leaf that each row reaches; where values are missing, the mixture of all it may reach.

    share[child] is the part of its parent's weight that went to a child.
    """
    out = np.empty((len(rows), leaf.shape[1]))
    parts = 1 if len(rows) * 8 < SMALL else 4 * threads.count()
    threads.each(
        lambda span: _mix(tree, cells, rows, span[0], span[1], share, leaf, out),
        threads.spans(len(rows), parts),
    )
    return out
