"""Counts of a column gathered in a scan: ends, mean, distinct values up to a bound, and sampled cells."""

from __future__ import annotations

from collections import Counter
from typing import Any, Protocol, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from crake.table import cells, codes
from crake.table.codes import Cells, Coded
from crake.table.schema import Column, Kind, Label, sorted_levels
from crake.table.target import MOST_CLASSES, is_class

MOST_DISTINCT = 100_000
"""Distinct values of one column that are told apart; of more it is said that there are more."""

Places = NDArray[np.intp]


class ColumnCounts(Protocol):
    """A column while a scan passes."""

    missing: int
    is_more: bool

    @property
    def distinct(self) -> int:
        """Return the number of different values, MOST_DISTINCT at most; `is_more` says whether there are more."""

    def add(self, values: Cells, start: int, chosen: Places) -> None:
        """Count the cells of a portion, and keep those of the sample."""

    def column(self) -> Column:
        """Return the column, with all its levels."""

    def sample(self) -> NDArray[Any]:
        """Return the sampled cells: numbers, texts, or codes under `column().levels`."""

    def keep(self, places: Places) -> None:
        """Keep only the sampled cells at these places, in this order."""


class NumberCounts:
    """A numeric column: how many, the smallest, the largest, the mean."""

    def __init__(self, column: Column) -> None:
        self.name, self.known, self.missing = column.name, 0, 0
        self._notation = column.notation
        self.minimum, self.maximum, self.mean = np.inf, -np.inf, 0.0
        self.is_more = False
        self.values: pa.Array = pa.array([], pa.float64())
        self.drawn: list[NDArray[Any]] = []

    @property
    def distinct(self) -> int:
        """Return the number of different numbers, MOST_DISTINCT at most."""
        return MOST_DISTINCT if self.is_more else len(self.values)

    def add(self, portion: Cells, start: int, chosen: Places) -> None:
        """Count the numbers of a portion."""
        values = cells.numbers(portion, self.name, start, self._notation)
        self.drawn.append(values[chosen])
        known = values[~np.isnan(values)]
        self.missing += len(values) - len(known)
        if len(known):
            self._summarise(known)
            self._count_distinct(known)

    def column(self) -> Column:
        """Return a numeric column."""
        return Column(self.name, Kind.NUMERIC, notation=self._notation)

    def sample(self) -> NDArray[Any]:
        """Return the numbers of the sample."""
        return np.concatenate(self.drawn)

    def keep(self, places: Places) -> None:
        """Keep only the sampled cells at these places, in this order."""
        self.drawn = [self.sample()[places]]

    def join(self, other: Self) -> None:
        """Count the cells of another part of the column, too; its sample comes behind."""
        self.known += other.known
        self.missing += other.missing
        self.minimum, self.maximum = min(self.minimum, other.minimum), max(self.maximum, other.maximum)
        self.drawn += other.drawn
        self.is_more |= other.is_more
        if not self.is_more:
            self._add_distinct(other.values)

    def _summarise(self, known: NDArray[np.float64]) -> None:
        self.minimum = min(self.minimum, float(known.min()))
        self.maximum = max(self.maximum, float(known.max()))
        self.known += len(known)
        # Each portion's mean moves the mean of all by its share: no sum of all values, which might overflow.
        largest, share = max(abs(self.minimum), abs(self.maximum), 1.0), len(known) / self.known
        self.mean = (self.mean / largest * (1 - share) + float(np.mean(known / largest)) * share) * largest

    def _count_distinct(self, known: NDArray[np.float64]) -> None:
        if not self.is_more:
            self._add_distinct(pc.unique(pa.array(known + 0.0)))  # −0 + 0 is 0

    def _add_distinct(self, values: pa.Array) -> None:
        self.values = pc.unique(pa.concat_arrays([self.values, values]))
        self.is_more = len(self.values) > MOST_DISTINCT


