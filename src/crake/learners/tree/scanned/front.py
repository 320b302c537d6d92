"""One pass over the rows of large nodes: classes counted by name and by interval, or values of alive intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Flags, Floats, Longs
from crake.kernels.tree.arrays import Classes
from crake.kernels.tree.scanned.intervals import Counts, count_codes, count_intervals, take_alive
from crake.learners.tree.scanned.intervals import Intervals
from crake.learners.tree.tree import Tree
from crake.table.batch import Batch


@dataclass(frozen=True, eq=False)
class Front:
    """The nodes that are looked at: slot_of[node] is the place of a node of the tree among them, −1 elsewhere."""

    tree: Tree
    slot_of: Longs


@dataclass(frozen=True, eq=False)
class LevelCounts:
    """The class counts of the nodes that are looked at, by name and by interval.

    `names` has shape (nodes, levels of all names, classes); the levels of name j begin at first_level[j].
    """

    first_level: Longs
    names: Counts
    intervals: Intervals

    def add(self, batch: Batch, slot: Longs) -> None:
        """Count rows; slot[row] is the place of the row's node."""
        if self.names.shape[1]:
            count_codes(batch.codes, batch.target, slot, self.first_level, self.names)
        i = self.intervals
        if i.columns:
            count_intervals(batch.values, batch.target, slot, i.by, i.counts, i.low, i.high)

    def of_nodes(self) -> Counts:
        """Return the class counts of each node, from those of its first column; rows have no gaps."""
        if self.names.shape[1]:
            of_names: Counts = self.names[:, : self.first_level[1]].sum(axis=1)
            return of_names
        i = self.intervals
        return np.add.reduceat(i.counts, i.begin[:-1], axis=0)[:: i.columns]

    @property
    def nbytes(self) -> int:
        """The bytes of all counts and ends."""
        i = self.intervals
        return int(self.names.nbytes + i.counts.nbytes + i.low.nbytes + i.high.nbytes)


def alive_values(
    batch: Batch, slot: Longs, column: int, intervals: Intervals, is_alive: Flags
) -> tuple[Longs, Floats, Classes]:
    """Return interval, value and class of the rows whose value of a column lies in an alive interval."""
    place = np.empty(batch.rows, np.int64)
    take_alive(batch.values, slot, column, intervals.by, is_alive, place)
    own = np.flatnonzero(place >= 0)
    return place[own], batch.values[own, column], batch.target[own]
