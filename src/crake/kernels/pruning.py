"""Pessimistic pruning with subtree raising (C4.5): a subtree is weighed against a leaf and against its largest branch.

The errors of a leaf are raised to an upper confidence limit; a subtree is worth what its leaves add up to. To weigh the
largest branch, all rows of the node are sent through it. Rows lie in one buffer: a node's rows are put in the order of
its branches where they lie, so that a deep tree needs no more room; only if some are divided, because their value is
missing, the children's rows are written behind all others.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel
from crake.kernels.partition import LEAF
from crake.kernels.traverse import branch_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]

NOTHING = 1e-6
MARGIN = 0.1
"""A leaf (a raised branch) replaces a subtree unless it is worse by more than this."""
ANY_NUMBER = math.inf


@kernel
def added_errors(n: float, e: float, confidence: float, z: float) -> float:
    """What is added to e errors of n rows: an upper limit of their number at this confidence, less e.

    z is the normal quantile at 1 − confidence. Quinlan (1993), C4.5, chapter 4; interpolated below one error.
    """
    if confidence > 0.5:
        return 0.0
    if e < 1.0:
        base = n * (1.0 - math.exp(math.log(confidence) / n))
        if e <= 0.0:
            return base
        return base + e * (added_errors(n, 1.0, confidence, z) - base)
    if e + 0.5 >= n:
        return max(n - e, 0.0)
    f = (e + 0.5) / n
    r = (f + z * z / (2.0 * n) + z * math.sqrt(f / n - f * f / n + z * z / (4.0 * n * n))) / (1.0 + z * z / n)
    return r * n - e


@kernel
def leaf_errors(counts: Floats, confidence: float, z: float) -> float:
    """The pessimistic errors of a leaf with these class weights."""
    n, top = 0.0, 0.0
    for k in range(counts.shape[0]):
        n += counts[k]
        top = max(top, counts[k])
    if n < NOTHING:
        return 0.0
    e = n - top
    return e + added_errors(n, e, confidence, z)


@kernel
def _grown(buffer_rows: Ints, buffer_weights: Floats, needed: int) -> tuple[Ints, Floats]:
    if needed <= buffer_rows.shape[0]:
        return buffer_rows, buffer_weights
    rows, weights = np.empty(2 * needed, np.int32), np.empty(2 * needed)
    for i in range(buffer_rows.shape[0]):
        rows[i], weights[i] = buffer_rows[i], buffer_weights[i]
    return rows, weights


@kernel
def _distribute(
    node: int,
    begin: int,
    end: int,
    top: int,
    buffer_rows: Ints,
    buffer_weights: Floats,
    kind: Ints,
    feature: Ints,
    threshold: Floats,
    value: Longs,
    missing_branch: Ints,
    groups: Ints,
    cuts: Floats,
    branches: Longs,
    is_numeric: Flags,
    place: Ints,
    values: Floats,
    codes: Ints,
) -> tuple[Ints, Floats, Longs]:
    """Put the rows begin … end of a node in the order of its branches, or behind `top` where some are divided; the
    edges between the children.
    """
    n, b = end - begin, branches[node]
    branch = np.empty(n, np.int32)
    weight, number = np.zeros(b), np.zeros(b, np.int64)
    missing, known = 0, 0.0
    j = place[feature[node]]
    for i in range(n):
        row = buffer_rows[begin + i]
        x, v = 0.0, 0
        if is_numeric[feature[node]]:
            x = values[row, j]
        else:
            v = codes[j, row]
        to = -1
        if x == x and v >= 0:
            to = branch_of(kind[node], threshold[node], value[node], b, groups, cuts, x, v)
        if to < 0:
            to = missing_branch[node]
        branch[i] = to
        if to >= 0:
            weight[to] += buffer_weights[begin + i]
            known += buffer_weights[begin + i]
            number[to] += 1
        else:
            missing += 1
    edges = np.empty(b + 1, np.int64)
    edges[0] = top if missing > 0 else begin
    for c in range(b):
        weight[c] = weight[c] / known if known > 0.0 else 1.0 / b
        edges[c + 1] = edges[c] + number[c] + (missing if weight[c] > NOTHING else 0)
    buffer_rows, buffer_weights = _grown(buffer_rows, buffer_weights, edges[b])
    rows, weights = buffer_rows[begin:end].copy(), buffer_weights[begin:end].copy()
    at = edges[:b].copy()
    for i in range(n):
        to = branch[i]
        if to >= 0:
            buffer_rows[at[to]], buffer_weights[at[to]] = rows[i], weights[i]
            at[to] += 1
        else:
            for c in range(b):
                if weight[c] > NOTHING:
                    buffer_rows[at[c]], buffer_weights[at[c]] = rows[i], weights[i] * weight[c]
                    at[c] += 1
    return buffer_rows, buffer_weights, edges


@kernel
def _class_weights(begin: int, end: int, rows: Ints, weights: Floats, target: Ints, counts: Floats) -> None:
    counts[:] = 0.0
    for i in range(begin, end):
        counts[target[rows[i]]] += weights[i]


@kernel
def _through(
    node: int,
    begin: int,
    end: int,
    top: int,
    buffer_rows: Ints,
    buffer_weights: Floats,
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
    is_numeric: Flags,
    place: Ints,
    values: Floats,
    codes: Ints,
    target: Ints,
    confidence: float,
    z: float,
    most: float,
) -> tuple[Ints, Floats, float]:
    """Send rows through a subtree; the pessimistic errors of its leaves.

    More errors than `most` are too many: those beyond are not counted. Where ANY_NUMBER is allowed the subtree takes
    the rows for its own: its counts and errors become theirs.
    """
    is_kept = most == ANY_NUMBER
    stack = [(node, begin, end, top)]
    here = np.zeros(counts.shape[1])
    visited = [node]
    visited.pop()
    total = 0.0
    while len(stack) > 0:
        node, begin, end, top = stack.pop()
        _class_weights(begin, end, buffer_rows, buffer_weights, target, here)
        if is_kept:
            counts[node] = here
            visited.append(node)
        if kind[node] == LEAF:
            total += leaf_errors(here, confidence, z)
            if total > most:
                break
            continue
        buffer_rows, buffer_weights, edges = _distribute(
            node, begin, end, top, buffer_rows, buffer_weights, kind, feature, threshold, value,
            missing_branch, groups, cuts, branches, is_numeric, place, values, codes,
        )  # fmt: skip
        top = max(top, edges[branches[node]])
        for c in range(branches[node] - 1, -1, -1):
            stack.append((first[node] + c, edges[c], edges[c + 1], top))  # noqa: PERF401 - numba
    while is_kept and len(visited) > 0:
        node = visited.pop()
        errors[node] = leaf_errors(counts[node], confidence, z) if kind[node] == LEAF else 0.0
        for c in range(branches[node]):
            errors[node] += errors[first[node] + c]
    return buffer_rows, buffer_weights, total


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
) -> None:
    """Prune in place, children first. `weights` has one weight a row."""
    nodes = kind.shape[0]
    errors = np.zeros(nodes)
    for node in range(nodes - 1, -1, -1):
        if kind[node] == LEAF:
            errors[node] = leaf_errors(counts[node], confidence, z)
        else:
            for c in range(branches[node]):
                errors[node] += errors[first[node] + c]
    rows, row_weights = np.empty(2 * len(target), np.int32), np.empty(2 * len(target))
    for i in range(len(target)):
        rows[i], row_weights[i] = i, weights[i]
    # A frame: node, its rows begin … end, the top of the buffer, the next child; the children's edges beside it.
    frames = [(0, 0, len(target), len(target), -1)]
    all_edges = [np.zeros(0, np.int64)]
    while len(frames) > 0:
        node, begin, end, top, child = frames.pop()
        edges = all_edges.pop()
        if kind[node] == LEAF:
            continue
        if child < 0:
            rows, row_weights, edges = _distribute(
                node, begin, end, top, rows, row_weights, kind, feature, threshold, value,
                missing_branch, groups, cuts, branches, is_numeric, place, values, codes,
            )  # fmt: skip
            child = 0
        while child < branches[node] and kind[first[node] + child] == LEAF:
            child += 1
        if child < branches[node]:
            frames.append((node, begin, end, top, child + 1))
            all_edges.append(edges)
            behind = max(top, edges[branches[node]])
            frames.append((first[node] + child, edges[child], edges[child + 1], behind, -1))
            all_edges.append(np.zeros(0, np.int64))
            continue
        errors[node] = 0.0
        largest, heaviest = 0, -1.0
        for c in range(branches[node]):
            errors[node] += errors[first[node] + c]
            weight = counts[first[node] + c].sum()
            if weight > heaviest - NOTHING:
                largest, heaviest = c, weight
        as_leaf, as_tree, as_branch = leaf_errors(counts[node], confidence, z), errors[node], math.inf
        if has_raising:
            # Errors beyond what the tree is allowed settle both questions below.
            rows, row_weights, as_branch = _through(
                first[node] + largest, begin, end, top, rows, row_weights, kind, feature, threshold, value,
                missing_branch, groups, cuts, first, branches, counts, errors, is_numeric, place, values, codes,
                target, confidence, z, as_tree + MARGIN + NOTHING,
            )  # fmt: skip
        if as_leaf <= as_tree + MARGIN + NOTHING and as_leaf <= as_branch + MARGIN + NOTHING:
            kind[node], feature[node], first[node], branches[node] = LEAF, -1, -1, 0
            errors[node] = as_leaf
        elif as_branch <= as_tree + MARGIN + NOTHING:
            raised = first[node] + largest
            kind[node], feature[node], threshold[node] = kind[raised], feature[raised], threshold[raised]
            value[node], first[node], branches[node] = value[raised], first[raised], branches[raised]
            missing_branch[node] = missing_branch[raised]
            rows, row_weights, _ = _through(
                node, begin, end, top, rows, row_weights, kind, feature, threshold, value, missing_branch, groups,
                cuts, first, branches, counts, errors, is_numeric, place, values, codes, target, confidence, z,
                ANY_NUMBER,
            )  # fmt: skip
            frames.append((node, begin, end, top, -1))
            all_edges.append(np.zeros(0, np.int64))