class NameCounts:
    """A column of names or texts: how often each occurs, until there are too many of them."""

    def __init__(self, column: Column) -> None:
        self._column, self.missing, self.is_more = column, 0, False
        self.rows_of: Counter[tuple[bool, Label]] = Counter()
        self.drawn: list[NDArray[Any]] = []

    @property
    def distinct(self) -> int:
        """Return the number of different names, MOST_DISTINCT at most."""
        return MOST_DISTINCT if self.is_more else sum(rows > 0 for rows in self.rows_of.values())

    def add(self, portion: Cells, start: int, chosen: Places) -> None:
        """Count the names of a portion."""
        del start
        coded = codes.distinct(portion)
        self.drawn.append(np.array([*coded.labels, None], object)[np.maximum(coded.codes[chosen], -1)])
        rows = np.bincount(coded.codes[coded.codes >= 0], minlength=len(coded.labels))
        known = sum(int(rows[k]) for k, label in enumerate(coded.labels) if label is not None)
        self.missing += len(coded) - known
        if not self.is_more:
            self._count_distinct(coded, rows.tolist())

    def column(self) -> Column:
        """Return the column with its levels in their one order, or those of the sample if there are too many."""
        kind, name, declared = self._column.kind, self._column.name, self._column.declared
        if kind is Kind.TEXT:
            return Column(name, kind)
        if self.is_more:
            return Column(name, kind, codes.observe(self._cells())[0])
        labels = [label for _, label in self.rows_of]
        return Column(name, kind, tuple(labels) if declared else sorted_levels(labels), declared)

    def counts(self) -> NDArray[np.intp]:
        """Return the number of rows of each level."""
        return np.array([self.rows_of[isinstance(x, bool), x] for x in self.column().levels], np.intp)

    def sample(self) -> NDArray[Any]:
        """Return the texts, or the codes, of the sample."""
        values = self._cells()
        return values if self._column.kind is Kind.TEXT else codes.encode(values, self.column().levels)

    def keep(self, places: Places) -> None:
        """Keep only the sampled cells at these places, in this order."""
        self.drawn = [self._cells()[places]]

    def join(self, other: Self) -> None:
        """Count the cells of another part of the column, too; its sample comes behind."""
        self.missing += other.missing
        self.drawn += other.drawn
        self.is_more |= other.is_more
        if not self.is_more:
            self.rows_of.update(other.rows_of)
            self.is_more = len(self.rows_of) > MOST_DISTINCT

    def _cells(self) -> NDArray[Any]:
        return np.concatenate(self.drawn)

    def _count_distinct(self, coded: Coded, rows: list[int]) -> None:
        """Count the rows of each label; declared levels count even if no row has them."""
        for label, count in zip(coded.labels, rows, strict=True):
            if label is not None and (count or self._column.declared):
                self.rows_of[isinstance(label, bool), label] += count
        self.is_more = len(self.rows_of) > MOST_DISTINCT


class TargetCounts:
    """A numeric target: classes if it holds a few whole numbers, as in memory; which it is, all rows decide."""

    def __init__(self, column: Column, numbers: NumberCounts | None = None) -> None:
        self.numbers, self.names = numbers or NumberCounts(column), NameCounts(Column(column.name, Kind.NOMINAL))
        self.are_classes = True

    def add(self, portion: Cells, start: int, chosen: Places) -> None:
        """Count as numbers, and as names while they may be."""
        self.numbers.add(portion, start, chosen)
        if self.are_classes:
            coded = codes.distinct(cells.numbers(portion, self.numbers.name, start))
            whole = [int(x) if isinstance(x, float) and is_class(x) else x for x in coded.labels]
            self.are_classes = all(label is None or isinstance(label, int) for label in whole)
            self.names.add(Coded(whole, coded.codes), start, chosen)
            self._decide()

    def keep(self, places: Places) -> None:
        """Keep only the sampled cells at these places, in this order."""
        self.numbers.keep(places)
        if self.are_classes:
            self.names.keep(places)

    def join(self, other: Self) -> None:
        """Count the cells of another part of the column, too; its sample comes behind."""
        self.numbers.join(other.numbers)
        self.are_classes &= other.are_classes
        if self.are_classes:
            self.names.join(other.names)
            self._decide()

    def settled(self) -> NumberCounts | NameCounts:
        """Return the counts of names if all rows are classes, otherwise the numeric ones."""
        return self.names if self.are_classes else self.numbers

    def _decide(self) -> None:
        self.are_classes = self.are_classes and self.names.distinct <= MOST_CLASSES
