"""Columns of a table: their kinds, their levels, and the one that is predicted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from crake.errors import ColumnNotFound, SchemaError, TargetNotFound
from crake.render.short_repr import short_repr

Label = str | int | float | bool


class Kind(StrEnum):
    """Kinds of columns: names, numbers, running text, or columns that are not read."""

    NOMINAL = "nominal"
    NUMERIC = "numeric"
    TEXT = "text"
    IGNORED = "ignored"


DATES = ("ymd", "dmy", "mdy", "time")
"""Notations of dates: year, day or month first in texts, or the type of a data frame."""
PARTS = YEAR, MONTH, WEEKDAY = ("year", "month", "weekday")
"""Notations of columns that are parts of a column of dates."""
NOTATIONS = ("", *DATES, "point", "comma", *PARTS)
"""Notations of numbers in texts; the first is the plain one. New ones are only ever appended."""


@dataclass(frozen=True)
class Column:
    """A name, a kind and, for a nominal column, its levels: level i has the code i.

    `notation` says how a numeric column is written where that is not plain: dates, which are numbers of days since
    1970, or numbers with signs. The notation of a part of dates (`day.month`) says which part it is. `declared` says
    that the levels come from the file (ARFF, a categorical type) and not from its rows.
    """

    name: str
    kind: Kind
    levels: tuple[Label, ...] = ()
    declared: bool = False
    notation: str = ""

    @property
    def is_date(self) -> bool:
        """Return True if the numbers are days since 1970."""
        return self.notation in DATES

    @property
    def is_part(self) -> bool:
        """Return True if the column is a part of a column of dates, its `source`."""
        return self.notation in PARTS and self.name.endswith(f".{self.notation}")

    @property
    def source(self) -> str:
        """Return the column of dates that a part was made of.

        >>> Column("day.year", Kind.NUMERIC, notation="year").source
        'day'
        """
        return self.name.removesuffix(f".{self.notation}")

    @property
    def is_feature(self) -> bool:
        """Return True if learners read this column."""
        return self.kind in (Kind.NOMINAL, Kind.NUMERIC)


def sorted_levels(values: Iterable[Label]) -> tuple[Label, ...]:
    """Return observed levels in their one order: by the name of the type, then by value, never first-seen.

    >>> sorted_levels(["b", 10, "a", 2])
    (2, 10, 'a', 'b')

    Equal numbers are one level (1 and 1.0), but True and 1 are two.
    """
    levels: dict[tuple[bool, Label], Label] = {}
    for name, value in sorted({(type(value).__name__, value) for value in values}):
        levels.setdefault((name == "bool", value), value)
    return tuple(levels.values())


@dataclass(frozen=True)
class Schema:
    """The columns in the order of the table, and the name of the target."""

    columns: tuple[Column, ...]
    target: str | None = None

    __repr__ = short_repr

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if len(set(names)) < len(names):
            double, _ = Counter(names).most_common(1)[0]
            raise SchemaError(f"two columns are called {double!r}; every column needs a name of its own")
        if self.target is not None and self.target not in names:
            raise TargetNotFound(self.target, names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the names of all columns, the target's among them."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def features(self) -> tuple[Column, ...]:
        """Return the columns learners read: nominal and numeric ones but for the target."""
        return tuple(c for c in self.columns if c.is_feature and c.name != self.target)

    @cached_property
    def nominal(self) -> tuple[Column, ...]:
        """Return the nominal features, in table order: the columns of a batch's `codes`."""
        return tuple(column for column in self.features if column.kind is Kind.NOMINAL)

    @cached_property
    def numeric(self) -> tuple[Column, ...]:
        """Return the numeric features, in table order: the columns of a batch's `values`."""
        return tuple(column for column in self.features if column.kind is Kind.NUMERIC)

    @cached_property
    def parts(self) -> tuple[Column, ...]:
        """Return the features that are parts of dates."""
        return tuple(column for column in self.features if column.is_part)

    @property
    def texts(self) -> tuple[Column, ...]:
        """The columns of running text, in table order: the arrays of a batch's `texts`."""
        return tuple(c for c in self.columns if c.kind is Kind.TEXT and c.name != self.target)

    @property
    def classes(self) -> tuple[Label, ...]:
        """Return the labels of a nominal target, in schema order; empty without a nominal target."""
        return self[self.target].levels if self.target is not None else ()

    def __getitem__(self, name: str) -> Column:
        if name in self._by_name:
            return self._by_name[name]
        raise ColumnNotFound(name, self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    def with_column(self, column: Column) -> Schema:
        """Return the schema with the column of this name replaced; `with_columns` is for several."""
        return self.with_columns([column])

    def with_columns(self, columns: Iterable[Column]) -> Schema:
        """Return the schema with the columns of these names replaced."""
        new = {column.name: column for column in columns}
        return replace(self, columns=tuple(new.get(column.name, column) for column in self.columns))

    def with_parts(self, parts: Sequence[Column]) -> Schema:
        """Return the schema with these parts of dates, each behind its source."""
        columns = [c for own in self.columns for c in (own, *(part for part in parts if part.source == own.name))]
        return replace(self, columns=tuple(columns))

    def with_target(self, target: str | None) -> Schema:
        """Return the columns with another one (or none) to predict."""
        return replace(self, target=target)

    def select(self, names: Sequence[str]) -> Schema:
        """Return only the columns named, in that order; the target stays the target if it is among them."""
        return Schema(tuple(self[name] for name in names), self.target if self.target in names else None)
