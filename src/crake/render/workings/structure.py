"""A worked calculation as data: steps with what they were read from, in sections, tables beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from crake.render.grid import Grid
from crake.render.short_repr import short_repr
from crake.render.workings import document, html, latex, markdown, text

Part = TypeVar("Part")


@dataclass(frozen=True)
class Step:
    """One line of a calculation: statement = formula = substitution = value; empty parts are left out.

    `source` says what the numbers put in were read from: "9 of 14 rows are Yes".

    >>> print(Step("P(Yes)", "n(Yes) / n", "9/14", "0.6429", "9 of 14 rows are Yes"))
    P(Yes) = n(Yes) / n = 9/14 = 0.6429
    """

    statement: str
    formula: str = ""
    substitution: str = ""
    value: str = ""
    source: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the texts between the equal signs."""
        parts = [self.statement, *(part for part in (self.formula, self.substitution, self.value) if part)]
        # A value that stands in the substitution already is not said twice: P = 0.01, not P = 0.01 = 0.01.
        return tuple(part for at, part in enumerate(parts) if at == 0 or part != parts[at - 1])

    def __str__(self) -> str:
        return " = ".join(self.parts)


@dataclass(frozen=True)
class Section:
    """Steps that belong together, under a heading; tables and sentences (`lines`) come before the steps."""

    heading: str
    steps: tuple[Step, ...] = ()
    lines: tuple[str, ...] = ()
    tables: tuple[Grid, ...] = ()

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def shortened(self, most: int) -> Section:
        """Return at most `most` steps, sentences and rows of a table: the first ones and the last,
        the rest counted.
        """
        return replace(
            self,
            steps=_ends(self.steps, most, lambda left: Step(f"… {left} more steps …")),
            lines=_ends(self.lines, most, lambda left: f"… {left} more lines …"),
            tables=tuple(_short_table(table, most) for table in self.tables),
        )


@dataclass(frozen=True)
class Workings:
    """A worked calculation: a title, sections of steps, the answer by label, and remarks.

    >>> half = Workings("A coin", (Section("Count", (Step("P(head)", "", "1/2", "0.5", "one side of two"),)),), ())
    >>> print(half)
    A coin
    <BLANKLINE>
    Count
      P(head) = 1/2 = 0.5  ← one side of two
    """

    title: str
    sections: tuple[Section, ...]
    answer: tuple[tuple[str, float], ...]
    notes: tuple[str, ...] = ()

    __repr__ = short_repr

    def __getitem__(self, label: str) -> float:
        return dict(self.answer)[label]

    def __float__(self) -> float:
        """Return the answer, where there is just one."""
        ((_, value),) = self.answer
        return value

    @property
    def steps(self) -> tuple[Step, ...]:
        """Return all steps of all sections, in order."""
        return tuple(step for section in self.sections for step in section)

    def shortened(self, most: int = 12) -> Workings:
        """Return at most `most` sections, and in each `most` steps and rows of a table; what is left out is counted.

        >>> long = Workings("Many", (Section("Steps", tuple(Step(str(n)) for n in range(100))),), ())
        >>> [str(step) for step in long.shortened(3).steps]
        ['0', '1', '… 97 more steps …', '99']
        """
        most = max(most, 2)
        sections = _ends(self.sections, most, lambda left: Section(f"… {left} more parts of the calculation …"))
        return replace(self, sections=tuple(section.shortened(most) for section in sections))

    def __str__(self) -> str:
        return text.as_text(self)

    def markdown(self, level: int = 3) -> str:
        """Markdown; headings start at this level."""
        return markdown.as_markdown(self, level)

    def latex(self) -> str:
        """LaTeX to put into a document that uses amsmath."""
        return latex.as_latex(self)

    def html(self, level: int = 3) -> str:
        """HTML to put into a page; headings start at this level."""
        return html.as_html(self, level)

    def _repr_html_(self) -> str:
        return self.html()

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        return document.as_document(self)


def _ends(parts: tuple[Part, ...], most: int, counted: Any) -> tuple[Part, ...]:
    """Return the first ones and the last, and between them how many were left out."""
    if len(parts) <= most:
        return parts
    return (*parts[: most - 1], counted(len(parts) - most), parts[-1])


def _short_table(table: Grid, most: int) -> Grid:
    blank = ("",) * (len(table.header) - 1)
    return replace(table, rows=_ends(table.rows, most, lambda left: (f"… {left} more rows …", *blank)))
