"""Rows, levels, rests and scratch space of exact sums by level, and their limits."""

from __future__ import annotations

from typing import NamedTuple

from crake.arrays import Floats, Longs

BLOCK, BLOCK_CELLS = 2048, 50_000
"""Most rows, and most values, that are worked on together, column by column: they stay in cache."""
ROWS = 1 << 15
"""Rows that the levels hold: 2^46 multiples each, from up to two floats of a row, stay below 2^63."""
STEP = 46
SPARE = 4
"""Bits above the largest value of the first rows: larger ones follow."""
LARGEST = 200
"""Values and weights beyond 2^±200 are handed back: their products might overflow or lose digits."""
WEIGHT, SUM, SQUARES, VALUE = range(4)
"""Kinds of what is handed back: a rest of one of the three sums, or a value that was not added at all."""
UNIT_LEVELS = (1, 2, 4)
"""Levels of the three sums where all weights are 1: the sum of weights is a count."""
WEIGHTED_LEVELS = (2, 3, 4)


class RowsOfCells(NamedTuple):
    """Rows to be added: values (rows, columns), NaN where missing; the cell of each row, or −1; weights."""

    values: Floats
    cell: Longs
    weights: Floats
    is_unit: bool


class LevelSums(NamedTuple):
    """Whole numbers by level (columns, levels, cells), least and largest values (2, cells, columns), and their limits.

    |value| < 2^bound of its column, and weights are below 2^bound of the last entry. `wanted` has the bounds that the
    next rows need; `room` the rows that may still be added.
    """

    counts: Longs
    extent: Floats
    bound: Longs
    wanted: Longs
    room: Longs


class HandedBack(NamedTuple):
    """Rests and values that the levels do not hold: the row, the column, their kind, the float; and their number."""

    row: Longs
    column: Longs
    kind: Longs
    value: Floats
    number: Longs


class Scratch(NamedTuple):
    """The rows of a block in the order of their cells, where each cell's begin, and floats of one column.

    `terms` (6, rows) are cut down to their rests; `cut` holds the sums x + M of one level.
    """

    row: Longs
    begin: Longs
    cell: Longs
    x: Floats
    w: Floats
    terms: Floats
    cut: Floats
    bits: Longs
    """A view of `cut` that reads its floats as integers."""
    top: Floats
    """The largest value of each column, and the largest weight, without those beyond 2^±200."""
    sums: Longs
    """Sums of bits by level and cell of a block."""
