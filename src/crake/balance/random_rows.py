"""Under- and oversampling: rows of large classes left out by chance, rows of small classes drawn again."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from crake.balance.amounts import CONSTRAINT, rows_to_have
from crake.balance.sample import Sample
from crake.balance.sampler import Sampler
from crake.learners.base.parameters import Interval
from crake.table.table import Table

SEED = Interval(Integral, 0, None, closed="left")


class Undersample(Sampler):
    """Leaves out rows of the larger classes by chance; the rows that stay keep their order.

    Parameters
    ----------
    amount : "equal" (every class as few rows as the smallest), a ratio of the smallest class to the largest (0.5), the
        most rows of a class (500), or rows by class ({"no": 500}).
    random_state : the seed of the draws.

    >>> from crake.table.examples import load
    >>> rows = Undersample().fit_resample(load("golf"))
    >>> np.bincount(rows.target).tolist()
    [5, 5]
    """

    name = "under"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"amount": CONSTRAINT, "random_state": [SEED]}

    def __init__(self, amount: Any = "equal", *, random_state: int = 1) -> None:
        self.amount = amount
        self.random_state = random_state

    def _resample(self, table: Table, generator: np.random.Generator) -> Sample:
        target, classes = table.target, table.schema.classes
        counts = np.bincount(target, minlength=len(classes))
        wanted, notes = rows_to_have(self.amount, counts, classes, "fewer")
        is_kept = np.zeros(len(table), bool)
        for code in np.flatnonzero(counts):
            own = np.flatnonzero(target == code)
            if wanted[code] < counts[code]:
                own = own[generator.choice(len(own), wanted[code], replace=False, shuffle=False)]
            is_kept[own] = True
        return Sample(np.flatnonzero(is_kept), notes=notes, is_distinct=True)

    def _words(self) -> str:
        return "undersampling"


class Oversample(Sampler):
    """Draws rows of the smaller classes again, with replacement; all rows stay, and the copies follow them.

    In `Balanced`, copies are weights: the table is not copied.

    Parameters
    ----------
    amount : "equal" (every class as many rows as the largest), a ratio of the smallest class to the largest (0.5), the
        fewest rows of a class (500), or rows by class ({"yes": 500}).
    random_state : the seed of the draws.

    >>> from crake.table.examples import load
    >>> rows = Oversample().fit_resample(load("golf"))
    >>> np.bincount(rows.target).tolist()
    [9, 9]
    """

    name = "over"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"amount": CONSTRAINT, "random_state": [SEED]}

    def __init__(self, amount: Any = "equal", *, random_state: int = 1) -> None:
        self.amount = amount
        self.random_state = random_state

    def _resample(self, table: Table, generator: np.random.Generator) -> Sample:
        target, classes = table.target, table.schema.classes
        counts = np.bincount(target, minlength=len(classes))
        wanted, notes = rows_to_have(self.amount, counts, classes, "more")
        drawn = [np.arange(len(table))]
        for code in np.flatnonzero(wanted > counts):
            own = np.flatnonzero(target == code)
            drawn.append(own[generator.integers(0, len(own), wanted[code] - counts[code])])
        return Sample(np.concatenate(drawn), notes=notes)

    def _words(self) -> str:
        return "oversampling"
