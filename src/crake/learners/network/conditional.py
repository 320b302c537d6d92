"""Conditional probability tables: from the counts of a family to P(variable given parents)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10, prod

import numpy as np

from crake.arrays import Codes, Floats
from crake.errors import CrakeError
from crake.render.short_repr import short_repr

MOST_CELLS = 2**26
"""Cells that the table of one family may have: half a gigabyte."""
MOST_AXES = 60
"""Variables that one table may have: an array of numpy has at most 64 axes."""
MOST_ALPHA = 1e290
"""Pseudo-count from which on a larger one changes nothing: every level is equally probable, and no sum overflows."""
MOST_DIGITS = 10**15
"""Sizes up to which a message writes all digits."""
TOLERANCE = 1e-6
"""The largest accepted difference from 1 of the sum of a typed line; the line is then divided by its sum."""
ROUNDING = 1e-12
"""The largest difference from 1 that counts as rounding; the line then stays as it is."""


@dataclass(frozen=True, eq=False)
class ConditionalTable:
    """P(variable given parents): an array with one axis per variable, the parents' first in their order.

    `variable` and `parents` are places in a `Graph`. The last axis sums to 1.

    >>> ConditionalTable(0, (), np.array([0.3, 0.7]))
    ConditionalTable(variable=0, parents=(), probabilities=<2>)
    """

    variable: int
    parents: tuple[int, ...]
    probabilities: Floats

    __repr__ = short_repr

    def __post_init__(self) -> None:
        if self.probabilities.ndim != len(self.parents) + 1:
            raise CrakeError(
                f"expected a table with {len(self.parents) + 1} axes, the parents' first, "
                f"got {self.probabilities.ndim}: shape {self.probabilities.shape}"
            )

    @property
    def family(self) -> tuple[int, ...]:
        """The variables of the axes: the parents, then the variable itself."""
        return (*self.parents, self.variable)


def cells_text(cells: int) -> str:
    """Return a number of cells as a message writes it: its digits, or the power of ten if it is very large.

    >>> cells_text(4096), cells_text(3**70_000)
    ('4,096', 'about 10^33398')
    """
    return f"{cells:,}" if cells <= MOST_DIGITS else f"about 10^{round(log10(cells))}"


def gigabytes_text(cells: int) -> str:
    """Return the memory of a table with this number of cells, 8 bytes each, as text.

    >>> gigabytes_text(10**9), gigabytes_text(10**40)
    ('8.0 GB', 'about 10^32 GB')
    """
    return f"{8 * cells / 1e9:,.1f} GB" if cells <= MOST_DIGITS else f"about 10^{round(log10(8 * cells)) - 9} GB"


def check_cells(sizes: Sequence[int], what: str) -> None:
    """Raise before an array of these axes is made, if it has more than MOST_CELLS cells or MOST_AXES axes.

    >>> check_cells([10] * 12, "the table of 'x'")
    Traceback (most recent call last):
    crake.errors.CrakeError: the table of 'x' would have 1,000,000,000,000 cells (10 × 10 × 10 × 10 × 10 × 10 × …),
    which is 8,000.0 GB; expected at most 67,108,864: leave out parents, or join rare values
    """
    cells = prod(sizes)
    if cells > MOST_CELLS:
        shown = " × ".join([*map(str, sizes[:6]), *(["…"] if len(sizes) > 6 else [])])
        raise CrakeError(
            f"{what} would have {cells_text(cells)} cells ({shown}), which is {gigabytes_text(cells)}; "
            f"expected at most {MOST_CELLS:,}: leave out parents, or join rare values"
        )
    if len(sizes) > MOST_AXES:
        raise CrakeError(f"{what} would have {len(sizes):,} axes; expected at most {MOST_AXES}: leave out parents")


def count_family(columns: Sequence[Codes], sizes: Sequence[int], weights: Floats | None = None) -> Floats:
    """Return the weight of each combination of values, one axis per column. Rows that miss one of them are left out.

    >>> count_family([np.array([0, 0, 1, 1, -1]), np.array([0, 1, 1, 1, 0])], [2, 2])
    array([[1., 1.],
           [0., 2.]])
    """
    check_cells(sizes, f"a table of {len(sizes)} variables")
    cell = np.zeros(len(columns[0]), np.int64)
    known = np.ones(len(columns[0]), bool)
    for codes, size in zip(columns, sizes, strict=True):
        known &= codes >= 0
        cell *= size
        cell += codes
    if not known.all():
        cell, weights = cell[known], None if weights is None else weights[known]
    counts: Floats = np.bincount(cell, weights, minlength=prod(sizes)).astype(np.float64)
    return counts.reshape(sizes)


def smoothed(counts: Floats, alpha: float, prior: str = "cells") -> Floats:
    """Return (n + a) / (Σ n + Σ a) over the last axis: the mean of the Dirichlet posterior.

    Each cell has the pseudo-count a = α, or with prior="bdeu" a = α / number of cells, so that α rows are shared out
    over the whole table. Where nothing was counted and α is 0, every value has 1/V.

    >>> smoothed(np.array([[0.0, 990, 10]]), 1.0).round(6)
    array([[0.000997, 0.988036, 0.010967]])
    >>> smoothed(np.array([[3.0, 1.0], [0.0, 0.0]]), 0.0)
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    alpha = min(alpha, MOST_ALPHA)
    pseudo = alpha / counts.size if prior == "bdeu" else alpha
    raised = counts + pseudo
    total = raised.sum(axis=-1, keepdims=True)
    equal = 1.0 / counts.shape[-1]
    shares: Floats = np.divide(raised, total, out=np.full_like(raised, equal), where=total > 0)
    return shares


def checked_probabilities(array: Floats, sizes: Sequence[int], what: str, tolerance: float = TOLERANCE) -> Floats:
    """Return a typed table, each line divided by its sum. Raise unless it has the axes, and lines that sum to 1.

    >>> checked_probabilities(np.array([[0.5, 0.5], [0.9, 0.2]]), (2, 2), "the table of 'x'")
    Traceback (most recent call last):
    crake.errors.CrakeError: expected probabilities that sum to 1 in each line of the table of 'x', got 1.1 in line 2
    """
    if array.shape != tuple(sizes):
        raise CrakeError(f"expected {what} to have the shape {tuple(sizes)}, got {array.shape}: parents' axes first")
    if not np.all((array >= 0) & (array <= 1 + tolerance)):  # NaN is refused here too
        wrong = array[~((array >= 0) & (array <= 1 + tolerance))][0]
        raise CrakeError(f"expected probabilities from 0 to 1 in {what}, got {wrong:g}")
    total = array.sum(axis=-1)
    wrong_lines = np.flatnonzero(np.abs(total.ravel() - 1) > tolerance)
    if len(wrong_lines):
        raise CrakeError(
            f"expected probabilities that sum to 1 in each line of {what}, "
            f"got {total.ravel()[wrong_lines[0]]:.7g} in line {wrong_lines[0] + 1}"
        )
    if np.abs(total - 1).max() <= ROUNDING:
        return array  # digits as they were typed: a file that is read and written stays the same
    shares: Floats = array / total[..., None]
    return shares
