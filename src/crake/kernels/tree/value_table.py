"""The values of a nominal column among the rows of one node: how often each goes with each class.

The arrays have room for all levels and are empty between two nodes; only the values met are looked at again, so that a
small node costs little however many levels there are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel
from crake.kernels.tree.small_sort import sort_values
from crake.kernels.typed_constants import ZERO

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]
Classes = NDArray[np.uint8] | NDArray[np.int32]


@kernel
def count_values(
    rows: Ints,
    first: int,
    last: int,
    codes: Ints,
    row_of: Ints,
    target: Classes,
    weights: Floats,
    table: Floats,
    weight: Floats,
    number: Longs,
    met: Ints,
    missing: Floats,
) -> int:
    """Fill table[value, class], weight[value] and number[value] of one node; `met` lists the values, ascending."""
    is_weighted = weights.shape[0] > 0
    found = ZERO
    for k in range(missing.shape[0]):
        missing[k] = 0.0
    for i in range(first, last):
        at = rows[i]
        v = codes[row_of[at]]
        w = weights[at] if is_weighted else 1.0
        if v < 0:
            missing[target[at]] += w
            continue
        if number[v] == 0:
            met[found] = v
            found += 1
        number[v] += 1
        table[v, target[at]] += w
        weight[v] += w
    sort_values(met, found)
    return found


@kernel
def add_values(met: Ints, found: int, table: Floats, weight: Floats, known: Floats) -> float:
    """known[class] of all values together, and their weight."""
    total = 0.0
    for k in range(known.shape[0]):
        known[k] = 0.0
    for t in range(found):
        total += weight[met[t]]
        for k in range(known.shape[0]):
            known[k] += table[met[t], k]
    return total


@kernel
def forget_values(met: Ints, found: int, table: Floats, weight: Floats, number: Longs) -> None:
    """Empty what was filled."""
    for t in range(found):
        v = met[t]
        weight[v] = 0.0
        number[v] = 0
        for k in range(table.shape[1]):
            table[v, k] = 0.0


@kernel
def write_sides(place: int, levels: int, met: Ints, inside: Flags, found: int, heavier: int, groups: Ints) -> None:
    """groups[place + level] = 0 for the values inside, 1 for the others met, the heavier side for those not met."""
    for v in range(place, place + levels):
        groups[v] = heavier
    for t in range(found):
        groups[place + met[t]] = 0 if inside[t] else 1
