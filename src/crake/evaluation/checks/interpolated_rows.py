"""Rows that lie exactly between two other rows of their class in all numbers, as SMOTE makes them."""

from __future__ import annotations

import numpy as np

from crake.arrays import Flags, Floats, Rows
from crake.table.describe.ids import id_like_columns
from crake.table.schema import Label
from crake.table.table import Table

FEWEST = 40
"""Rows of a class below which it is not looked at."""
FIRST, TRIED = 20, 200
"""Rows of a class that are tried at first, and in all if some of the first lie between others."""
WORK = 4_000_000
"""Rows tried × rows of the class, at most: of a large class fewer are tried."""
MOST = 200_000
"""Rows of a class that others are tried against; of more, as many are drawn."""
CHANCE = 0.01
"""Pairs of rows that may be in line with a row by chance: the tolerance follows from it."""
FINEST, COARSEST = 1e-12, 1e-5
"""Bounds of the tolerance: the distance of a row from the line through two others, in standard deviations."""
NARROW = 1e-5
"""Angle between the directions of two rows that are looked at as one line."""
LOOKED_AT = 64
"""Pairs of rows nearest to a line that are looked at, for each row tried."""
MADE_UP, ELSEWHERE, LEAST = 0.3, 0.1, 20
"""The share of a class that lies between others, the most of it in another class, and the least number of rows."""


def interpolated_class(table: Table) -> tuple[Label, float, int] | None:
    """Return the class that was filled up with rows between others of it: its label, their share, and its rows.

    Not of every class: one at least must be as it was.
    """
    shares = shares_between(table)
    rows = np.bincount(table.target[table.target >= 0], minlength=len(shares))
    code = int(np.argmax(shares))
    others = np.delete(shares, code)[np.delete(rows, code) >= FEWEST]
    if shares[code] < MADE_UP or shares[code] * rows[code] < LEAST or others.min(initial=1.0) > ELSEWHERE:
        return None
    return table.schema.classes[code], float(shares[code]), int(rows[code])


def shares_between(table: Table) -> Floats:
    """Return, for each class, the share of its rows that lie exactly between two other rows of it.

    Only numbers count, and only rows that have all of them. Rows of whole or rounded numbers are often in line by
    chance; so two numbers of a row must occur in no other row of the class. The share is that of a sample of the rows.
    It is 0 for a class of few rows, and where less than two numbers vary, as every row would lie between others.
    """
    shares = np.zeros(len(table.schema.classes))
    ids = set(id_like_columns(table))
    columns = [table.column(column.name) for column in table.schema.numeric if column.name not in ids]
    varying = [column for column in columns if np.nanmin(column, initial=np.inf) < np.nanmax(column, initial=-np.inf)]
    if len(varying) < 2:
        return shares
    values = np.column_stack(varying)
    complete = np.isfinite(values).all(axis=1)
    for code in range(len(shares)):
        rows = np.flatnonzero(complete & (table.target == code))
        if len(rows) >= FEWEST:
            shares[code] = share_between(values[rows])
    return shares


def share_between(points: Floats) -> float:
    """Return the share of points, a sample of them, that lie on the segment between two others.

    >>> generator = np.random.default_rng(1)
    >>> real = generator.normal(size=(60, 3))
    >>> one, two, gap = real[generator.integers(60, size=140)], real[generator.integers(60, size=140)], 0.3
    >>> share_between(real), share_between(np.concatenate([real, one + gap * (two - one)]))
    (0.0, 0.64)
    """
    generator = np.random.default_rng(1)
    points = points[:, points.min(axis=0) < points.max(axis=0)]
    if points.shape[1] < 2:
        return 0.0
    if len(points) > MOST:
        points = points[generator.choice(len(points), MOST, replace=False)]
    points = np.ldexp(points, -np.frexp(np.abs(points).max(axis=0))[1])  # so that squares stay in the range of floats
    is_own = np.column_stack([_occurs_once(column) for column in points.T]).sum(axis=1) >= 2
    spread = points.std(axis=0)
    coarse = 8 * np.finfo(np.float64).eps * float((np.abs(points).max(axis=0) / spread).max())
    points = (points - points.mean(axis=0)) / spread
    tolerance = float(np.clip((CHANCE / len(points) ** 2) ** (1 / (points.shape[1] - 1)), FINEST, COARSEST))
    plane = points @ generator.normal(size=(points.shape[1], 2))
    tried = generator.permutation(len(points))[: max(FIRST, min(TRIED, WORK // len(points)))]

    def lie_between(rows: Rows) -> list[bool]:
        return [bool(is_own[row]) and _is_between(points, plane, row, max(tolerance, coarse)) for row in rows.tolist()]

    first = lie_between(tried[:FIRST])
    return float(np.mean([*first, *lie_between(tried[FIRST:])])) if any(first) else 0.0


def _occurs_once(column: Floats) -> Flags:
    """Return True for each number that occurs in no other row.

    >>> _occurs_once(np.array([1.0, 2.5, 1.0])).tolist()
    [False, True, False]
    """
    _, place, count = np.unique(column, return_inverse=True, return_counts=True)
    once: Flags = count[place] == 1
    return once


def _is_between(points: Floats, plane: Floats, row: int, tolerance: float) -> bool:
    """Return True if two points are in line with this one, on either side of it.

    Seen from the point, both then lie in opposite directions, also in a plane on which all points are projected. So
    the directions there are sorted, and only neighbours among them are looked at in full.
    """
    seen = plane - plane[row]
    angle = np.arctan2(seen[:, 1], seen[:, 0])
    far = np.flatnonzero(np.abs(seen).max(axis=1) > tolerance)
    side, line = angle[far] >= 0, np.mod(angle[far], np.pi)
    order = np.argsort(line, kind="stable")
    one, two = order, np.roll(order, -1)
    apart = np.mod(line[two] - line[one], np.pi)
    near = np.flatnonzero((apart < NARROW) & (side[one] != side[two]))
    near = near[np.argsort(apart[near], kind="stable")[:LOOKED_AT]]
    return bool(_residuals(points, far[one[near]], far[two[near]], row).min(initial=np.inf) <= tolerance)


def _residuals(points: Floats, ones: Rows, twos: Rows, row: int) -> Floats:
    """Return how far each pair is from being in line with a row; infinity if both are on one side of it."""
    v, w = points[ones] - points[row], points[twos] - points[row]
    share = (v * w).sum(axis=1) / np.maximum((w * w).sum(axis=1), 1e-300)
    residual = np.sqrt(np.square(v - share[:, None] * w).sum(axis=1))
    return np.where(share < 0, residual, np.inf)
