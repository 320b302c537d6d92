"""The best split of every node of a level on every attribute, as the arrays that are filled while they are sought."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.learners.tree.tree import Flags, Floats, Longs


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
            np.zeros(shape),
            np.zeros(shape),
            np.zeros(shape),
            np.zeros(shape),
            np.zeros(shape, bool),
            np.full(shape, -1, np.int64),
            np.zeros(shape, np.int64),
            np.full(shape, -1, np.int64),
            np.zeros(shape, np.int64),
            np.zeros(shape, np.int64),
            np.zeros(shape),
            np.zeros(shape),
        )
