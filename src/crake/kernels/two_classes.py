"""The best cut of every node on one complete numeric column, for two classes and rows of weight 1.

The same answer as `splitting.scan_numeric`, in two thirds of the time: the left side is one whole number, the rows of
the second class, and the positions that leave enough rows on either side are known before the scan.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel
from crake.kernels.splitting import ENTROPY, GINI, LN2

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Classes = NDArray[np.uint8] | NDArray[np.int32]


@kernel
def scan_two_classes(
    order: Ints,
    rank: Ints,
    reach: Ints,
    target: Classes,
    start: Longs,
    size: Longs,
    counts: Floats,
    is_open: NDArray[np.bool_],
    criterion: int,
    logs: Floats,
    smallest: float,
    is_clamped: bool,
    tolerance: float,
    decrease: Floats,
    known_weight: Floats,
    left_weight: Floats,
    cut: Longs,
    cuts: Longs,
) -> None:
    """As `splitting.scan_numeric`. With `logs` n·ln n of whole numbers for entropy."""
    has_reach = reach.shape[0] > 0
    for s in range(start.shape[0]):
        cut[s], cuts[s] = -1, 0
        decrease[s], known_weight[s], left_weight[s] = 0.0, 0.0, 0.0
        if not is_open[s]:
            continue
        first, last = start[s], start[s] + size[s]
        n0, n1 = int(counts[s, 0]), int(counts[s, 1])
        whole = float(n0 + n1)
        known_weight[s] = whole
        least = smallest
        if is_clamped:
            least = 0.1 * whole / 2.0
            if least <= smallest + tolerance:
                least = smallest
            elif least > 25.0:
                least = 25.0
        if last - first < 2.0 * least:
            continue
        enough = max(1, math.ceil(least - tolerance))
        lowest, highest = first + enough - 1, last - enough - 1
        ones, admissible, at = 0, 0, -1
        for i in range(first, lowest):
            ones += target[order[i]]
        margin = tolerance * whole
        if criterion == GINI:
            before = (float(n0) * n0 + float(n1) * n1) / whole
            best = before
            for i in range(lowest, highest + 1):
                ones += target[order[i]]
                if rank[i + 1] == rank[i] or (has_reach and rank[i + 1] <= reach[rank[i]]):
                    continue
                admissible += 1
                left, left1 = float(i - first + 1), float(ones)
                right, left0 = whole - left, left - left1
                right1, right0 = n1 - left1, n0 - left0
                found = (left0 * left0 + left1 * left1) * right + (right0 * right0 + right1 * right1) * left
                found /= left * right
                if found > best + margin:
                    best, at = found, i
        else:
            total = n0 + n1
            before = logs[n0] + logs[n1] - logs[total]
            best = before
            margin *= LN2
            for i in range(lowest, highest + 1):
                ones += target[order[i]]
                if rank[i + 1] == rank[i] or (has_reach and rank[i + 1] <= reach[rank[i]]):
                    continue
                admissible += 1
                left_rows = i - first + 1
                zeros = left_rows - ones
                found = logs[zeros] + logs[ones] - logs[left_rows]
                found += logs[n0 - zeros] + logs[n1 - ones] - logs[total - left_rows]
                if found > best + margin:
                    best, at = found, i
        cuts[s], cut[s] = admissible, at
        if at >= 0:
            decrease[s] = best - before
            left_weight[s] = at - first + 1


def is_two_classes(classes: int, weights: Floats, criterion: int, logs: Floats) -> bool:
    """Whether the quick scan may be used on columns without missing values."""
    return classes == 2 and len(weights) == 0 and (criterion != ENTROPY or len(logs) > 0)
