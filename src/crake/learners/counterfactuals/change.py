"""Counterfactual changes of a row, nearest first, as text, HTML, Markdown, LaTeX and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

from crake.render.date_text import date_text
from crake.render.grid import Grid
from crake.render.plain_text import minus, shown
from crake.render.short_repr import short_repr
from crake.render.workings import Section, Workings, number
from crake.table.schema import Label

LISTED = 12
"""Columns without a change that are named before the rest is counted."""


@dataclass(frozen=True)
class Change:
    """One value changed: `column` from `now` to `to`, and the answer is `answer` with this probability.

    For a number `boundary` is where the answer changes and `to` a short number just beyond it. `others` are further
    levels of a nominal column that change the answer too. `distance`: the share of the column's range, or 1 for
    another level.
    """

    column: str
    now: str
    to: Label
    answer: Label
    probability: float
    distance: float
    boundary: float | None = None
    others: tuple[Label, ...] = ()
    is_beyond: bool = False
    """True if the number lies outside its column's range: a value that perhaps no row has."""
    is_date: bool = False
    """True if the number is of days since 1970."""

    @property
    def written(self) -> str:
        """Return the new value as text: a number, or a level and how many others would do."""
        if self.boundary is not None:
            if self.is_date:
                return date_text(float(self.to))
            to = minus(f"{self.to:.12g}")
            is_next = float(self.to) != self.boundary and to == minus(f"{self.boundary:.12g}")
            return f"just {'above' if float(self.to) > self.boundary else 'below'} {to}" if is_next else to
        more = f" (or {len(self.others)} more)" if len(self.others) > 1 else ""
        return f"{self.to} or {self.others[0]}" if len(self.others) == 1 else f"{self.to}{more}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "column": self.column,
            "now": self.now,
            "to": self.to,
            "answer": self.answer,
            "probability": self.probability,
            "distance": self.distance if isfinite(self.distance) else None,
            "boundary": self.boundary,
            "others": list(self.others),
            "is_beyond": self.is_beyond,
        }


@dataclass(frozen=True)
class Changes:
    """For each column the smallest change of its value alone that changes the answer; `unmoved` has none.

    `measured` says how distances are measured, `searched` how columns were searched where no formula gives the change;
    `is_exact` is true where none had to be.
    """

    answer: Label
    probability: float
    found: tuple[Change, ...]
    unmoved: tuple[str, ...]
    measured: str
    searched: str = ""

    __repr__ = short_repr

    @property
    def is_exact(self) -> bool:
        """True if no nearer change of one value exists."""
        return not self.searched

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Any:
        return iter(self.found)

    def workings(self) -> Workings:
        """Return the changes as a table with notes, to be shown after a hand calculation."""
        answer = shown(self.answer, 40)
        title = f"What would change it: the answer is {answer}, P = {number(self.probability)}"
        in_range = [change for change in self.found if not change.is_beyond]
        if not in_range:
            where = " within its range" if self.found else ""
            does = "makes" if self.is_exact else "was found that makes"
            section = Section(f"No single change of a value{where} {does} it another than {answer}")
            return Workings(title, (section,), (), tuple(self._notes()))
        rows = tuple(
            (
                shown(change.column, 40),
                shown(change.now, 30),
                shown(change.written, 40),
                shown(change.answer, 30),
                number(change.probability),
                f"{change.distance:.3g}",
            )
            for change in in_range
        )
        grid = Grid("", ("column", "now", "change to", "answer then", "P", "distance"), rows)
        heading = "The smallest change of one value that makes it another, nearest first"
        return Workings(title, (Section(heading, tables=(grid,)),), (), tuple(self._notes()))

    def _notes(self) -> list[str]:
        notes = [f"distance: {self.measured}"] if self.found else []
        beyond = [f"{shown(change.column, 40)} {change.written}" for change in self.found if change.is_beyond]
        if beyond:
            more = f" and {len(beyond) - LISTED} more" if len(beyond) > LISTED else ""
            notes.append(f"only beyond its range would do: {', '.join(beyond[:LISTED])}{more}")
        if self.unmoved and self.found:
            named = ", ".join(shown(name, 40) for name in self.unmoved[:LISTED])
            more = f" and {len(self.unmoved) - LISTED} more" if len(self.unmoved) > LISTED else ""
            notes.append(f"no change of one of these alone does it: {named}{more}")
        return [*notes, self.searched] if self.searched else notes

    def __str__(self) -> str:
        return str(self.workings())

    def _repr_html_(self) -> str:
        return self.workings().html()

    def markdown(self, level: int = 3) -> str:
        """Markdown; headings start at this level."""
        return self.workings().markdown(level)

    def latex(self) -> str:
        """LaTeX to put into a document that uses amsmath."""
        return self.workings().latex()

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "answer": self.answer,
            "probability": self.probability,
            "changes": [change.to_dict() for change in self.found],
            "unmoved": list(self.unmoved),
            "distance": self.measured,
            "is_exact": self.is_exact,
            "searched": self.searched or None,
        }
