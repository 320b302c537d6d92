"""Aligning by level: two statistics that met different values agree on one list before they are added."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.table.schema import Label, sorted_levels

Levels = tuple[Label, ...]


def union(one: Levels, other: Levels) -> Levels:
    """The levels of both: their common list if they agree, otherwise the sorted union.

    Declared lists agree by nature, so their order stays; an empty list is the neutral element.

    >>> union(("b", "a"), ("b", "a")), union(("b", "a"), ("c",)), union((), ("b", "a"))
    (('b', 'a'), ('a', 'b', 'c'), ('b', 'a'))
    """
    if not other or are_same(one, other):
        return one
    return other if not one else sorted_levels([*one, *other])


def positions(levels: Levels, among: Levels) -> NDArray[np.intp]:
    """Where each of these levels stands in the longer list."""
    if are_same(levels, among):
        return np.arange(len(levels))
    place = {level_key(level): i for i, level in enumerate(among)}
    return np.array([place[level_key(level)] for level in levels], dtype=np.intp)


def are_same(one: Levels, other: Levels) -> bool:
    """Whether both lists hold the same levels in the same order.

    >>> are_same((1, "a"), (1.0, "a")), are_same((1, "a"), (True, "a"))
    (True, False)
    """
    if one is other:
        return True
    return one == other and all(isinstance(a, bool) == isinstance(b, bool) for a, b in zip(one, other, strict=True))


def level_key(level: Label) -> tuple[bool, Label]:
    """True and 1 are equal in Python but are two levels; 1 and 1.0 are one."""
    return isinstance(level, bool), level
