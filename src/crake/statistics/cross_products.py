"""Cross-products of columns: what least squares reads in place of rows. Exact, so they are added and subtracted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from crake.arrays import Codes, Flags, Floats, Ints, Longs
from crake.errors import CrakeError, DataError
from crake.statistics.class_counts import ClassCounts
from crake.statistics.exact_sums import BASE, PLACES, ExactSums
from crake.statistics.levels import Alignment
from crake.statistics.products.centred_products import centred_products
from crake.statistics.products.exact_products import ExactProducts
from crake.statistics.statistic import SLACK, Statistic, StoredValues
from crake.table.batch import Batch
from crake.table.schema import Column, Schema

if TYPE_CHECKING:
    from crake.statistics.collection import Statistics
    from crake.table.sources.counting import Counted, Keys

MOST_BYTES = 2**30
"""Memory that the cross-products of all groups may take."""
PIECE, MOST_CELLS = 1 << 16, 1 << 22
"""Rows that are encoded together, and numbers."""
PARTS = ("number_products", "mixed_products", "place_products")


class Terms(Protocol):
    """The columns whose products are taken, as a function of a batch."""

    @property
    def numbers(self) -> int:
        """The number of columns that hold numbers. They come first."""

    @property
    def places(self) -> int:
        """The number of 0/1 columns."""

    def encode(self, batch: Batch) -> tuple[Floats, Ints]:
        """Return finite numbers (rows, numbers), and the 0/1 columns that are 1 (columns, rows), −1 for none."""

    def complete(self, batch: Batch) -> Flags:
        """Return which rows are counted."""


@dataclass(frozen=True)
class ColumnTerms:
    """The columns of a schema: the numbers as they are, one 0/1 column per level. Rows with a gap are left out."""

    schema: Schema

    @property
    def numbers(self) -> int:
        """The number of numeric features."""
        return len(self.schema.numeric)

    @property
    def places(self) -> int:
        """The number of levels of all nominal features."""
        return sum(len(column.levels) for column in self.schema.nominal)

    @property
    def offsets(self) -> list[int]:
        """The first 0/1 column of each nominal feature."""
        widths = [len(column.levels) for column in self.schema.nominal]
        return [self.numbers + sum(widths[:j]) for j in range(len(widths))]

    def encode(self, batch: Batch) -> tuple[Floats, Ints]:
        """Return the numbers, 0 for a gap, and the place of each level."""
        place = np.where(batch.codes >= 0, batch.codes + np.array(self.offsets, np.int32), -1)
        return np.nan_to_num(batch.values, nan=0.0), np.ascontiguousarray(place.T.astype(np.int32))

    def complete(self, batch: Batch) -> Flags:
        """Return the rows without a gap."""
        complete: Flags = np.all(batch.codes >= 0, axis=1) & ~np.any(np.isnan(batch.values), axis=1)
        return complete

    def moved(self, alignment: Alignment) -> Longs:
        """Return the new place of each 0/1 column under another schema, −1 for levels that are dropped."""
        places, at = [np.zeros(0, np.int64)], 0
        for move in alignment.nominal:
            places.append(np.where(move.table >= 0, move.table + at, -1))
            at += move.size
        return np.concatenate(places)


@dataclass(frozen=True, eq=False)
class CrossProducts(Statistic):
    """Exact sums of weight · term · term for all pairs of terms, over all classes; `exact` has a cell for each group.

    No order of rows, parts or threads changes them. `terms` says which columns they are of. They are rounded when
    `centred` or another function reads them.

    >>> from crake.statistics import gather
    >>> from crake.table.examples import load
    >>> products = gather(load("iris"), [CrossProducts])[CrossProducts]
    >>> weight, mean, scatter = products.centred()
    >>> (scatter / (weight - 1)).round(2)[0]  # variance and covariances of the sepal length
    array([ 0.69, -0.04,  1.27,  0.52])
    """

    name: ClassVar[str] = "cross_products"

    columns: tuple[Column, ...]
    exact: ExactProducts
    terms: Terms

    @classmethod
    def empty(cls, schema: Schema, groups: int = 1, terms: Terms | None = None) -> CrossProducts:
        """Return the products of no rows. Raise if they would take more than MOST_BYTES."""
        terms = ColumnTerms(schema) if terms is None else terms
        width = terms.numbers + terms.places
        size = 8 * groups * width**2
        if size > MOST_BYTES:
            raise DataError(
                f"the cross-products of {width:,} columns and levels would take {size / 1e9:,.1f} GB, with "
                f"{groups} groups of rows; expected at most {MOST_BYTES / 1e9:,.1f} GB: ignore columns of many values"
            )
        return cls(schema.features, ExactProducts.zeros(groups, terms.numbers, terms.places), terms)

    @classmethod
    def of(cls, terms: Terms) -> ProductsOf:
        """Return the member that takes the products of other terms, for `gather`."""
        return ProductsOf(terms)

    @property
    def groups(self) -> int:
        """The number of groups."""
        return self.exact.cells

    def add(self, batch: Batch, group: Codes) -> CrossProducts:
        """Add rows, in place."""
        step = max(1, min(PIECE, MOST_CELLS // (self.terms.numbers + 1)))
        for start in range(0, batch.rows, step):
            piece = batch.part(start, min(start + step, batch.rows))
            own = np.where((piece.target >= 0) & self.terms.complete(piece), group[start : start + step], -1)
            values, place = self.terms.encode(piece)
            for g in np.unique(own[own >= 0]).tolist():
                rows = slice(None) if np.all(own == g) else np.flatnonzero(own == g)
                self.exact.add(g, values[rows], place[:, rows], piece.weights[rows])
        return self

    def merge(self, other: CrossProducts) -> CrossProducts:
        """Return the products of both sets of rows."""
        if type(self.terms) is not type(other.terms):
            raise CrakeError("cross-products of different terms cannot be merged; gather them of the same")
        return replace(self, exact=self.exact.plus(other.exact))

    def under(self, alignment: Alignment) -> CrossProducts:
        """Return the same products under the levels of another schema. Terms of one's own have levels that stay."""
        schema = alignment.schema
        if not isinstance(self.terms, ColumnTerms):
            if not alignment.keeps_features:
                raise CrakeError("these cross-products are of fixed terms; gather them again with the new levels")
            return replace(self, columns=schema.features)
        if alignment.keeps_features:
            return replace(self, columns=schema.features, terms=ColumnTerms(schema))
        wide = CrossProducts.empty(schema, self.groups)
        return replace(wide, exact=self.exact.with_places(self.terms.moved(alignment), wide.terms.places))

    def total(self) -> CrossProducts:
        """Return all groups together, as one group."""
        return replace(self, exact=self.exact.total())

    def select(self, group: int) -> CrossProducts:
        """Return one group alone."""
        return replace(self, exact=self.exact.of_cells(slice(group, group + 1)))

    def without(self, group: int) -> CrossProducts:
        """Return all groups but one together, as one group."""
        return replace(self, exact=self.exact.total().plus(self.select(group).exact, -1))

    def forget(self, rows: CrossProducts) -> CrossProducts:
        """Return the products without these rows. Raise if it never had them."""
        exact = self.exact.plus(rows.exact, -1)
        if exact.impossible():
            raise CrakeError(
                "the rows to be forgotten have products of columns that were not learned: "
                "only rows that were learned can be forgotten"
            )
        return replace(self, exact=exact)

    def centred(self) -> tuple[float, Floats, Floats]:
        """Return the weight, the mean of each term, and Σ w·(x − mean)·(x − mean)', rounded, of one group."""
        found = centred_products(self.exact)
        means, unit = found.means[0] + found.means[1], found.exponent
        return found.weight, np.ldexp(means, unit), np.ldexp(found.products[0], unit[:, None] + unit)

    def state(self) -> Mapping[str, Any]:
        """Return the digits of the exact sums."""
        stored: dict[str, Any] = {}
        for name, part in zip(PARTS, self.exact.parts, strict=True):
            stored[f"{name}_places"], stored[f"{name}_digits"] = part.state()
        return stored

    @classmethod
    def from_state(cls, reader: StoredValues, schema: Schema, others: Statistics) -> CrossProducts:
        """Read the products of a schema's columns, of no more rows than there are."""
        empty = cls.empty(schema)
        parts = []
        for name, part in zip(PARTS, empty.exact.parts, strict=True):
            places = reader.integers(f"{name}_places", np.int64, (len(part.base), 2), 0, PLACES)
            digits = reader.integers(f"{name}_digits", np.int64, (None,), -BASE, BASE)
            found = ExactSums.of_state(places, digits, 1)
            if found is None:
                raise reader.refusal(f"{name}_digits", "holds other digits than its places say", "digits of all sums")
            parts.append(found)
        exact = ExactProducts(empty.exact.numbers, empty.exact.places, *parts)
        if exact.impossible():
            raise reader.refusal("number_products_digits", "holds sums that no columns can have", "sums of products")
        if exact.weight() > others[ClassCounts].counts.sum() * SLACK:
            raise reader.refusal("number_products_digits", "has more rows than there are", "at most class_counts")
        return replace(empty, exact=exact)

    def count_keys(self) -> Keys | None:
        """Return nothing to count without features, and None with them: products need the rows."""
        return None if self.columns else ()

    def of_counts(self, counted: Counted) -> CrossProducts:
        """Return the products of no columns."""
        del counted
        return self


@dataclass(frozen=True)
class ProductsOf:
    """`CrossProducts` of terms that a learner has chosen."""

    terms: Terms
    name: ClassVar[str] = CrossProducts.name
    reads_text: ClassVar[bool] = False

    def empty(self, schema: Schema, groups: int = 1) -> CrossProducts:
        """Return the products of no rows."""
        return CrossProducts.empty(schema, groups, self.terms)
