"""The best split of every node of a level on every attribute, as the arrays that are filled while they are sought."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crake.arrays import Flags, Floats
from crake.errors import DataError
from crake.kernels.tree.arrays import SPLIT, SplitRecords


def _field(name: str) -> Any:
    """Return a property: one field of all records, which can be written to."""
    return property(lambda splits: splits.records[name])


@dataclass(frozen=True, eq=False)
class Splits:
    """For each (attribute, node) its best split: decrease of weight × impurity, known weight, Σ W_b·ln W_b of branches.

    `cut` is the list position of the last instance left of a threshold, `cuts` how many were admissible, `choice` the
    value that a nominal column is split at, or 0 for a subset. `known_rows` and `left_rows` count instances.
    `right_weight` is filled for REPTree only, where it is not known − left weight to the last bit.
    `gain` is per row (in bits for entropy), `ratio` the gain ratio.
    """

    records: SplitRecords
    gain: Floats
    ratio: Floats

    @classmethod
    def empty(cls, attributes: int, nodes: int) -> Splits:
        """Return no split yet."""
        records = np.zeros((attributes, nodes), SPLIT)
        records["cut"], records["choice"] = -1, -1
        return cls(records, np.zeros(records.shape), np.zeros(records.shape))

    def of(self, attribute: int) -> SplitRecords:
        """Return those of one attribute, for a scan to fill."""
        records: SplitRecords = self.records[attribute]
        return records

    decrease = _field("decrease")
    known_weight = _field("known_weight")
    branch_terms = _field("branch_terms")
    left_weight = _field("left_weight")
    right_weight = _field("right_weight")
    cut = _field("cut")
    cuts = _field("cuts")
    choice = _field("choice")
    known_rows = _field("known_rows")
    left_rows = _field("left_rows")

    @property
    def usable(self) -> Flags:
        """Return the flags of the splits that may be chosen; they can be written to."""
        usable: Flags = self.records["usable"].view(np.bool_)
        return usable


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
