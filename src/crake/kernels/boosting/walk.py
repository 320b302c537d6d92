"""Sums of what trees answer, found by walking down each tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from crake.arrays import Floats, Longs
from crake.kernels.boosting.arrays import TreesArrays
from crake.kernels.interpreted import interpreted
from crake.kernels.tree.arrays import LEAF, THRESHOLD, RowArrays

GROUP = 32
"""Trees whose answers are added up before they are added to the rest: predicting by masks does so, too."""
ROWS = 64


def _steps(*arguments: Any) -> int:
    _, roots, _, _, begin, end, _ = arguments
    return 30 * len(roots) * int(end - begin)


@interpreted(_steps)
def add_answers(
    trees: TreesArrays, roots: Longs, cells: RowArrays, rows: Longs, begin: int, end: int, out: Floats
) -> None:
    """Add to out[i] what the trees at these roots answer for rows[i], begin ≤ i < end.

    The sum is taken in groups of 32 trees, of which the even and the odd ones are added apart.
    """
    kind, feature, threshold, value = trees.kind, trees.feature, trees.threshold, trees.value
    missing, groups, first, answer = trees.missing, trees.groups, trees.first, trees.answer
    values, codes, down, across = cells.values, cells.codes, cells.down, cells.across
    place = cells.place
    sums = np.zeros((2, ROWS))
    for start in range(begin, end, ROWS):
        stop = min(start + ROWS, end)
        for group in range(0, roots.shape[0], GROUP):
            sums[:] = 0.0
            for t in range(group, min(group + GROUP, roots.shape[0])):
                parity = (t - group) & 1
                for i in range(start, stop):
                    row = rows[i]
                    node = roots[t]
                    while kind[node] != LEAF:
                        j = place[feature[node]]
                        branch = missing[node]
                        if kind[node] == THRESHOLD:
                            x = values[row, j]
                            if x <= threshold[node]:
                                branch = np.int32(0)
                            elif x > threshold[node]:
                                branch = np.int32(1)
                        else:
                            code = codes[row * down + j * across]
                            if code >= 0 and groups[value[node] + code] >= 0:
                                branch = groups[value[node] + code]
                        node = first[node] + branch
                    sums[parity, i - start] += answer[node]
            for i in range(start, stop):
                out[i] += sums[0, i - start] + sums[1, i - start]
