"""The sampler Perturb: copies of rows with noise that is scaled to the spread of their class."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from crake.arrays import Codes, Floats, Rows
from crake.balance.amounts import CONSTRAINT
from crake.balance.cells import Cells, cells_of
from crake.balance.sample import Sample
from crake.balance.sampler import Sampler
from crake.balance.scarce import Made, Scarce, sample_with_new_rows
from crake.learners.base.parameters import Interval
from crake.table.table import Table


class Perturb(Sampler):
    """Make up rows of rare classes by copying rows of the class with noise.

    A number of the new row is x + noise·s·z, with the row's own number x, the standard deviation s of the column within
    the class, and z from the standard normal distribution. A number that would leave the range of the class is
    reflected at its end, so that a count or a price does not fall below zero. Whole numbers may become fractions. A
    name is drawn anew with probability `noise`, from the names of the class by their shares, and stays as it is
    otherwise. A missing value stays missing. A class of one row gives copies of it, because it has no spread.

    Parameters
    ----------
    amount : "equal", float, int or dict, default="equal"
        Rows to have. "equal": each class as many as the largest. A float is a ratio to the largest class, an int a
        number of rows; a dict has one of these by class.
    noise : float, default=0.1
        Share of the standard deviation that the noise has, and share of the names drawn anew.
    nominal : "auto" or list, default="auto"
        Columns of X that `fit_resample` reads as nominal. A Table knows its own.
    random_state : int, default=1
        Seed. The same rows and the same seed give the same new rows.

    Examples
    --------
    >>> import numpy as np, crake
    >>> X, y = np.array([[1.0], [2.0], [4.0], [9.0], [9.5]]), np.array(["no", "no", "no", "yes", "yes"])
    >>> more, labels = crake.Perturb().fit_resample(X, y)
    >>> labels.tolist().count("yes"), bool(9 <= more[-1, 0] <= 9.5)
    (3, True)
    """

    name: ClassVar[str] = "perturb"
    makes_rows: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "amount": CONSTRAINT,
        "noise": [Interval(Real, 0, 1, closed="both")],
        "nominal": [str, "array-like", None],
        "random_state": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self, amount: Any = "equal", *, noise: float = 0.1, nominal: Any = "auto", random_state: int = 1
    ) -> None:
        self.amount = amount
        self.noise = noise
        self.nominal = nominal
        self.random_state = random_state

    def _words(self) -> str:
        return "perturbed copies"

    def _resample(self, table: Table, generator: np.random.Generator) -> Sample:
        return sample_with_new_rows(table, self.amount, lambda scarce: self._new_rows(table, scarce, generator))

    def _new_rows(self, table: Table, scarce: Scarce, generator: np.random.Generator) -> Made:
        cells, places = cells_of(table, scarce.rows), scarce.draw(generator)
        values = np.empty((len(places), cells.values.shape[1]))
        for j in range(values.shape[1]):
            values[:, j] = jittered(cells.values[:, j], places, self.noise, generator)
        codes = np.empty((len(places), cells.codes.shape[1]), np.int32)
        for j in range(codes.shape[1]):
            codes[:, j] = redrawn(cells.codes[:, j], places, self.noise, generator)
        notes: tuple[str, ...] = ()
        if len(scarce.rows) == 1:
            notes = (f"The class {scarce.label} has 1 row, and so no spread: its new rows are copies.",)
        return Cells(values, codes), places, notes


def jittered(column: Floats, places: Rows, noise: float, generator: np.random.Generator) -> Floats:
    """Return numbers of these rows with normal noise, reflected at the smallest and the largest number of the column.

    >>> column = np.array([0.0, 10.0, np.nan])
    >>> made = jittered(column, np.array([0, 0, 1, 2]), 0.5, np.random.default_rng(1))
    >>> bool(np.nanmin(made) >= 0), bool(np.nanmax(made) <= 10), made[3]
    (True, True, np.float64(nan))
    """
    known = column[~np.isnan(column)]
    noises = generator.standard_normal(len(places))
    if not len(known) or known.min() == known.max():
        return column[places]
    unit = float(np.abs(known).max())
    low, high = known.min() / unit, known.max() / unit
    moved = column[places] / unit + noise * np.std(known / unit) * noises
    # A triangular wave: as far beyond the end as the number would be, it is in front of it.
    width = high - low
    reflected = low + width - np.abs(np.mod(moved - low, 2 * width) - width)
    inside = (moved >= low) & (moved <= high)
    return np.clip(np.where(inside, moved, reflected) * unit, known.min(), known.max())


def redrawn(column: Codes, places: Rows, share: float, generator: np.random.Generator) -> Codes:
    """Return names of these rows, a share of them replaced by that of a random row; missing ones stay missing.

    >>> redrawn(np.array([0, 0, 0, -1], np.int32), np.array([0, 3, 1]), 1.0, np.random.default_rng(1)).tolist()
    [0, -1, 0]
    """
    names = column[places]
    known = np.flatnonzero(column >= 0)
    anew = (generator.random(len(places)) < share) & (names >= 0)
    if len(known):
        names[anew] = column[known[generator.integers(len(known), size=len(places))]][anew]
    return names
