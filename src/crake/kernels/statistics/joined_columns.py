"""Nominal columns joined two by two into columns of more values: half as many are looked up, a quarter of the pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crake.arrays import Longs

MOST_VALUES = 64
"""Values that two columns may have together to be joined."""


class JoinedColumns(NamedTuple):
    """The joined column u is of the columns one[u] and other[u]; other[u] is −1 where a column stands alone.

    Its code is (code of one + 1) · slots[u] + (code of other + 1), and below sizes[u]: a code of −1 has a slot too.
    A column that stands alone has slots[u] = 1, so that its code is (code of one + 1).
    """

    one: Longs
    other: Longs
    slots: Longs
    sizes: Longs


def joined_columns(slots: Longs, most: int = MOST_VALUES) -> JoinedColumns:
    """Join columns with these slots (levels, and one for missing), the narrowest first, up to `most` values together.

    >>> joined_columns(np.array([3, 40, 3, 6, 6]))
    JoinedColumns(one=array([0, 3, 1]), other=array([ 2,  4, -1]), slots=array([3, 6, 1]), sizes=array([ 9, 36, 40]))
    """
    order = np.argsort(slots, kind="stable").tolist()
    one, other = [], []
    while order:
        first = order.pop(0)
        fits = bool(order) and int(slots[first]) * int(slots[order[0]]) <= most
        one.append(first)
        other.append(order.pop(0) if fits else -1)
    beside = np.array([slots[b] if b >= 0 else 1 for b in other], np.int64)
    return JoinedColumns(
        np.array(one, np.int64), np.array(other, np.int64), beside, slots[one].astype(np.int64) * beside
    )
