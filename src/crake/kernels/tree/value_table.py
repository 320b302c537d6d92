"""The values of a nominal column among the rows of one node: how often each goes with each class.

The table has room for all levels and is empty between two nodes. Only the values present are looked at again, so that a
small node costs little however many levels there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.small_sort import sort_values
from crake.kernels.tree.arrays import Groups, LevelArrays
from crake.kernels.typed_constants import ZERO


class ValueTable(NamedTuple):
    """Class weights, weight and number of instances of each value; the values present, ascending.

    `known` and `missing` hold the class weights of the rows with and without a value.
    """

    counts: Floats
    weight: Floats
    number: Longs
    present: Ints
    known: Floats
    missing: Floats


@kernel
def empty_table(levels: int, classes: int) -> ValueTable:
    """Return a table with room for all levels."""
    return ValueTable(
        np.zeros((levels, classes)),
        np.zeros(levels),
        np.zeros(levels, np.int64),
        np.zeros(levels, np.int32),
        np.zeros(classes),
        np.zeros(classes),
    )


@kernel
def count_values(table: ValueTable, level: LevelArrays, node: int, codes: Ints) -> int:
    """Fill the table with the instances of one node; return how many values are present."""
    counts, weight, number, present = table.counts, table.weight, table.number, table.present
    known, missing = table.known, table.missing
    rows, row_of, target, weights = level.rows, level.row_of, level.target, level.weights
    is_weighted = weights.shape[0] > 0
    values = ZERO
    for k in range(missing.shape[0]):
        missing[k], known[k] = 0.0, 0.0
    for i in range(level.start[node], level.start[node] + level.size[node]):
        at = rows[i]
        v = codes[row_of[at]]
        w = weights[at] if is_weighted else 1.0
        if v < 0:
            missing[target[at]] += w
            continue
        if number[v] == 0:
            present[values] = v
            values += 1
        number[v] += 1
        counts[v, target[at]] += w
        weight[v] += w
    sort_values(present, values)
    return values


@kernel
def add_values(table: ValueTable, values: int) -> float:
    """Add up the class weights of all values; return their weight."""
    present, weight, counts, known = table.present, table.weight, table.counts, table.known
    total = 0.0
    for t in range(values):
        v = present[t]
        total += weight[v]
        for k in range(known.shape[0]):
            known[k] += counts[v, k]
    return total


@kernel
def forget_values(table: ValueTable, values: int) -> None:
    """Empty what was filled."""
    present, weight, counts, number = table.present, table.weight, table.counts, table.number
    for t in range(values):
        v = present[t]
        weight[v] = 0.0
        number[v] = 0
        for k in range(counts.shape[1]):
            counts[v, k] = 0.0


@kernel
def write_sides(out: Groups, node: int, levels: int, present: Ints, inside: Flags, values: int, heavier: int) -> None:
    """Write the sides of a node: 0 for the values inside, 1 for the others present, the heavier for those absent."""
    place = out.place[node]
    for v in range(place, place + levels):
        out.groups[v] = heavier
    for t in range(values):
        out.groups[place + present[t]] = 0 if inside[t] else 1
