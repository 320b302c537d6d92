"""Bundles of arrays for nodes whose columns are counted or kept sorted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel

Slots = NDArray[np.uint16]
Keys = NDArray[np.int64]

RANK_BITS = 32
"""A key of a sorted column is rank · 2^32 + row."""
NO_RANK = 2**31 - 1
"""The rank of a missing value: the last one."""


class CodedRows(NamedTuple):
    """Training rows as whole numbers: cells[attribute, row] is a level, or the rank of a number; −1 where missing.

    `codes` is the number of levels or ranks of each attribute. The number of rank r is values[start[attribute] + r].
    An attribute of few codes is counted: slots[row, place] is where its cell and the class of the row stand in a table
    of class weights. The attribute has the lines from first_line[attribute] on, one per code and one for missing
    values. An attribute of many codes has the list `listed` of keys, ascending, and no line. The one of the two that
    does not apply is −1. `is_near`: two of its numbers are so close that a cut between them may not count.
    """

    cells: Ints
    codes: Longs
    is_numeric: Flags
    start: Longs
    values: Floats
    target: Ints
    slots: Slots
    first_line: Longs
    listed: Longs
    has_gaps: Flags
    is_near: Flags
    lists: Keys


class SplitRules(NamedTuple):
    """Settings of C4.5's splits.

    A split needs two branches that weigh `smallest`. Neighbouring numbers within `gap` are not cut apart. With
    `counts_rows` a cut needs as many rows as its two sides must weigh. With `has_correction` log2(cuts)/W is taken off
    the gain of a number. `is_averaged` says which attributes enter the average gain. `logs` holds n·ln n of whole
    numbers, or nothing. Parts of rows are rounded to the grid of the anchor.
    """

    smallest: float
    gap: float
    counts_rows: bool
    has_correction: bool
    is_averaged: Flags
    logs: Floats
    anchor: float


class Scores(NamedTuple):
    """The split of each attribute: may it be chosen, its gain and gain ratio, and the ranks beside its cut.

    `table` is room for the class weights of all lines, `by_row` for the weight of a row at the node: negative for the
    second of two classes. `left` is room for a block of cuts, `goes` for a flag per row.
    """

    usable: Flags
    gain: Floats
    ratio: Floats
    cut: Longs
    above: Longs
    table: Floats
    by_row: Floats
    left: Floats
    goes: Flags
    classes: int


class NodeRows(NamedTuple):
    """The rows of a node, begin … end: their numbers, ascending, and weights; and the keys of each sorted column."""

    rows: Ints
    weights: Floats
    keys: Keys
    begin: int
    end: int


BLOCK = 64
"""Cuts that are bounded together."""


@kernel
def empty_scores(coded: CodedRows, classes: int) -> Scores:
    """Return room for the splits of all attributes."""
    attributes, lines = coded.codes.shape[0], 0
    for attribute in range(attributes):
        if coded.first_line[attribute] >= 0:
            lines += coded.codes[attribute] + 1
    return Scores(
        np.zeros(attributes, np.bool_), np.zeros(attributes), np.zeros(attributes), np.zeros(attributes, np.int64),
        np.zeros(attributes, np.int64), np.zeros(lines * classes), np.zeros(coded.cells.shape[1]), np.zeros((3, BLOCK)),
        np.zeros(coded.cells.shape[1], np.bool_), classes,
    )  # fmt: skip


@kernel
def with_room(rows: Ints, weights: Floats, keys: Keys, needed: int) -> tuple[Ints, Floats, Keys]:
    """Return arrays with room for as many rows: these, or copies of twice that size."""
    if needed <= rows.shape[0]:
        return rows, weights, keys
    more_rows, more_weights = np.empty(2 * needed, np.int32), np.empty(2 * needed)
    more_keys = np.empty((keys.shape[0], 2 * needed), np.int64)
    for i in range(rows.shape[0]):
        more_rows[i], more_weights[i] = rows[i], weights[i]
        for j in range(keys.shape[0]):
            more_keys[j, i] = keys[j, i]
    return more_rows, more_weights, more_keys
