"""The description of a table as data: what `crake describe` shows as text, HTML and JSON."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from crake.render import format_numbers as numbers
from crake.render.date_text import date_text
from crake.render.drawing.drawing import Drawing
from crake.render.relations import Relations
from crake.render.sentences import counted
from crake.render.short_repr import short_repr

FIRST_ROW = ("no header:", "the first row ")
"""Beginnings of notes on the first row of a file."""
NO_MEAN = 1e-6
"""A mean that is a smaller part of the range is shown as 0: a column that was standardised has such a one."""


@dataclass(frozen=True)
class LevelShare:
    """A level of a nominal column: its rows, and their share of the rows whose value is known."""

    level: str
    rows: int
    share: float


@dataclass(frozen=True)
class ColumnSummary:
    """One column. Numeric: minimum, mean, quartiles, maximum, histogram; nominal: the most frequent levels.

    `is_more_distinct`: there are more distinct values than were counted. `is_date`: the numbers are days since 1970.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    is_target: bool = False
    minimum: float | None = None
    mean: float | None = None
    maximum: float | None = None
    histogram: tuple[int, ...] = ()
    levels: tuple[LevelShare, ...] = ()
    is_more_distinct: bool = False
    is_date: bool = False
    lower_quartile: float | None = None
    median: float | None = None
    upper_quartile: float | None = None

    @property
    def spread(self) -> float | None:
        """Return the distance of the quartiles, within which the middle half of the rows lies."""
        if self.lower_quartile is None or self.upper_quartile is None:
            return None
        return self.upper_quartile - self.lower_quartile

    @property
    def median_text(self) -> str:
        """Return the median as it is shown, of dates to the minute."""
        if self.is_date and self.median is not None:
            return date_text(round(self.median * 1440) / 1440)
        return "" if self.median is None else numbers.summary(self.median)

    @property
    def shown_kind(self) -> str:
        """Return the kind as people call it.

        >>> ColumnSummary("day", "numeric", 0, 3, is_date=True).shown_kind
        'date'
        """
        return "date" if self.is_date else self.kind

    @property
    def lowest(self) -> str:
        """Return the smallest value as it is shown: a number or a date."""
        return self._value(self.minimum)

    @property
    def highest(self) -> str:
        """Return the largest value as it is shown."""
        return self._value(self.maximum)

    @property
    def middle(self) -> str:
        """Return the mean as it is shown: of dates to the minute, of days without a time to the day.

        >>> ColumnSummary("z", "numeric", 0, 9, minimum=-1.8, mean=-1.1e-8, maximum=2).middle
        '0'
        """
        if self.is_date and self.mean is not None:
            are_days = all(value is None or float(value).is_integer() for value in (self.minimum, self.maximum))
            return date_text(round(self.mean) if are_days else round(self.mean * 1440) / 1440)
        if self.mean is None or self.minimum is None or self.maximum is None:
            return ""
        is_none = abs(self.mean) < NO_MEAN * (self.maximum - self.minimum)
        return numbers.summary(0.0 if is_none else self.mean)

    def _value(self, value: float | None) -> str:
        if value is None:
            return ""
        return date_text(value) if self.is_date else numbers.quantity(value)

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON; `dates` holds the numbers of a column of dates as texts."""
        dates = {"minimum": self.lowest, "mean": self.middle, "median": self.median_text, "maximum": self.highest}
        return {**asdict(self), **({"dates": dates} if self.is_date and self.minimum is not None else {})}

    @property
    def without_values(self) -> str:
        """Return the reason why no value is shown.

        >>> ColumnSummary("x", "numeric", 3, 0).without_values, ColumnSummary("id", "ignored", 0, 0).without_values
        ('all missing', 'not read')
        >>> ColumnSummary("mail", "text", 0, 9).without_values
        'running text, not shown'
        """
        if self.kind == "ignored":
            return "not read"
        return "all missing" if self.distinct == 0 else "running text, not shown" if self.kind == "text" else ""


@dataclass(frozen=True)
class Description:
    """A table in numbers: its columns, the balance of its classes, and what to look at before learning."""

    name: str
    rows: int
    target: str | None
    columns: tuple[ColumnSummary, ...]
    classes: tuple[LevelShare, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...] = ()
    relations: Relations | None = None
    draw: Callable[[], tuple[Drawing, ...]] = field(default=tuple, repr=False, compare=False)
    """Histograms of the strongest columns by class, drawn when a page is made."""

    __repr__ = short_repr

    @property
    def early_notes(self) -> tuple[str, ...]:
        """Return the notes on the first row of the file, without which no other line can be understood."""
        return tuple(note for note in self.notes if note.startswith(FIRST_ROW))

    @property
    def further_notes(self) -> tuple[str, ...]:
        """Return the other notes; without a target one says how to get those of the last column that can be one."""
        rest = tuple(note for note in self.notes if not note.startswith(FIRST_ROW))
        able = [column for column in self.columns if self._can_be_target(column)]
        if self.target is not None or not able or len(self.columns) < 2:
            return rest
        return (*rest, f"--target {shlex.quote(able[-1].name)} shows what the other columns say about it")

    def _can_be_target(self, column: ColumnSummary) -> bool:
        """Return True if the column has two values, and names do not differ in every row."""
        differs = column.kind == "nominal" and column.distinct == self.rows - column.missing
        return column.kind in ("nominal", "numeric") and column.distinct > 1 and not differs

    @property
    def size(self) -> str:
        """Return the numbers of rows and columns, in words."""
        return f"{counted(self.rows, 'row')}, {counted(len(self.columns), 'column')}"

    def listed(self, most: int) -> tuple[ColumnSummary, ...]:
        """Return the first columns, and the target though it may be later."""
        return (*self.columns[:most], *(column for column in self.columns[most:] if column.is_target))

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON, under the schema name crake-describe/2; shares of missing values are added."""
        columns = [
            {**column.to_dict(), "missing_share": column.missing / self.rows if self.rows else 0.0}
            for column in self.columns
        ]
        document = {"schema": "crake-describe/2", **asdict(replace(self, draw=tuple)), "columns": columns}
        del document["draw"]
        return document

    def to_html(self) -> str:
        """Return a page of its own."""
        from crake.render.page import description_page  # noqa: PLC0415 (jinja2 only when asked for)

        return description_page(self)

    def __str__(self) -> str:
        from crake.render.text.description import description_text  # noqa: PLC0415 (rich only when asked for)

        return description_text(self).plain

    def _repr_html_(self) -> str:
        from crake.render.page import description_fragment  # noqa: PLC0415 (jinja2 only when asked for)

        return description_fragment(self)
