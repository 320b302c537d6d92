"""Sending rows down a tree: along known values to a leaf, along every branch where a value is missing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel, readable, threads
from crake.kernels.threads import SMALL
from crake.kernels.tree.branch_of import branch_of
from crake.kernels.tree.partition import LEAF

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@kernel
def _mix(
    rows: Longs,
    begin: int,
    end: int,
    values: Floats,
    codes: Ints,
    nominal: int,
    is_numeric: NDArray[np.bool_],
    place: Ints,
    kind: Ints,
    feature: Ints,
    threshold: Floats,
    value: Longs,
    missing: Ints,
    groups: Ints,
    cuts: Floats,
    first: Longs,
    branches: Longs,
    share: Floats,
    leaf: Floats,
    out: Floats,
) -> None:
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
                    code = codes[row * nominal + j]
                branch = branch_of(kind[node], threshold[node], value[node], branches[node], groups, cuts, x, code)
                if branch < 0:
                    branch = missing[node]
                if branch < 0:
                    # One branch after the other, the first on top, so that sums are taken in their order.
                    needed = waiting + branches[node]
                    if needed > nodes.shape[0]:
                        more_nodes, more_parts = np.zeros(2 * needed, np.int64), np.zeros(2 * needed)
                        for kept in range(waiting):
                            more_nodes[kept], more_parts[kept] = nodes[kept], parts[kept]
                        nodes, parts = more_nodes, more_parts
                    for b in range(branches[node] - 1, -1, -1):
                        if share[first[node] + b] > 0.0:
                            nodes[waiting] = first[node] + b
                            parts[waiting] = part * share[first[node] + b]
                            waiting += 1
                    is_stopped = True
                else:
                    node = first[node] + branch
            if not is_stopped:
                for k in range(classes):
                    out[at, k] += part * leaf[node, k]


def mixed_leaves(
    rows: Longs,
    values: Floats,
    codes: Ints,
    is_numeric: NDArray[np.bool_],
    place: Ints,
    kind: Ints,
    feature: Ints,
    threshold: Floats,
    value: Longs,
    missing: Ints,
    groups: Ints,
    cuts: Floats,
    first: Longs,
    branches: Longs,
    share: Floats,
    leaf: Floats,
) -> Floats:
    """leaf[node] of the leaf each row reaches; where values are missing, the mixture of all it may reach.

    share[child] is the part of its parent's weight that went to it; `is_numeric` and `place` say where a feature is.
    """
    nominal = codes.shape[1]
    values, codes = readable(values), readable(codes).reshape(-1)
    out = np.empty((len(rows), leaf.shape[1]))
    parts = 1 if len(rows) * 8 < SMALL else 4 * threads.count()
    threads.each(
        lambda span: _mix(
            rows, span[0], span[1], values, codes, nominal, is_numeric, place, kind, feature, threshold, value, missing,
            groups, cuts, first, branches, share, leaf, out,
        ),
        threads.spans(len(rows), parts),
    )  # fmt: skip
    return out
