"""Dealing rows into a set to grow rules from and a set to prune them by."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints
from crake.learners.base.weka.java_random import JavaRandom
from crake.learners.base.weka.unstable_sort import sort_unstably
from crake.table.schema import Kind
from crake.table.table import Table

MOST_DECIMALS = 6
"""Decimals of a number in the line of an ARFF file."""
QUOTED = frozenset(" ,{}?%'\"\\\t\n\r")
"""Characters that put a label of an ARFF file into quotes."""


class Shuffler(Protocol):
    """A source of random orders."""

    def shuffled(self, rows: int) -> NDArray[np.intp]:
        """Return the row numbers in a random order."""
        ...


class Permutations:
    """Random orders by NumPy's generator."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def shuffled(self, rows: int) -> NDArray[np.intp]:
        """Return the row numbers in a random order."""
        return self._generator.permutation(rows)


def dealt(rows: Ints, place_of_class: Ints, target: Ints, folds: int, shuffler: Shuffler) -> Ints:
    """Return the rows of each class shuffled, class by class, and dealt: positions 0, F, 2F, … first.

    The first (F − 1)/F of the rows are to grow rules from, the others to prune them by.
    """
    place = place_of_class[target[rows]]
    groups = []
    for at in range(len(place_of_class)):
        group = rows[place == at]
        groups.append(group[shuffler.shuffled(len(group))])
    joined = np.concatenate(groups)
    return np.concatenate([joined[first::folds] for first in range(folds)])


def parted(rows: Ints, folds: int) -> tuple[Ints, Ints]:
    """Return the rows to grow from and those to prune by."""
    edge = len(rows) * (folds - 1) // folds
    return rows[:edge], rows[edge:]


def order_by_weight(weights: Floats) -> list[int]:
    """Return the classes by weight, the lightest first, the first of equals first."""
    order: list[int] = np.argsort(weights, kind="stable").tolist()
    return order


def weka_generator(table: Table, seed: int) -> JavaRandom:
    """Return the generator that WEKA seeds by the text of one row, which it draws by the seed."""
    row = int(JavaRandom(seed).below(np.array([len(table)]))[0])
    text = ",".join(_cell(table, column.name, row) for column in table.schema.columns)
    units, value = text.encode("utf-16-be"), 0
    for high, low in zip(units[0::2], units[1::2], strict=True):
        value = (31 * value + 256 * high + low) & 0xFFFFFFFF
    return JavaRandom((value - (1 << 32) if value >= 1 << 31 else value) + seed)


def _cell(table: Table, name: str, row: int) -> str:
    """Write a cell as a line of an ARFF file has it."""
    column, cell = table.schema[name], table.column(name)[row]
    if column.kind is Kind.NUMERIC:
        return "?" if np.isnan(cell) else decimal_text(float(cell))
    if cell < 0:
        return "?"
    label = str(column.levels[cell])
    return "'" + label.replace("\\", "\\\\").replace("'", "\\'") + "'" if set(label) & QUOTED or not label else label


def decimal_text(value: float) -> str:
    """Write a number with at most six decimals, its exact value rounded half up, without trailing zeros.

    >>> decimal_text(3.5), decimal_text(-0.1234567), decimal_text(12.0)
    ('3.5', '-0.123457', '12')
    """
    exact = Decimal(value).quantize(Decimal(1).scaleb(-MOST_DECIMALS), ROUND_HALF_UP)
    return f"{exact:f}".rstrip("0").rstrip(".")


def weka_class_order(weights: Floats, generator: JavaRandom) -> list[int]:
    """Return the classes by weight as WEKA sorts them: shuffled first, then by an unstable sort."""
    order: list[int] = JavaRandom(int(generator.integers(1)[0])).shuffled(len(weights)).tolist()
    sort_unstably(order, weights.tolist())
    return order


def places(order: Sequence[int]) -> Ints:
    """Return the place of each class in an order.

    >>> places([2, 0, 1]).tolist()
    [1, 2, 0]
    """
    place = np.empty(len(order), np.int32)
    place[list(order)] = np.arange(len(order))
    return place
