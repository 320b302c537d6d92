"""Weight, mean and centred sum of squares of each numeric column by class, from exact sums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crake.arrays import Codes, Flags, Floats, Ints
from crake.statistics.class_counts import ClassCounts
from crake.statistics.exact_moments import UNIT, ExactMoments
from crake.statistics.exact_sums import BASE, PLACES, ExactSums
from crake.statistics.levels import Alignment, Levels
from crake.statistics.statistic import Statistic, StoredValues, check_part, column_never_learned
from crake.table.batch import Batch
from crake.table.schema import Column, Schema

if TYPE_CHECKING:
    from crake.statistics.collection import Statistics
    from crake.table.sources.counting import Counted, Keys

LARGEST = 2.0**425
"""The largest mean in its unit: 2^1024 in units of 2^600, and a bit for rounding."""
PARTS = ("weight", "sum", "squares")


@dataclass(frozen=True, eq=False)
class ClassMoments(Statistic):
    """Exact sums of weights, values and squares by group, class and column: `exact` has a cell per group and class.

    No order of rows, parts or threads changes them. They are rounded when `moments` is read.
    `extent` (2, groups, classes, columns) has the least and the largest value; NaN where it is not known.
    """

    name: ClassVar[str] = "class_moments"
    has_class_weights: ClassVar[bool] = True
    needs_columns: ClassVar[bool] = True

    columns: tuple[Column, ...]
    classes: Levels
    exact: ExactMoments
    extent: Floats

    @classmethod
    def empty(cls, schema: Schema, groups: int = 1) -> ClassMoments:
        """Return the moments of no rows."""
        shape = (groups, len(schema.classes), len(schema.numeric))
        exact = ExactMoments.zeros(groups * shape[1], shape[2])
        return cls(schema.numeric, schema.classes, exact, _no_extent(shape))

    @property
    def groups(self) -> int:
        """The number of groups."""
        return int(self.extent.shape[1])

    def add(self, batch: Batch, group: Codes) -> ClassMoments:
        """Add rows, in place."""
        if self.columns:
            for name in ("_rounded", "_weight", "_in_one_unit", "_total"):  # of the rows before
                self.__dict__.pop(name, None)
            cell = group.astype(np.int64) * len(self.classes) + batch.target
            cell[(group < 0) | (batch.target < 0)] = -1
            extent = self.extent.reshape(2, -1, len(self.columns))
            self.exact.add(batch.values, cell, batch.weights, extent)
        return self

    @cached_property
    def _rounded(self) -> tuple[Floats, Ints]:
        moments, exponent = self.exact.moments()
        shape = self.extent.shape[1:]
        return moments.reshape(4, *shape), exponent.reshape(shape)

    @property
    def moments(self) -> Floats:
        """Weight, mean, centred sum of squares and rest of the mean (4, groups, classes, columns).

        The rest is what rounding took from the mean: mean + rest is the mean to twice the digits. Each cell is divided
        by 2^exponent, its squares by 4^exponent.
        """
        return self._rounded[0]

    @property
    def exponent(self) -> Ints:
        """The exponents (groups, classes, columns): 0 but for values whose squares would overflow or vanish."""
        return self._rounded[1]

    @property
    def weight(self) -> Floats:
        """The known weight (groups, classes, columns)."""
        if "_rounded" in self.__dict__:
            rounded: Floats = self.moments[0]
            return rounded
        return self._weight

    @cached_property
    def _weight(self) -> Floats:
        return self.exact.weights().reshape(self.extent.shape[1:])

    def merge(self, other: ClassMoments) -> ClassMoments:
        """Return the moments of both sets of rows."""
        return replace(self, exact=self.exact.plus(other.exact), extent=_joined_extent(self.extent, other.extent))

    def under(self, alignment: Alignment) -> ClassMoments:
        """Return the same moments under the classes of another schema."""
        move, schema = alignment.classes, alignment.schema
        if move.is_nothing:
            return replace(self, classes=schema.classes, columns=schema.numeric)
        wide = ClassMoments.empty(schema, self.groups)
        before = np.arange(self.groups)[:, None]
        old = (before * len(self.classes) + np.arange(len(self.classes))[move.old]).reshape(-1)
        new = (before * len(schema.classes) + np.arange(len(schema.classes))[move.new]).reshape(-1)
        wide.extent[:, :, move.new] = self.extent[:, :, move.old]
        exact = self.exact.moved(old, new, self.groups * len(schema.classes))
        return replace(wide, exact=exact)

    def total(self) -> ClassMoments:
        """Return all groups together, as one group."""
        return self._as_one_group(self._total, np.arange(self.groups))

    @cached_property
    def _total(self) -> ExactMoments:
        return self.exact.summed(np.tile(np.arange(len(self.classes)), self.groups))

    def select(self, group: int) -> ClassMoments:
        """Return one group alone."""
        return self._as_one_group(self._group(group), np.array([group]))

    def without(self, group: int) -> ClassMoments:
        """Return all groups but this one together, as one group."""
        others = np.flatnonzero(np.arange(self.groups) != group)
        return self._as_one_group(self._total.plus(self._group(group), -1), others)

    def _group(self, group: int) -> ExactMoments:
        return self.exact.cells(slice(group * len(self.classes), (group + 1) * len(self.classes)))

    def _as_one_group(self, exact: ExactMoments, groups: Any) -> ClassMoments:
        low, high = self.extent[0, groups], self.extent[1, groups]
        extent = np.stack([low.min(axis=0, initial=np.inf), high.max(axis=0, initial=-np.inf)])[:, None]
        return replace(self, exact=exact, extent=extent)

    def with_class_weights(self, factors: Floats) -> ClassMoments:
        """Return the moments of the same rows, with weights times the factors; extents stay."""
        return replace(self, exact=self.exact.times(np.tile(factors, self.groups)))

    def of_all_classes(self) -> tuple[Floats, Ints]:
        """Return moments and exponents of all groups and classes together, (4, columns) and (columns)."""
        moments, exponent = self.exact.summed(np.zeros(self.groups * len(self.classes), np.int64)).moments()
        return moments[:, 0], exponent[0]

    def in_one_unit(self) -> tuple[Floats, Ints]:
        """Return the moments with one exponent per column for all groups and classes, and those exponents.

        They are computed once: a sweep estimates several models from the same moments.
        """
        return self._in_one_unit

    @cached_property
    def _in_one_unit(self) -> tuple[Floats, Ints]:
        is_nonzero = self._nonzero
        exponent = np.where(is_nonzero, self.exponent, np.iinfo(np.int32).min).max(axis=(0, 1), initial=-UNIT)
        exponent = np.where(is_nonzero.any(axis=(0, 1)), exponent, 0).astype(np.int32)
        return _shifted(self.moments, np.where(is_nonzero, self.exponent - exponent, 0)), exponent

    @property
    def _nonzero(self) -> Flags:
        nonzero: Flags = (self.moments[1] != 0) | (self.moments[2] != 0)
        return nonzero

    def forget(self, rows: ClassMoments) -> ClassMoments:
        """Return the moments without these rows. Raise if it never had them."""
        exact = self.exact.plus(rows.exact, -1)
        impossible = exact.impossible().reshape(self.extent.shape[1:])
        if impossible.any():
            raise column_never_learned(self.columns[int(np.nonzero(impossible)[2][0])])
        weight = exact.weight.doubles(np.zeros(exact.weight.digits.shape[:2], np.int32))[0]
        return replace(self, exact=exact, extent=self._extent_without(rows, weight.reshape(self.extent.shape[1:])))

    def _extent_without(self, rows: ClassMoments, weight: Floats) -> Floats:
        """Return the extent without these rows: not known where one of them has the least or the largest value."""
        (low, high), (least, largest) = self.extent, rows.extent
        if np.any((least < low) | (largest > high)):
            raise column_never_learned(self.columns[int(np.nonzero((least < low) | (largest > high))[2][0])])
        remaining = np.stack([np.where(least == low, np.nan, low), np.where(largest == high, np.nan, high)])
        return np.where(weight > 0, remaining, _no_extent(weight.shape))

    def state(self) -> Mapping[str, Any]:
        """Return the digits of the exact sums, and the extent."""
        stored: dict[str, Any] = {}
        for name, part in zip(PARTS, self.exact.parts, strict=True):
            stored[f"{name}_places"], stored[f"{name}_digits"] = part.state()
        if not self.columns or np.isnan(self.extent).any():
            return stored
        # A model file holds finite numbers alone, and one zero: that of -0.0 and 0.0 depends on the order of rows.
        return {**stored, "extent": np.where(self.weight[0] > 0, self.extent[:, 0], 0.0) + 0.0}

    @classmethod
    def from_state(cls, reader: StoredValues, schema: Schema, others: Statistics) -> ClassMoments:
        """Read sums that values can have, of no more rows than there are."""
        exact = _rounded_state(reader, schema) if "moments" in reader else _exact_state(reader, schema)
        shape = (1, len(schema.classes), len(schema.numeric))
        read = cls(schema.numeric, schema.classes, exact, np.full((2, *shape), np.nan))
        check_part(reader, "weight_digits", read.weight[0], others[ClassCounts].counts[0])
        return replace(read, extent=_stored_extent(reader, read.weight[0]))

    def count_keys(self) -> Keys | None:
        """Return nothing to count without numeric columns, and None with them: moments need the rows."""
        return None if self.columns else ()

    def of_counts(self, counted: Counted) -> ClassMoments:
        """Return the moments of no columns."""
        del counted
        return self


def less_one(weight: Floats) -> Floats:
    """Return W − 1, by which sums of squares are divided; W itself below the weight of two rows.

    Weights that were divided by their sum weigh 1 together but for the last bit, and W − 1 would be almost 0.

    >>> less_one(np.array([14.0, 2.0, 1.0000000000000002, 0.5])).tolist()
    [13.0, 1.0, 1.0000000000000002, 0.5]
    """
    divisor: Floats = np.where(weight >= 2, weight - 1, weight)
    return divisor


def _no_extent(shape: tuple[int, ...]) -> Floats:
    """Return the extent of no values: its least is above its largest."""
    extent = np.empty((2, *shape))
    extent[0], extent[1] = np.inf, -np.inf
    return extent


def _joined_extent(one: Floats, other: Floats) -> Floats:
    return np.stack([np.minimum(one[0], other[0]), np.maximum(one[1], other[1])])


def _stored_extent(reader: StoredValues, weight: Floats) -> Floats:
    """Read the least and the largest values, of one group; files of older versions do not have them."""
    extent = np.full((2, 1, *weight.shape), np.nan)
    if "extent" in reader:
        extent[:, 0] = reader.floats("extent", (2, *weight.shape))
        if np.any(extent[0] > extent[1]):
            raise reader.refusal("extent", "has a least value above the largest", "least and largest of each number")
        extent[:, :, weight == 0] = _no_extent((1, int(np.sum(weight == 0))))
    return extent


def _exact_state(reader: StoredValues, schema: Schema) -> ExactMoments:
    cells, columns = len(schema.classes), len(schema.numeric)
    parts = []
    for name in PARTS:
        places = reader.integers(f"{name}_places", np.int64, (columns, 2), 0, PLACES)
        digits = reader.integers(f"{name}_digits", np.int64, (None,), -BASE, BASE)
        part = ExactSums.of_state(places, digits, cells)
        if part is None:
            raise reader.refusal(f"{name}_digits", "holds other digits than its places say", "digits of all sums")
        parts.append(part)
    exact = ExactMoments(*parts)
    if exact.impossible().any():
        raise reader.refusal("squares_digits", "holds sums that no values can have", "sums of weights and values")
    return exact


def _rounded_state(reader: StoredValues, schema: Schema) -> ExactMoments:
    """Read moments that were rounded, as files of versions before 0.2 have them."""
    shape = (len(schema.classes), len(schema.numeric))
    moments = reader.floats("moments", (4, *shape))
    exponent = reader.integers("exponent", np.int32, shape, -UNIT, UNIT)
    weight, mean, squares, rest = moments
    if np.any(exponent % UNIT):
        raise reader.refusal("exponent", "holds another number", f"{-UNIT}, 0 or {UNIT}")
    is_beyond = np.any(np.abs(mean) > LARGEST) or np.any(np.abs(rest) > LARGEST)
    if np.any(weight < 0) or np.any(squares < 0) or is_beyond:
        raise reader.refusal(
            "moments", "holds a negative weight or sum of squares, or a mean beyond all values", "none"
        )
    # |x − mean| is at most twice the largest value.
    if np.any(squares > weight * (2 * LARGEST) ** 2):
        raise reader.refusal("moments", "holds squares that no values of its weight can have", "fewer")
    return ExactMoments.of_rounded(moments, exponent)


def _shifted(moments: Floats, by: Ints) -> Floats:
    """Return the moments in units that are 2^by smaller."""
    n, mean, squares, rest = moments
    return np.stack([n, np.ldexp(mean, by), np.ldexp(squares, 2 * by), np.ldexp(rest, by)])
