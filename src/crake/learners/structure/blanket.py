"""The Markov blanket of the class: its parents, its children, and their other parents."""

from __future__ import annotations

import math
from collections.abc import Sequence

from crake.learners.structure.families import Parents
from crake.learners.structure.hill_climb import reached

MOST_CONFIGURATIONS = 1024
"""Configurations of its parents from which on the class gets no more of them."""


def markov_blanket(parents: Sequence[Sequence[int]], target: int) -> set[int]:
    """Return the columns that, once known, leave nothing for the others to say of the class.

    >>> sorted(markov_blanket([(), (0,), (1, 3), (), (2,)], 1))
    [0, 2, 3]
    """
    children = [node for node, own in enumerate(parents) if target in own]
    return {*parents[target], *children, *(p for child in children for p in parents[child])} - {target}


def with_all_in_blanket(parents: Parents, target: int, sizes: Sequence[int]) -> Parents:
    """Return the network in which every column is in the blanket of the class, as WEKA's correction makes it.

    A column outside it becomes a parent of the class if it is above the class, and a child of it otherwise. A class
    with 1,024 or more configurations of parents gets no more of them.

    >>> with_all_in_blanket(((), (), ()), 2, [2, 2, 2])
    ((2,), (2,), ())
    """
    found = [list(own) for own in parents]
    above = reached(parents)[:, target]
    for node in range(len(parents)):
        if node == target or node in markov_blanket(found, target):
            continue
        if not above[node]:
            found[node].append(target)
        elif math.prod(sizes[p] for p in found[target]) < MOST_CONFIGURATIONS:
            found[target].append(node)
    return tuple(map(tuple, found))
