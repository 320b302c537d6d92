"""Rows at the border of a class: those whose neighbours are mostly, but not all, of other classes.

Han, Wang and Mao (2005), Borderline-SMOTE: a new over-sampling method in imbalanced data sets learning. This is its
first variant.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crake.arrays import Rows
from crake.balance.cells import Cells, cells_of
from crake.balance.smote.neighbours import nearest_of_parts
from crake.balance.smote.space import Points, Space, parts_of
from crake.table.table import Table

AROUND = 10
"""Neighbours that tell the border."""
PART = 131_072
"""Rows of the table whose copies are in memory at a time."""


def at_the_border(table: Table, rows: Rows, cells: Cells, space: Space) -> Rows:
    """Return the places of the rows of a class that lie at its border.

    Of their 10 nearest rows of the whole table at least half, but not all, belong to other classes. A row with
    neighbours of other classes only counts as noise, and one with few of them as safe.
    """
    around = min(AROUND, len(table) - 1)
    points = space.placed(cells)
    found = nearest_of_parts(space, points, rows, _parts(table, space), around)
    others = np.count_nonzero(table.target[found] != table.target[rows[0]], axis=1)
    return np.flatnonzero((2 * others >= around) & (others < around))


def _parts(table: Table, space: Space) -> Iterator[tuple[Points, Rows]]:
    for part in parts_of(len(table), PART):
        numbers = np.arange(part.start, part.stop)
        yield space.placed(cells_of(table, numbers)), numbers
