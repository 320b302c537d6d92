"""Relations of columns to the target as data: what `crake describe` and a report rank."""

from __future__ import annotations

from dataclasses import dataclass

from crake.render.leaderboard import Figure
from crake.render.plain_text import shown
from crake.render.sentences import counted

_OF_CLASSES = (
    (
        "bits: mutual information with the target, less what a shuffled column gives; numbers in 10 intervals at most, "
        "missing is a value"
    ),
    "1R: accuracy of one rule per value or interval, on rows that it had not learned (10-fold cross-validation)",
    "AUC: how well the numbers rank a class above the others; ↑ larger, ↓ smaller numbers speak for it",
)
_OF_NUMBERS = (
    (
        "variance: share of the target's variance between the column's values, or 10 intervals at most, less what a "
        "shuffled column gives"
    ),
    "R² alone: predicting the mean of each of them, on rows that were not learned (10-fold cross-validation)",
    "Spearman: correlation of the ranks of column and target; 0 where neither rises with the other",
)


@dataclass(frozen=True)
class Direction:
    """A class, and the AUC of a column's numbers for it; `is_lower` says that smaller numbers speak for it."""

    class_: str
    auc: Figure
    is_lower: bool

    @property
    def towards(self) -> str:
        """Return an arrow, up where larger numbers speak for the class, and the class."""
        return f"{'↓' if self.is_lower else '↑'} {shown(self.class_, 24)}"


@dataclass(frozen=True)
class ColumnRelation:
    """The relation of one column to the target.

    `strength` is mutual information in bits, for a numeric target the share of its variance, each less what a shuffled
    column gives, `by_chance`. `alone` is the accuracy of 1R, or the R² of a mean per group, on rows not learned.
    `order` is the AUC of the class that the numbers tell best, or Spearman's ρ; None for a nominal column.
    """

    column: str
    kind: str
    strength: Figure
    by_chance: float
    is_beyond_chance: bool
    alone: Figure | None = None
    order: Figure | None = None
    directions: tuple[Direction, ...] = ()

    @property
    def towards(self) -> str:
        """Return the class for which the AUC is, and which numbers speak for it."""
        return self.directions[0].towards if self.directions else ""


@dataclass(frozen=True)
class Relations:
    """The columns, the strongest first, and what the best constant prediction gives."""

    target: str
    is_numeric: bool
    rows: int
    columns: int
    beyond_chance: int
    constant: float
    constant_class: str
    ranked: tuple[ColumnRelation, ...]
    notes: tuple[str, ...] = ()

    @property
    def headings(self) -> tuple[str, str, str]:
        """Return the titles of strength, alone and order."""
        return ("variance", "R² alone", "Spearman") if self.is_numeric else ("bits", "1R", "AUC")

    @property
    def finding(self) -> str:
        """Return how many columns say more than chance would, and what a constant prediction gives."""
        text = f"{self._who()} more about it than chance does (Holm, 5 %)"
        if self.is_numeric:
            return f"{text}."
        return f"{text}. Always {shown(self.constant_class, 40)!r} is right in {100 * self.constant:.1f} %."

    def _who(self) -> str:
        if self.beyond_chance == 0:
            return f"No column of {self.columns:,} says" if self.columns > 1 else "The column does not say"
        if self.columns == 1:
            return "The column says"
        if self.columns == self.beyond_chance == 2:
            return "Both columns say"
        if self.beyond_chance == self.columns:
            return f"All {self.columns:,} columns say"
        says = "says" if self.beyond_chance == 1 else "say"
        return f"{self.beyond_chance:,} of {counted(self.columns, 'column')} {says}"

    @property
    def has_order(self) -> bool:
        """Return True if a ranked column is numeric."""
        return any(each.order is not None for each in self.ranked)

    @property
    def explanation(self) -> tuple[str, ...]:
        """Return what the figures are, one sentence each."""
        order = self.headings[2]
        sentences = _OF_NUMBERS if self.is_numeric else _OF_CLASSES
        return tuple(sentence for sentence in sentences if self.has_order or not sentence.startswith(order))
