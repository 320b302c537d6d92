"""Under- and oversampling: rows of large classes left out by chance, rows of small classes drawn again."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from crake.arrays import Codes, Flags
from crake.balance.amounts import CONSTRAINT, class_rows, rows_to_have
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
        counts = class_rows(target, len(classes))
        wanted, notes = rows_to_have(self.amount, counts, classes, "fewer")
        is_kept = np.zeros(len(table), bool)
        for code in np.flatnonzero(counts).tolist():
            is_kept |= _some_of_class(target, code, int(counts[code]), int(wanted[code]), generator)
        return Sample(np.flatnonzero(is_kept), notes=notes, is_distinct=True)

    def _words(self) -> str:
        return "undersampling"


def _some_of_class(target: Codes, code: int, rows: int, wanted: int, generator: np.random.Generator) -> Flags:
    """Return True for the wanted number of rows of a class, drawn by chance, each with the same chance.

    Row numbers of all classes are drawn, and those of the class count: no list of its rows is made. The smaller part is
    drawn, of those that stay or those that go.

    >>> drawn = _some_of_class(np.array([0, 1, 0, 0, 1, 0]), 0, 4, 3, np.random.default_rng(1))
    >>> int(drawn.sum()), drawn[[1, 4]].tolist()
    (3, [False, False])
    """
    number, drawn = min(wanted, rows - wanted), 0
    is_drawn = np.zeros(len(target), bool)
    while drawn < number:
        tried = generator.integers(len(target), size=1 + (number - drawn) * len(target) // rows)
        is_drawn[tried[target[tried] == code][: number - drawn]] = True
        drawn = int(np.count_nonzero(is_drawn))
    kept: Flags = is_drawn if number == wanted else (target == code) & ~is_drawn
    return kept


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
        counts = class_rows(target, len(classes))
        wanted, notes = rows_to_have(self.amount, counts, classes, "more")
        drawn = [np.arange(len(table))]
        for code in np.flatnonzero(wanted > counts):
            own = np.flatnonzero(target == code)
            drawn.append(own[generator.integers(0, len(own), wanted[code] - counts[code])])
        return Sample(np.concatenate(drawn), notes=notes)

    def _words(self) -> str:
        return "oversampling"
