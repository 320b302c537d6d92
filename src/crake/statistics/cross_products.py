"""Cross-products of columns: what least squares reads in place of rows. Merged, never subtracted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from crake.arrays import Codes, Flags, Floats, Ints, Rows
from crake.errors import CrakeError, DataError
from crake.statistics.class_counts import ClassCounts
from crake.statistics.levels import Alignment
from crake.statistics.scatter import BLOCK, Scatter
from crake.statistics.statistic import MOST, SLACK, Statistic, StoredValues
from crake.table.batch import Batch
from crake.table.schema import Column, Schema

if TYPE_CHECKING:
    from crake.statistics.collection import Statistics
    from crake.table.sources.counting import Counted, Keys

MOST_BYTES = 2**30
"""Memory that the cross-products of all groups may take."""
PIECE = 16 * BLOCK
"""Rows that are encoded together."""


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

    def moved(self, alignment: Alignment) -> Rows:
        """Return the new place of each term under another schema, −1 for levels that are dropped."""
        numbers, at = [np.arange(self.numbers)], self.numbers
        for move in alignment.nominal:
            numbers.append(np.where(move.table >= 0, move.table + at, -1))
            at += move.size
        return np.concatenate(numbers)


@dataclass(frozen=True, eq=False)
class CrossProducts(Statistic):
    """One `Scatter` per group, over all classes. `terms` says which columns it is of.

    >>> from crake.statistics import gather
    >>> from crake.table.examples import load
    >>> scatter, = gather(load("iris"), [CrossProducts])[CrossProducts].by_group
    >>> (scatter.products / (scatter.weight - 1)).round(2)[0]  # variance and covariances of the sepal length
    array([ 0.69, -0.04,  1.27,  0.52])
    """

    name: ClassVar[str] = "cross_products"
    is_exact: ClassVar[bool] = False

    columns: tuple[Column, ...]
    by_group: tuple[Scatter, ...]
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
        scatters = tuple(Scatter.empty(terms.numbers, terms.places) for _ in range(groups))
        return cls(schema.features, scatters, terms)

    @classmethod
    def of(cls, terms: Terms) -> ProductsOf:
        """Return the member that takes the products of other terms, for `gather`."""
        return ProductsOf(terms)

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.by_group)

    def add(self, batch: Batch, group: Codes) -> CrossProducts:
        """Add rows, block by block; the first of them must be the first of a block of rows."""
        by_group = list(self.by_group)
        with np.errstate(over="ignore", invalid="ignore"):  # who reads the products looks for infinities
            for start in range(0, batch.rows, PIECE):
                piece = batch.part(start, min(start + PIECE, batch.rows))
                own = np.where((piece.target >= 0) & self.terms.complete(piece), group[start : start + PIECE], -1)
                values, place = self.terms.encode(piece)
                for g in np.unique(own[own >= 0]).tolist():
                    # Rows of other groups weigh 0: the sums of a block keep their order.
                    weights = piece.weights if np.all(own == g) else np.where(own == g, piece.weights, 0.0)
                    by_group[g] = by_group[g].add(values, place, weights)
        return replace(self, by_group=tuple(by_group))

    def merge(self, other: CrossProducts) -> CrossProducts:
        """Return the products of both sets of rows."""
        if type(self.terms) is not type(other.terms):
            raise CrakeError("cross-products of different terms cannot be merged; gather them of the same")
        return replace(self, by_group=tuple(map(_merged, self.by_group, other.by_group)))

    def under(self, alignment: Alignment) -> CrossProducts:
        """Return the same products under the levels of another schema. Terms of one's own have levels that stay."""
        schema = alignment.schema
        if not isinstance(self.terms, ColumnTerms):
            if not alignment.keeps_features:
                raise CrakeError("these cross-products are of fixed terms; gather them again with the new levels")
            return replace(self, columns=schema.features)
        wide = CrossProducts.empty(schema, self.groups)
        places = self.terms.moved(alignment)
        old = np.flatnonzero(places >= 0)
        for before, after in zip(self.by_group, wide.by_group, strict=True):
            after.mean[places[old]] = before.mean[old]
            after.products[np.ix_(places[old], places[old])] = before.products[np.ix_(old, old)]
        weighted = zip(self.by_group, wide.by_group, strict=True)
        return replace(wide, by_group=tuple(replace(after, weight=before.weight) for before, after in weighted))

    def total(self) -> CrossProducts:
        """Return all groups together, as one group."""
        return self._joined(self.by_group)

    def select(self, group: int) -> CrossProducts:
        """Return one group alone."""
        return replace(self, by_group=self.by_group[group : group + 1])

    def without(self, group: int) -> CrossProducts:
        """Return all groups but one together, as one group."""
        return self._joined(scatter for g, scatter in enumerate(self.by_group) if g != group)

    def _joined(self, scatters: Iterable[Scatter]) -> CrossProducts:
        nothing = Scatter.empty(self.terms.numbers, self.terms.places)
        return replace(self, by_group=(reduce(_merged, scatters, nothing),))

    def forget(self, rows: CrossProducts) -> CrossProducts:
        """Raise: products lose their digits when some are subtracted."""
        del rows
        raise CrakeError("cross-products are merged, never subtracted; fit on the rows that remain")

    def state(self) -> Mapping[str, Any]:
        """Return the weight, the means and the products."""
        (scatter,) = self.by_group
        return {
            "product_weight": np.array([scatter.weight]),
            "product_means": scatter.mean,
            "cross_products": scatter.products,
        }

    @classmethod
    def from_state(cls, reader: StoredValues, schema: Schema, others: Statistics) -> CrossProducts:
        """Read the products of a schema's columns, of no more rows than there are."""
        terms = ColumnTerms(schema)
        width = terms.numbers + terms.places
        weight = float(reader.floats("product_weight", (1,), 0, MOST)[0])
        if weight > others[ClassCounts].counts.sum() * SLACK:
            raise reader.refusal("product_weight", "is larger than that of all rows", "at most class_counts")
        means, products = reader.floats("product_means", (width,)), reader.floats("cross_products", (width, width))
        least = -1e-6 * np.abs(products).max(initial=0)
        if np.any(np.diagonal(products) < least) or np.any(np.abs(products - products.T) > -least):
            raise reader.refusal("cross_products", "is no table of products", "a symmetric one, squares not negative")
        return cls(schema.features, (Scatter(terms.numbers, weight, means, products),), terms)

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


def _merged(one: Scatter, other: Scatter) -> Scatter:
    with np.errstate(over="ignore", invalid="ignore"):
        return one.merge(other)
