"""Bundles of arrays that the kernels of rules take."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel

EQUAL, AT_MOST, ABOVE, AT_LEAST = 0, 1, 2, 3
"""Kinds of conditions: a name is this level; a number is ≤, > or ≥ a threshold."""


class ConditionArrays(NamedTuple):
    """The conditions of a list of rules: rule r has those from edges[r] to edges[r + 1] − 1.

    `share` is the part of a row that satisfies the condition where its value is missing or new.
    """

    edges: Longs
    feature: Ints
    kind: Ints
    threshold: Floats
    level: Ints
    share: Floats


class CodedArrays(NamedTuple):
    """Training rows as whole numbers: cells[attribute, row] is a level, or the rank of a number; −1 where missing.

    `codes` is the number of levels or ranks of each attribute. The number of rank r is values[start[attribute] + r].
    A number of many values may have a list, keys[listed[attribute]]: rank · 2^32 + row, ascending; `listed` is −1
    where there is none.
    """

    cells: Ints
    codes: Longs
    is_numeric: Flags
    start: Longs
    values: Floats
    target: Ints
    listed: Longs
    keys: NDArray[np.int64]


class CountTable(NamedTuple):
    """Class weights of each code of one attribute; the codes present, ascending. It is empty between two uses."""

    counts: Floats
    is_present: Flags
    present: Ints


@kernel
def empty_counts(codes: int, classes: int) -> CountTable:
    """Return a table with room for as many codes."""
    return CountTable(np.zeros((codes, classes)), np.zeros(codes, np.bool_), np.zeros(codes, np.int32))
