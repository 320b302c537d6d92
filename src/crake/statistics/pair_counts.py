"""Counts of the values of two nominal columns together, by class: what TAN, AODE and Bayesian networks read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crake.arrays import Codes, Flags, Floats, Longs
from crake.errors import DataError
from crake.kernels.statistics.joined_pairs import count_joined_pairs, pair_cells
from crake.kernels.statistics.pairs import Pairs, count_pairs
from crake.statistics.class_counts import ClassCounts
from crake.statistics.counts import Counts
from crake.statistics.levels import Alignment, Move
from crake.statistics.statistic import MOST, SLACK, StoredValues, check_part, check_whole, level_texts
from crake.statistics.value_counts import ValueCounts
from crake.table.batch import Batch
from crake.table.schema import Column, Schema

if TYPE_CHECKING:
    from crake.statistics.collection import Statistics
    from crake.table.sources.counting import Counted, Keys

MOST_BYTES = 2**30
"""Memory that the counts of all pairs may take."""


@dataclass(frozen=True, eq=False)
class PairCounts(Counts):
    """`counts` has shape (groups, classes, cells): the tables of all pairs of columns, one after the other.

    The pair of the columns i < j has (V_i + 1) · (V_j + 1) cells; the first line and the first column are for missing.

    >>> from crake.statistics import gather
    >>> from crake.table.examples import load
    >>> pairs = gather(load("weather"), [PairCounts])[PairCounts]
    >>> pairs.table(0, 3)[0, 0]  # outlook (Overcast, Rainy, Sunny) by windy (False, True), of class No
    array([[0., 0.],
           [0., 2.],
           [2., 1.]])
    """

    name: ClassVar[str] = "pair_counts"

    columns: tuple[Column, ...]
    target: str | None

    @classmethod
    def empty(cls, schema: Schema, groups: int = 1) -> PairCounts:
        """Return the counts of no rows. Raise if they would take more than MOST_BYTES."""
        cells = _check_memory(schema, groups)
        counts = np.zeros((groups, len(schema.classes), cells))
        return cls(schema.classes, counts, integral=True, columns=schema.nominal, target=schema.target)

    def add(self, batch: Batch, group: Codes) -> PairCounts:
        """Add rows in place: the array is this statistic's own until it is handed out."""
        rows = (batch.target, group, batch.weights)
        if not count_joined_pairs(batch.codes, self._widths, *rows, self.counts):
            first, second = self.pairs
            count_pairs(batch.codes, Pairs(first, second, self._widths[second], self.offsets), *rows, self.counts)
        integral = self._still_integral(batch)
        return self if integral == self.integral else replace(self, integral=integral)

    @cached_property
    def pairs(self) -> tuple[Longs, Longs]:
        """The first and the second column of each pair, in the order of the tables."""
        first, second = np.triu_indices(len(self.columns), 1)
        return first.astype(np.int64), second.astype(np.int64)

    @cached_property
    def _widths(self) -> Longs:
        """The slots of each column: its levels, and one for missing."""
        return np.array([len(column.levels) + 1 for column in self.columns], np.int64)

    @cached_property
    def _begin(self) -> Longs:
        """The first cell of each pair of columns, at [first, second]."""
        return pair_cells(self._widths).begin

    @cached_property
    def offsets(self) -> Longs:
        """The first cell of each pair, in the order of the tables."""
        first, second = self.pairs
        return np.concatenate([[0], np.cumsum(self._widths[first] * self._widths[second])]).astype(np.int64)

    def with_missing(self, i: int, j: int) -> Floats:
        """Return the table (groups, classes, V_i + 1, V_j + 1) of two columns, i < j, with missing values first."""
        if not 0 <= i < j < len(self.columns):
            raise IndexError(f"expected two columns i < j of {len(self.columns)}, got {i} and {j}")
        begin, one, other = self._begin[i, j], self._widths[i], self._widths[j]
        cells = self.counts[:, :, begin : begin + one * other]
        return cells.reshape(*cells.shape[:2], one, other)

    def table(self, i: int, j: int) -> Floats:
        """Return the table (groups, classes, V_i, V_j) of the rows that have both values."""
        return self.with_missing(i, j)[:, :, 1:, 1:] if i < j else self.with_missing(j, i)[:, :, 1:, 1:].swapaxes(2, 3)

    def under(self, alignment: Alignment) -> PairCounts:
        """Return the same counts under the levels and classes of another schema."""
        schema = alignment.schema
        if alignment.keeps_classes and alignment.keeps_features:
            return replace(self, classes=schema.classes, columns=schema.nominal)
        wide = PairCounts.empty(schema, self.groups)
        classes = alignment.classes
        slots = [_slots(move) for move in alignment.nominal]
        for i, j in zip(*self.pairs, strict=True):
            (old_i, new_i), (old_j, new_j) = slots[i], slots[j]
            mine = self.with_missing(i, j)[:, classes.old[:, None, None], old_i[:, None], old_j]
            wide.with_missing(i, j)[:, classes.new[:, None, None], new_i[:, None], new_j] = mine
        return replace(wide, integral=self.integral)

    def levels_with_rows(self, column: str) -> Flags | None:
        """Return which levels of a column have rows, if there is another column beside it."""
        names = [own.name for own in self.columns]
        if column not in names or len(names) < 2:
            return None
        j = names.index(column)
        table = self.with_missing(0, j).sum(axis=(0, 1, 2)) if j else self.with_missing(0, 1).sum(axis=(0, 1, 3))
        flags: Flags = table[1:] > 0
        return flags

    def _words_for(self, cell: tuple[int, ...]) -> str:
        _, k, at = cell
        pair = int(np.searchsorted(self.offsets, at, side="right")) - 1
        i, j = (int(columns[pair]) for columns in self.pairs)
        a, b = divmod(at - int(self.offsets[pair]), int(self._widths[j]))
        return level_texts([self.columns[i], self.columns[j]], [a - 1, b - 1], self.classes[k])

    def state(self) -> Mapping[str, Any]:
        """Return the counts."""
        return {"pair_counts": self.counts[0]}

    @classmethod
    def from_state(cls, reader: StoredValues, schema: Schema, others: Statistics) -> PairCounts:
        """Read counts of no more rows than there are, which agree with those of each column alone."""
        classes = others[ClassCounts]
        counts = reader.floats("pair_counts", (len(schema.classes), _cells(schema.nominal)), 0, MOST)
        check_whole(reader, "pair_counts", counts, integral=classes.integral)
        result = cls(schema.classes, counts[None], classes.integral, schema.nominal, schema.target)
        if counts.shape[1]:
            check_part(reader, "pair_counts", np.add.reduceat(counts, result.offsets[:-1], axis=1), classes.counts[0])
            values = others.get(ValueCounts)
            if values is not None and not result.agree_with(values):
                expected = "the sum of each line and column that value_counts has of its value"
                raise reader.refusal("pair_counts", "differs from value_counts", expected)
        return result

    def agree_with(self, values: ValueCounts) -> bool:
        """Return True if the lines and columns of each table add up to the counts of a column alone."""
        (first, second), starts, widths = self.pairs, self.offsets[:-1], self._widths
        pair = np.repeat(np.arange(len(first)), widths[first] * widths[second])  # of each cell
        line, column = np.divmod(np.arange(len(pair)) - starts[pair], widths[second][pair])
        for own, slot in ((first, line), (second, column)):
            begin = np.cumsum(widths[own]) - widths[own]  # of the sums of each pair
            expected = np.repeat(values.offsets[own] - begin, widths[own]) + np.arange(int(widths[own].sum()))
            for of_pairs, of_values in zip(self.counts[0], values.counts[0], strict=True):
                sums = np.bincount(begin[pair] + slot, of_pairs)
                rows = sums.sum() / len(first)
                if np.any(np.abs(sums - of_values[expected]) > (SLACK - 1) * rows):
                    return False
        return True

    def count_keys(self) -> Keys | None:
        """Return each two columns beside the target."""
        if self.target is None:
            return ()
        names = [column.name for column in self.columns]
        return tuple((names[i], names[j], self.target) for i, j in zip(*self.pairs, strict=True))

    def of_counts(self, counted: Counted) -> PairCounts:
        """Return the counts of each two values and class."""
        result = replace(self, counts=self.counts.copy())
        for (a, b, target), i, j in zip(self.count_keys() or (), *self.pairs, strict=True):
            codes, count = counted.of(a, b, target)
            one, other, label = codes.T
            known = (label >= 0) & (one >= -1) & (other >= -1)
            places = (label[known], one[known] + 1, other[known] + 1)
            np.add.at(result.with_missing(i, j)[0], places, count[known])
        return result


def _slots(move: Move) -> tuple[Any, Any]:
    """Return old and new slots, the one for missing first."""
    return np.concatenate([[0], move.old + 1]), np.concatenate([[0], move.new + 1])


def _cells(columns: Sequence[Column]) -> int:
    """Return Σ_{i<j} w_i · w_j = ((Σ w)² − Σ w²) / 2 for the slots w of the columns."""
    widths = [len(column.levels) + 1 for column in columns]
    return (sum(widths) ** 2 - sum(width**2 for width in widths)) // 2


def _check_memory(schema: Schema, groups: int) -> int:
    """Return the cells of all pairs. Raise before they are allocated if they are too many."""
    cells = _cells(schema.nominal)
    size = 8 * groups * len(schema.classes) * cells
    if size > MOST_BYTES:
        widest = max(schema.nominal, key=lambda column: len(column.levels))
        raise DataError(
            f"the counts of all pairs of {len(schema.nominal)} nominal columns would take {size / 1e9:,.1f} GB, with "
            f"{len(schema.classes)} classes and {groups} groups of rows; expected at most {MOST_BYTES / 1e9:,.1f} GB: "
            f"leave out columns of many values ({widest.name!r} has {len(widest.levels):,}), or join rare values"
        )
    return cells
