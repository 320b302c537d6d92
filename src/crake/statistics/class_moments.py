"""Weight, mean and centred sum of squares of each numeric column by class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crake.arrays import Codes, Flags, Floats, Ints
from crake.errors import CrakeError
from crake.kernels.statistics.moments import SCALE, add_moments, merge_moments
from crake.statistics.class_counts import ClassCounts
from crake.statistics.levels import Alignment, Levels
from crake.statistics.statistic import Statistic, StoredValues, check_part, column_never_learned
from crake.table.batch import Batch
from crake.table.schema import Column, Schema

if TYPE_CHECKING:
    from crake.statistics.collection import Statistics
    from crake.table.sources.counting import Counted, Keys

LEAST_LEFT = 1e-8
"""The share of the sum of squares that must remain when rows are forgotten: half of its sixteen digits are right."""
LARGEST = 2.0**425
"""The largest mean in its unit: 2^1024 in units of 2^600, and a bit for rounding."""


@dataclass(frozen=True, eq=False)
class ClassMoments(Statistic):
    """`moments` has shape (4, groups, classes, columns): weight n, mean, centred sum of squares, rest of the mean.

    The rest is what rounding took from the mean: mean + rest is the mean to twice the digits.
    Each cell is held divided by 2^exponent (groups, classes, columns): 0 but for values whose squares would overflow
    or vanish. Cells are merged; they are subtracted only where enough digits remain (see `forget`).
    `extent` (2, groups, classes, columns) has the least and the largest value; NaN where it is not known.
    """

    name: ClassVar[str] = "class_moments"
    has_class_weights: ClassVar[bool] = True
    needs_columns: ClassVar[bool] = True
    is_exact: ClassVar[bool] = False

    columns: tuple[Column, ...]
    classes: Levels
    moments: Floats
    exponent: Ints
    extent: Floats

    @classmethod
    def empty(cls, schema: Schema, groups: int = 1) -> ClassMoments:
        """Return the moments of no rows."""
        return cls._of_no_rows(schema.numeric, schema.classes, groups)

    @classmethod
    def _of_no_rows(cls, columns: tuple[Column, ...], classes: Levels, groups: int) -> ClassMoments:
        shape = (groups, len(classes), len(columns))
        return cls(columns, classes, np.zeros((4, *shape)), np.zeros(shape, np.int32), _no_extent(shape))

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.exponent)

    def add(self, batch: Batch, group: Codes) -> ClassMoments:
        """Merge rows in, in place; the first of them must be the first of a block of rows."""
        if self.columns:
            flat, exponent = _flat(self.moments, self.exponent)
            extent = self.extent.reshape(2, -1, len(self.columns))
            add_moments(batch.values, batch.target, group, batch.weights, len(self.classes), flat, exponent, extent)
        return self

    @property
    def weight(self) -> Floats:
        """The known weight (groups, classes, columns)."""
        weight: Floats = self.moments[0]
        return weight

    def merge(self, other: ClassMoments) -> ClassMoments:
        """Return the moments of both sets of rows."""
        moments, exponent = self.moments.copy(), self.exponent.copy()
        if self.columns:
            merge_moments(*_flat(moments, exponent), *_flat(other.moments, other.exponent))
        return replace(self, moments=moments, exponent=exponent, extent=_joined_extent(self.extent, other.extent))

    def under(self, alignment: Alignment) -> ClassMoments:
        """Return the same moments under the classes of another schema."""
        move, schema = alignment.classes, alignment.schema
        if move.is_nothing:
            return replace(self, classes=schema.classes, columns=schema.numeric)
        wide = ClassMoments.empty(schema, self.groups)
        wide.moments[:, :, move.new] = self.moments[:, :, move.old]
        wide.exponent[:, move.new] = self.exponent[:, move.old]
        wide.extent[:, :, move.new] = self.extent[:, :, move.old]
        return wide

    def total(self) -> ClassMoments:
        """Return all groups together, as one group."""
        return self._joined(range(self.groups))

    def select(self, group: int) -> ClassMoments:
        """Return one group alone."""
        one = slice(group, group + 1)
        return replace(
            self,
            moments=self.moments[:, one].copy(),
            exponent=self.exponent[one].copy(),
            extent=self.extent[:, one].copy(),
        )

    def without(self, group: int) -> ClassMoments:
        """Return the groups before this one merged with those after it."""
        return self._joined(g for g in range(self.groups) if g != group)

    def with_class_weights(self, factors: Floats) -> ClassMoments:
        """Return the moments with weights and sums of squares times the factors; means and extents stay."""
        moments = self.moments.copy()
        moments[0] *= factors[:, None]
        moments[2] *= factors[:, None]
        return replace(self, moments=moments)

    def in_one_unit(self) -> tuple[Floats, Ints]:
        """Return the moments with one exponent per column for all groups and classes, and those exponents."""
        exponent = np.where(self._nonzero, self.exponent, np.iinfo(np.int32).min).max(axis=(0, 1), initial=-SCALE)
        exponent = np.where(self._nonzero.any(axis=(0, 1)), exponent, 0).astype(np.int32)
        return _shifted(self.moments, np.where(self._nonzero, self.exponent - exponent, 0)), exponent

    @property
    def _nonzero(self) -> Flags:
        nonzero: Flags = (self.moments[1] != 0) | (self.moments[2] != 0)
        return nonzero

    def _joined(self, groups: Iterable[int]) -> ClassMoments:
        joined = self._of_no_rows(self.columns, self.classes, 1)
        for group in groups if self.columns else ():
            joined = joined.merge(self.select(group))
        return joined

    def forget(self, rows: ClassMoments) -> ClassMoments:
        """Return the moments without these rows. Raise where less than LEAST_LEFT of the squares would remain.

        Merging solved for one part: n = n1 − n2, mean = m1 − d·n2/n, squares = s1 − s2 − d²·n1·n2/n, d = m2 − m1.
        """
        n1, m1, s1, r1 = self.moments
        n2, m2, s2, r2 = _shifted(rows.moments, np.where(rows.weight > 0, rows.exponent - self.exponent, 0))
        n = n1 - n2
        if np.any(n < 0):
            raise column_never_learned(self.columns[int(np.nonzero(n < 0)[2][0])])
        extent = self._extent_without(rows, n)
        safe = np.where(n > 0, n, 1.0)
        d = np.where(n2 > 0, (m2 - m1) + (r2 - r1), 0.0)
        squares = (s1 - s2) - d * d * (n1 * (n2 / safe))
        lost = (n > 0) & (n2 > 0) & (squares < LEAST_LEFT * s1)
        # All values equal before and after: nothing to lose.
        lost &= ~((s1 == 0) & (s2 == 0) & (d == 0))
        self._raise_if_lost(lost)
        shift = d * (n2 / safe)
        mean = m1 - shift
        rest = (m1 - (mean + shift)) + r1
        moments = np.where(n > 0, np.stack([n, mean, np.maximum(squares, 0.0), rest]), 0.0)
        exponent = np.where(n > 0, self.exponent, 0).astype(np.int32)
        return replace(self, moments=moments, exponent=exponent, extent=extent)

    def _extent_without(self, rows: ClassMoments, weight: Floats) -> Floats:
        """Return the extent without these rows: not known where one of them has the least or the largest value."""
        (low, high), (least, largest) = self.extent, rows.extent
        if np.any((least < low) | (largest > high)):
            raise column_never_learned(self.columns[int(np.nonzero((least < low) | (largest > high))[2][0])])
        remaining = np.stack([np.where(least == low, np.nan, low), np.where(largest == high, np.nan, high)])
        return np.where(weight > 0, remaining, _no_extent(weight.shape))

    def _raise_if_lost(self, lost: Flags) -> None:
        if np.any(lost):
            _, k, j = (int(at[0]) for at in np.nonzero(lost))
            raise CrakeError(
                f"forgetting these rows would leave less than {LEAST_LEFT:g} of the sum of squares of "
                f"{self.columns[j].name} in class {self.classes[k]!r}: its variance would lose its digits; "
                "fit on the rows that remain"
            )

    def state(self) -> Mapping[str, Any]:
        """Return the moments and their exponents."""
        stored = {"moments": self.moments[:, 0], "exponent": self.exponent[0]}
        if not self.columns or np.isnan(self.extent).any():
            return stored
        # A model file holds finite numbers alone, and one zero: that of -0.0 and 0.0 depends on the order of rows.
        return {**stored, "extent": np.where(self.weight[0] > 0, self.extent[:, 0], 0.0) + 0.0}

    @classmethod
    def from_state(cls, reader: StoredValues, schema: Schema, others: Statistics) -> ClassMoments:
        """Read moments that values can have, of no more rows than there are."""
        shape = (len(schema.classes), len(schema.numeric))
        moments = reader.floats("moments", (4, *shape))
        exponent = reader.integers("exponent", np.int32, shape, -SCALE, SCALE)
        weight, mean, squares, rest = moments
        if np.any(exponent % SCALE):
            raise reader.refusal("exponent", "holds another number", f"{-SCALE}, 0 or {SCALE}")
        is_beyond = np.any(np.abs(mean) > LARGEST) or np.any(np.abs(rest) > LARGEST)
        if np.any(weight < 0) or np.any(squares < 0) or is_beyond:
            raise reader.refusal(
                "moments", "holds a negative weight or sum of squares, or a mean beyond all values", "none"
            )
        check_part(reader, "moments", weight, others[ClassCounts].counts[0])
        # |x − mean| is at most twice the largest value.
        if np.any(squares > weight * (2 * LARGEST) ** 2):
            raise reader.refusal("moments", "holds squares that no values of its weight can have", "fewer")
        return cls(schema.numeric, schema.classes, moments[:, None], exponent[None], _stored_extent(reader, weight))

    def count_keys(self) -> Keys | None:
        """Return nothing to count without numeric columns, and None with them: moments need the rows."""
        return None if self.columns else ()

    def of_counts(self, counted: Counted) -> ClassMoments:
        """Return the moments of no columns."""
        del counted
        return self


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


def _shifted(moments: Floats, by: Ints) -> Floats:
    """Return the moments in units that are 2^by smaller."""
    n, mean, squares, rest = moments
    return np.stack([n, np.ldexp(mean, by), np.ldexp(squares, 2 * by), np.ldexp(rest, by)])


def _flat(moments: Floats, exponent: Ints) -> tuple[Floats, Ints]:
    """Return the views that kernels work on, with groups and classes as one axis."""
    columns = moments.shape[-1]
    return np.ascontiguousarray(moments).reshape(4, -1, columns), np.ascontiguousarray(exponent).reshape(-1, columns)
