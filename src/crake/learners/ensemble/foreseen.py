"""The time that an ensemble is foreseen to take, from the size of its table."""

from __future__ import annotations

import math
from collections.abc import Callable

from crake.learners.base.card import Shape
from crake.learners.tree.growing.sampled_tree import MANY_CELLS
from crake.learners.tree.growing.splits import MOST_ENTRIES


def seconds_of(
    members: int, *, member: float, cell: float, cell_by_kernel: float | None = None
) -> Callable[[Shape], float]:
    """Return a function of a table's shape: members × (seconds of the smallest member + seconds a cell × cells·log2 n).

    `cell_by_kernel` holds where one kernel grows whole trees: many numbers of two classes. The constants were measured
    on two cores with tables of 150 to 50,000 rows.

    >>> seconds_of(100, member=1e-4, cell=1e-8)(Shape(10_000, numbers=20))
    2.667...
    """

    def seconds(shape: Shape) -> float:
        cells = shape.rows * shape.columns
        is_whole = shape.classes == 2 and not shape.levels and members * cells >= MANY_CELLS
        own = cell_by_kernel if cell_by_kernel is not None and is_whole else cell
        return members * (member + own * cells * math.log2(shape.rows + 1))

    return seconds


FEWER = "set a smaller n_estimators"
COMPARED_FROM = 500
"""Rows from which on `compare` tries boosted trees: on fewer a forest is as good, and their rounds take longer."""


def seconds_of_rounds(shape: Shape) -> float:
    """Return the seconds of 100 rounds of boosted trees, one tree for each class but of two; measured as above.

    >>> round(seconds_of_rounds(Shape(10_000, numbers=20)), 2)
    0.25
    """
    outputs = shape.classes if shape.classes > 2 else 1
    return 100 * outputs * (1.2e-3 + 5e-10 * shape.rows * shape.columns * math.log2(shape.rows + 1))


ENTRIES_OF_ROW = 1.4
"""Sets of values that a full tree stores per row of its table, at most; each has an entry for every level."""


def many_sets(shape: Shape) -> str:
    """Return the reason against full trees of a column whose sets of values fill the memory; "" if they do not.

    >>> many_sets(Shape(20_000, levels=(5000,))), many_sets(Shape(20_000, levels=(500,)))
    ('20,000 rows × 5,000 levels', '')
    """
    widest = max(shape.levels, default=0)
    return f"{shape.rows:,} rows × {widest:,} levels" if ENTRIES_OF_ROW * shape.rows * widest > MOST_ENTRIES else ""
