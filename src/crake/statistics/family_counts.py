"""Counts of the values of several nominal columns together, by class: the families of a network that is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from crake.arrays import Codes, Flags, Floats, Longs
from crake.errors import DataError
from crake.statistics.counts import Counts
from crake.statistics.levels import Alignment
from crake.statistics.statistic import level_texts
from crake.table.batch import Batch
from crake.table.schema import Column, Schema

if TYPE_CHECKING:
    from crake.table.sources.counting import Counted, Keys

MOST_BYTES = 2**30
"""Memory that the counts of all families may take."""
Families = tuple[tuple[int, ...], ...]
"""The places of the columns of each family among the nominal columns, ascending."""


@dataclass(frozen=True, eq=False)
class FamilyCounts(Counts):
    """`counts` has shape (groups, classes, cells): the tables of all families, one after the other.

    A family of columns with V levels has Π (V + 1) cells; on each axis the first place is for missing. Without
    families that are named, each column is one.

    >>> from crake.statistics import gather
    >>> from crake.table.examples import load
    >>> counts = gather(load("weather"), [FamilyCounts.of([["outlook", "windy"]])])[FamilyCounts]
    >>> counts.table((0, 3))[0, 0, 1:, 1:]  # outlook (Overcast, Rainy, Sunny) by windy (False, True), of class No
    array([[0., 0.],
           [0., 2.],
           [2., 1.]])
    """

    name: ClassVar[str] = "family_counts"

    columns: tuple[Column, ...]
    target: str | None
    families: Families

    @classmethod
    def empty(cls, schema: Schema, groups: int = 1, families: Families | None = None) -> FamilyCounts:
        """Return the counts of no rows. Raise if they would take more than MOST_BYTES."""
        own = tuple((j,) for j in range(len(schema.nominal))) if families is None else families
        cells = sum(_shapes_cells(schema.nominal, own))
        size = 8 * groups * len(schema.classes) * cells
        if size > MOST_BYTES:
            raise DataError(
                f"the counts of {len(own)} families of columns would take {size / 1e9:,.1f} GB, with "
                f"{len(schema.classes)} classes and {groups} groups of rows; expected at most "
                f"{MOST_BYTES / 1e9:,.1f} GB: leave out parents, or join rare values"
            )
        counts = np.zeros((groups, len(schema.classes), cells))
        return cls(schema.classes, counts, integral=True, columns=schema.nominal, target=schema.target, families=own)

    @classmethod
    def of(cls, families: Sequence[Sequence[str]]) -> FamiliesOf:
        """Return the member that counts these families, for `gather`; columns are named in any order."""
        return FamiliesOf(tuple(map(tuple, families)))

    def add(self, batch: Batch, group: Codes) -> FamilyCounts:
        """Add rows in their order: each cell is one running sum, so fractional weights give equal bits."""
        used = np.flatnonzero((batch.target >= 0) & (group >= 0))
        line = group[used].astype(np.int64) * len(self.classes) + batch.target[used]
        flat = self.counts.reshape(self.counts.shape[0] * self.counts.shape[1], self.counts.shape[2])
        for at, family in enumerate(self.families):
            cell = np.full(len(used), self.offsets[at], np.int64)
            for j, stride in zip(family, _strides(self._shape(family)), strict=True):
                cell += (np.maximum(batch.codes[used, j], -1) + 1) * stride
            np.add.at(flat, (line, cell), batch.weights[used])
        integral = self._still_integral(batch)
        return self if integral == self.integral else replace(self, integral=integral)

    @cached_property
    def offsets(self) -> Longs:
        """The first cell of each family."""
        cells = _shapes_cells(self.columns, self.families)
        return np.concatenate([[0], np.cumsum(cells)]).astype(np.int64)

    def _shape(self, family: Sequence[int]) -> tuple[int, ...]:
        return tuple(len(self.columns[j].levels) + 1 for j in family)

    def table(self, family: Sequence[int]) -> Floats:
        """Return the table (groups, classes, V + 1, …) of a family, missing values first on each axis."""
        at = self.families.index(tuple(family))
        cells = self.counts[:, :, self.offsets[at] : self.offsets[at + 1]]
        return cells.reshape(*cells.shape[:2], *self._shape(family))

    def under(self, alignment: Alignment) -> FamilyCounts:
        """Return the same counts under the levels and classes of another schema."""
        schema = alignment.schema
        if alignment.keeps_classes and alignment.keeps_features:
            return replace(self, classes=schema.classes, columns=schema.nominal)
        wide = FamilyCounts.empty(schema, self.groups, self.families)
        groups = np.arange(self.groups)
        old = [np.concatenate([[0], move.old + 1]) for move in alignment.nominal]
        new = [np.concatenate([[0], move.new + 1]) for move in alignment.nominal]
        for family in self.families:
            mine = self.table(family)[np.ix_(groups, alignment.classes.old, *(old[j] for j in family))]
            wide.table(family)[np.ix_(groups, alignment.classes.new, *(new[j] for j in family))] = mine
        return replace(wide, integral=self.integral)

    def levels_with_rows(self, column: str) -> Flags | None:
        """Return which levels of a column have rows, if it is in a family."""
        for family in self.families:
            names = [self.columns[j].name for j in family]
            if column in names:
                others = tuple(axis for axis in range(len(family) + 2) if axis != names.index(column) + 2)
                flags: Flags = self.table(family).sum(axis=others)[1:] > 0
                return flags
        return None

    def _words_for(self, cell: tuple[int, ...]) -> str:
        _, k, at = cell
        number = int(np.searchsorted(self.offsets, at, side="right")) - 1
        family = self.families[number]
        codes = np.unravel_index(at - int(self.offsets[number]), self._shape(family))
        return level_texts([self.columns[j] for j in family], [int(code) - 1 for code in codes], self.classes[k])

    def count_keys(self) -> Keys | None:
        """Return the columns of each family beside the target."""
        if self.target is None:
            return ()
        return tuple((*(self.columns[j].name for j in family), self.target) for family in self.families)

    def of_counts(self, counted: Counted) -> FamilyCounts:
        """Return the counts of the values of each family and class."""
        result = replace(self, counts=self.counts.copy())
        for family, key in zip(self.families, self.count_keys() or (), strict=True):
            codes, count = counted.of(*key)
            known = (codes[:, -1] >= 0) & (codes[:, :-1] >= -1).all(axis=1)
            places = (codes[known, -1], *(codes[known, :-1] + 1).T)
            np.add.at(result.table(family)[0], places, count[known])
        return result


@dataclass(frozen=True)
class FamiliesOf:
    """`FamilyCounts` of families by name; names that are no nominal column (the target, numbers) are passed by."""

    families: tuple[tuple[str, ...], ...]
    name: ClassVar[str] = FamilyCounts.name
    reads_text: ClassVar[bool] = False

    def empty(self, schema: Schema, groups: int = 1) -> FamilyCounts:
        """Return the counts of no rows."""
        place = {column.name: j for j, column in enumerate(schema.nominal)}
        own = (tuple(sorted(place[name] for name in family if name in place)) for family in self.families)
        return FamilyCounts.empty(schema, groups, tuple(dict.fromkeys(family for family in own if family)))


def _shapes_cells(columns: Sequence[Column], families: Families) -> list[int]:
    return [prod(len(columns[j].levels) + 1 for j in family) for family in families]


def _strides(shape: Sequence[int]) -> list[int]:
    """Return how many cells apart neighbours on each axis lie.

    >>> _strides((3, 2, 4))
    [8, 4, 1]
    """
    return [prod(shape[axis + 1 :]) for axis in range(len(shape))]
