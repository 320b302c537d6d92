"""The interface of a statistic: arrays gathered from rows, which add.

A member of the family is one class in one file, listed in `crake.statistics.MEMBERS`. Nothing else names it: gathering,
merging, forgetting, growing levels and model files call the methods below.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Flags, Floats
from crake.errors import CrakeError, ModelFileError
from crake.statistics.levels import Alignment
from crake.table.batch import Batch
from crake.table.schema import Column, Label, Schema

if TYPE_CHECKING:
    from crake.statistics.collection import Statistics
    from crake.table.sources.counting import Counted, Keys

Copies = NDArray[np.uint8]
"""Copies of each row in each sample, shape (rows, samples)."""

HEAVIEST = 1e30
"""The largest weight of a row: products of heavier rows with the squares of large values would overflow."""
MOST = HEAVIEST * 2.0**63
"""The largest weight of a table: it has at most 2^63 rows."""
SLACK = 1 + 1e-6
"""Fractional weights that are added in another order differ in the last digits."""


class Member(Protocol):
    """A statistic to gather: a class of the family, or one of its variants with options."""

    @property
    def name(self) -> str:
        """The name of the statistic among those gathered together."""

    @property
    def reads_text(self) -> bool:
        """True if text columns are read."""

    def empty(self, schema: Schema, groups: int = 1) -> Statistic:
        """Return the statistic of no rows."""


class StoredValues(Protocol):
    """A part of a model file. Every value is checked as it is read."""

    def __contains__(self, name: str) -> bool:
        """Return True if there is such a value."""

    def flag(self, name: str) -> bool:
        """Return a truth value."""

    def floats(self, name: str, shape: tuple[int | None, ...], least: float = ..., most: float = ...) -> Floats:
        """Return finite numbers in their range."""

    def integers(
        self, name: str, dtype: type[np.integer[Any]], shape: tuple[int | None, ...], least: int, most: int
    ) -> NDArray[Any]:
        """Return whole numbers in their range."""

    def names(self, name: str) -> tuple[str, ...]:
        """Return labels that are all text."""

    def part(self, name: str) -> StoredValues:
        """Return a group of values."""

    def refusal(self, name: str, text: str, expected: str, /) -> ModelFileError:
        """Return the error to raise for a bad value."""


class Statistic(ABC):
    """A summary of rows in groups (folds, nodes, samples).

    `add` and `add_samples` may write into the statistic's own arrays. All other methods return a new one.
    Rows of class −1 or group −1 are left out.
    """

    name: ClassVar[str]
    """The key of the statistic among others, in memory and in a model file."""
    reads_text: ClassVar[bool] = False
    """True if `add` reads the text columns of a batch, which a scan reads only if asked."""
    has_class_weights: ClassVar[bool] = False
    """True if `with_class_weights` gives the statistic of rows whose weights are multiplied by class."""
    is_exact: ClassVar[bool] = True
    """True if whole weights give the same bits in any order of rows and merges."""
    needs_columns: ClassVar[bool] = False
    """True if rows add nothing to a statistic without columns."""

    columns: tuple[Column, ...]
    """The features it summarises; none if it reads the target alone."""

    @classmethod
    @abstractmethod
    def empty(cls, schema: Schema, groups: int = 1) -> Self:
        """Return the statistic of no rows."""

    @property
    @abstractmethod
    def groups(self) -> int:
        """The number of groups."""

    @abstractmethod
    def add(self, batch: Batch, group: Codes) -> Self:
        """Add rows in their order. `group` has one entry per row."""

    def add_samples(self, batch: Batch, copies: Copies) -> Self:
        """Add each row to every sample that has it, as often as `copies[row, sample]` says."""
        result = self
        if self.needs_columns and not self.columns:
            return result
        for sample in range(copies.shape[1]):
            own = copies[:, sample]
            # A row of weight 0 would leave a value that no row has.
            is_there = (own > 0) & (batch.weights > 0)
            group = np.where(is_there, np.int32(sample), np.int32(-1))
            result = result.add(replace(batch, weights=own * batch.weights), group)
        return result

    @abstractmethod
    def merge(self, other: Self) -> Self:
        """Return the statistic of both sets of rows, which have the same levels (see `under`)."""

    @classmethod
    def merge_all(cls, parts: Iterable[Self]) -> Self:
        """Return the statistic of all sets of rows, which have the same levels."""
        return reduce(lambda one, other: one.merge(other), parts)

    @abstractmethod
    def under(self, alignment: Alignment) -> Self:
        """Return the same counts under the levels of another schema."""

    @abstractmethod
    def total(self) -> Self:
        """Return all groups together, as one group."""

    @abstractmethod
    def select(self, group: int) -> Self:
        """Return one group alone."""

    @abstractmethod
    def without(self, group: int) -> Self:
        """Return all groups but one together, as one group."""

    def with_class_weights(self, factors: Floats) -> Self:
        """Return the statistic of the same rows, each with its weight times the positive factor of its class."""
        del factors
        raise CrakeError(f"expected a statistic whose classes can be weighted afterwards, got {self.name}")

    @abstractmethod
    def forget(self, rows: Self) -> Self:
        """Return the statistic without these rows, which have the same levels. Raise if it never had them."""

    def levels_with_rows(self, column: str) -> Flags | None:
        """Return which levels of a nominal feature have rows, or None if this statistic does not count them."""
        del column
        return None

    def check_size(self) -> None:  # noqa: B027  # most members have nothing to check
        """Raise if a scan has met more values than fit in memory. Called after every batch."""

    def notes(self) -> tuple[str, ...]:
        """Return what a user must know of what was gathered; most members have nothing to say."""
        return ()

    def state(self) -> Mapping[str, Any]:
        """Return the arrays that a model file holds, of one group of rows. Tuples are labels."""
        raise CrakeError(f"{self.name} are nearly the rows themselves: they are not stored")

    @classmethod
    def from_state(cls, reader: StoredValues, schema: Schema, others: Statistics) -> Self:
        """Read what `state` has written. It must agree with the schema and with the statistics read before."""
        del schema, others
        raise reader.refusal(cls.name, "is not stored in a model file", "nothing")

    def count_keys(self) -> Keys | None:
        """Return the column sets whose value counts are enough to build the statistic, or None if rows are needed."""
        return None

    def of_counts(self, counted: Counted) -> Self:
        """Return this empty statistic filled from counts of the `count_keys`."""
        raise NotImplementedError


def never_learned(rows: float, learned: float, what: str) -> CrakeError:
    """Return the error for forgetting more rows than were learned."""
    return CrakeError(
        f"{rows:g} rows {what} are to be forgotten, but {learned:g} were learned: "
        "only rows that were learned can be forgotten"
    )


def column_never_learned(column: Column) -> CrakeError:
    """Return the error for forgetting values that were not learned."""
    return CrakeError(
        f"the rows to be forgotten have values of {column.name} that were not learned, or fewer times: "
        "only rows that were learned can be forgotten"
    )


def check_forgettable(*, integral: bool) -> None:
    """Raise if sums of weights were rounded, so that taking some away would leave the rounding behind."""
    if not integral:
        raise CrakeError(
            "rows of fractional weight cannot be forgotten: the sums of their weights have been rounded; "
            "fit on the rows that remain"
        )


def is_whole(weights: Floats) -> bool:
    """Return True if all weights are whole numbers, so that sums of them are exact up to 2^53."""
    return bool(np.all(weights == np.floor(weights)))


def check_whole(reader: StoredValues, name: str, counts: Floats, *, integral: bool) -> None:
    """Raise if counts of a model file that are marked as whole hold a fraction."""
    if integral and np.any(counts != np.floor(counts)):
        raise reader.refusal(name, "holds a fraction but is marked as whole", "whole numbers")


def check_part(reader: StoredValues, name: str, weight: Floats, of_class: Floats) -> None:
    """Raise if `weight` (classes, columns) has more rows of a class than there are."""
    if np.any(weight > of_class[:, None] * SLACK):
        raise reader.refusal(name, "counts more rows of a class than there are", "at most class_counts")


def level_texts(columns: Iterable[Column], codes: Iterable[int], label: Label) -> str:
    """Return the words for rows that have these levels and a class.

    >>> from crake.table.schema import Kind
    >>> level_texts([Column("wind", Kind.NOMINAL, ("weak", "strong"))], [1], "yes")
    "with wind = 'strong' and class 'yes'"
    """
    values = (
        f"{column.name} = {'missing' if code < 0 else repr(column.levels[code])}"
        for column, code in zip(columns, codes, strict=True)
    )
    return f"with {', '.join(values)} and class {label!r}"
