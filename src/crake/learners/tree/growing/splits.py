"""The best split of every node of a level on every attribute, as the arrays that are filled while they are sought."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Flags, Floats, Longs
from crake.errors import DataError
from crake.kernels.tree.arrays import SplitArrays


@dataclass(frozen=True, eq=False)
class Splits:
    """For each (attribute, node) its best split: decrease of weight × impurity, known weight, Σ W_b·ln W_b of branches.

    `cut` is the list position of the last instance left of a threshold, `cuts` how many were admissible, `choice` the
    value that a nominal column is split at, or 0 for a subset. `known_rows` and `left_rows` count instances.
    `gain` is per row (in bits for entropy), `ratio` the gain ratio.
    """

    decrease: Floats
    known_weight: Floats
    branch_terms: Floats
    left_weight: Floats
    usable: Flags
    cut: Longs
    cuts: Longs
    choice: Longs
    known_rows: Longs
    left_rows: Longs
    gain: Floats
    ratio: Floats

    @classmethod
    def empty(cls, attributes: int, nodes: int) -> Splits:
        """No split found yet."""
        shape = (attributes, nodes)
        return cls(
            decrease=np.zeros(shape),
            known_weight=np.zeros(shape),
            branch_terms=np.zeros(shape),
            left_weight=np.zeros(shape),
            usable=np.zeros(shape, bool),
            cut=np.full(shape, -1, np.int64),
            cuts=np.zeros(shape, np.int64),
            choice=np.full(shape, -1, np.int64),
            known_rows=np.zeros(shape, np.int64),
            left_rows=np.zeros(shape, np.int64),
            gain=np.zeros(shape),
            ratio=np.zeros(shape),
        )

    def of(self, attribute: int) -> SplitArrays:
        """Return those of one attribute, for a scan to fill."""
        return SplitArrays(*(getattr(self, name)[attribute] for name in SplitArrays._fields))


MOST_ENTRIES = 2**27
"""Entries of a tree's table of groups: half a gigabyte."""


def check_room(entries: int, levels: int) -> None:
    """Raise if a tree's sets of values would fill the memory; `levels` is how many values a column has.

    >>> check_room(10**9, 10**6)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    crake.errors.DataError: the sets of values of this tree's splits need 1,000,000,000 entries, more than...
    """
    if entries > MOST_ENTRIES:
        raise DataError(
            f"the sets of values of this tree's splits need {entries:,} entries, more than {MOST_ENTRIES:,}: a nominal "
            f"column has {levels:,} values. Leave it out, or limit the tree with max_depth or min_samples_leaf"
        )
