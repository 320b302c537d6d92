"""A term: what one coefficient belongs to, and how it is called."""

from __future__ import annotations

from dataclasses import dataclass

from crake.table.schema import Label

INTERCEPT = "(intercept)"


@dataclass(frozen=True)
class Term:
    """A number, a level of a nominal column against its reference, "is missing" of a column, or the intercept.

    >>> str(Term("age")), str(Term("colour", "red")), str(Term("age", missing=True)), str(Term(""))
    ('age', 'colour = red', 'age missing', '(intercept)')
    """

    column: str
    level: Label | None = None
    missing: bool = False

    @property
    def is_intercept(self) -> bool:
        """True if the term belongs to no column."""
        return not self.column

    @property
    def is_number(self) -> bool:
        """True if the coefficient is multiplied by a number (the others by 0 or 1)."""
        return bool(self.column) and self.level is None and not self.missing

    def __str__(self) -> str:
        if self.is_intercept:
            return INTERCEPT
        if self.missing:
            return f"{self.column} missing"
        return self.column if self.level is None else f"{self.column} = {self.level}"
