"""The hand calculation behind a number: steps a student would write on paper, and the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import floor, isfinite, log10


@dataclass(frozen=True)
class Step:
    """One line of a calculation: statement = formula = substitution = value; empty parts are left out."""

    statement: str
    formula: str = ""
    substitution: str = ""
    value: str = ""

    def __str__(self) -> str:
        parts = [part for part in (self.statement, self.formula, self.substitution, self.value) if part]
        # A value that stands in the substitution already is not said twice: P = 0.01, not P = 0.01 = 0.01.
        return " = ".join(part for at, part in enumerate(parts) if at == 0 or part != parts[at - 1])


@dataclass(frozen=True)
class Section:
    """Steps that belong together, under a heading; `lines` are printed as they are (a small table)."""

    heading: str
    steps: tuple[Step, ...] = ()
    lines: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)


@dataclass(frozen=True)
class Workings:
    """A worked calculation: a title, sections of steps, the answer by label, and remarks."""

    title: str
    sections: tuple[Section, ...]
    answer: tuple[tuple[str, float], ...]
    notes: tuple[str, ...] = ()

    def __getitem__(self, label: str) -> float:
        return dict(self.answer)[label]

    def __float__(self) -> float:
        """The answer, where there is just one."""
        ((_, value),) = self.answer
        return value

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps of all sections, in order."""
        return tuple(step for section in self.sections for step in section)

    def __str__(self) -> str:
        parts = [self.title]
        for section in self.sections:
            body = [*section.lines, *map(str, section.steps)]
            parts.append("\n".join([section.heading, *(f"  {line}" for line in body)]))
        if self.answer:
            parts.append("\n".join(["Answer", *(f"  {label}: {number(value)}" for label, value in self.answer)]))
        if self.notes:
            parts.append("\n".join(f"Note: {note}" for note in self.notes))
        return "\n\n".join(parts)


def number(value: float) -> str:
    """A number as people write it: four significant digits, whole numbers plain.

    >>> [number(value) for value in (0.0052910, 9, 0.2046, 1234.5, 3.2e-11)]
    ['0.005291', '9', '0.2046', '1234', '3.2e-11']

    What is not quite 1 does not look like 1.

    >>> number(0.9999973)
    '0.9999973'
    """
    if not isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    if 0.99995 <= value < 1:
        return f"{value:.{min(16, 1 - floor(log10(1 - value)))}f}"[:18]
    return f"{value:.4g}"


def fraction(above: float, below: float) -> str:
    """A quotient of counts, kept as the counts: 2/9, not 0.2222.

    >>> fraction(2, 9), fraction(0.5, 10), fraction(1 + 2/3, 4)
    ('2/9', '0.5/10', '1.667/4')
    """
    return f"{number(above)}/{number(below)}"


def exact(value: float) -> Fraction:
    """The float as the fraction with the smallest denominator that rounds to it: 0.1 is 1/10."""
    return Fraction(str(value))
