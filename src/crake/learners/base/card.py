"""The learner's card: its title, and how comparisons and searches use it. Stands on the class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

MOST_STEPS = 2e7
"""Classes² × levels up to which their orders are tried in every fold: beyond, a comparison would take minutes."""
MOST_SECONDS = 1.0
"""Processor seconds of one fit beyond which `compare` leaves a learner out: ten folds should not be waited for."""
LearnsFrom = Literal["rows", "scan", "statistics"]
"""A learner's appetite: rows in memory, scans of the rows one after another, or statistics of one scan."""


@dataclass(frozen=True)
class Shape:
    """The size of a table, as far as a learner's time depends on it; `levels` are those of each nominal column."""

    rows: int
    classes: int = 2
    numbers: int = 0
    levels: tuple[int, ...] = ()
    texts: int = 0

    @property
    def terms(self) -> int:
        """Numeric columns and levels: the columns of a matrix."""
        return self.numbers + sum(self.levels)

    @property
    def columns(self) -> int:
        """The number of columns."""
        return self.numbers + len(self.levels)


@dataclass(frozen=True, kw_only=True)
class Card:
    """The facts about a learner that others read from its class, so that nobody lists learners by name.

    Parameters
    ----------
    title : how reports name the learner.
    about : one line on what the learner is, for lists.
    model : what a person finds in a fitted model: "a tree", "weights with intervals".
    is_readable : True if a person can follow a prediction by reading the model.
    missing : what is done with a missing value when no parameter says otherwise.
    has_interactions : True if, with the default parameters, the effect of a column may depend on another column.
    probabilities : where the probabilities come from; "" for a regressor.
    time : the work of fitting.
    size : the tables that it can be fitted to, where they are neither those in memory nor scans of any size.
    is_baseline : True for a constant prediction, which others are measured against.
    is_compared : True if `compare` tries the learner when none are named.
    fewest_rows : `compare` tries the learner on tables of this many rows or more; of smaller tables it says nothing.
    most_rows : `compare` skips the learner on larger tables, since its time grows with their square; None: never.
    too_much : returns, for a table's shape, the reason why `compare` skips the learner, "" if it does not; None: never.
    seconds : returns, for a table's shape, the processor seconds that one fit is foreseen to take; `compare` skips the
        learner if they are too many, and says the sum before it starts; None: not foreseen.
    patience : seconds per cell of the table that a fit may take at least; on large tables all take long.
    many_rows : other kernels run on tables of at least this many rows; None: never.
    usual_grid : the values that `Tuned` tries when no grid is given, simplest first; None: it has none.
    """

    title: str
    about: str = ""
    model: str = ""
    is_readable: bool = True
    missing: str = ""
    has_interactions: bool = False
    probabilities: str = ""
    time: str = ""
    size: str = ""
    is_baseline: bool = False
    is_compared: bool = True
    fewest_rows: int = 0
    most_rows: int | None = None
    too_much: Callable[[Shape], str] | None = None
    seconds: Callable[[Shape], float] | None = None
    patience: float = 0.0
    many_rows: int | None = None
    usual_grid: Mapping[str, Sequence[Any]] | None = None

    def left_out(self, shape: Shape) -> str:
        """Return the reason why `compare` does not try the learner on a table of this shape; "" if it does."""
        if self.most_rows is not None and shape.rows > self.most_rows:
            return f"{shape.rows:,} rows (more than {self.most_rows:,})"
        if self.too_much is not None and (reason := self.too_much(shape)):
            return reason
        seconds = self.foreseen_seconds(shape)
        most = max(MOST_SECONDS, self.patience * shape.rows * shape.columns)
        return f"{shape.rows:,} rows (about {_rounded(seconds)} s a fit)" if seconds > most else ""

    def foreseen_seconds(self, shape: Shape) -> float:
        """Return the processor seconds that one fit is foreseen to take; 0 where they are not foreseen."""
        return 0.0 if self.seconds is None else self.seconds(shape)


def _rounded(seconds: float) -> str:
    """Return seconds with one digit that counts, or two.

    >>> _rounded(1.234), _rounded(47.1), _rounded(1234)
    ('1.2', '47', '1,200')
    """
    return f"{float(f'{seconds:.2g}'):,g}" if seconds < 1e15 else "many"


def many_classes_and_levels(shape: Shape) -> str:
    """Return the reason against learners that try the orders of a column's levels by the share of each class.

    >>> many_classes_and_levels(Shape(300, classes=299, levels=(299, 101)))
    '299 classes × 400 levels'
    """
    steps = shape.classes**2 * sum(shape.levels) if shape.classes > 2 else 0
    return f"{shape.classes:,} classes × {sum(shape.levels):,} levels" if steps > MOST_STEPS else ""


def card_of(learner: Any) -> Card | None:
    """Return the card of a learner's own class. A subclass needs its own card: it is another learner."""
    card: Card | None = vars(type(learner)).get("card")
    return card


def title_of(learner: Any) -> str:
    """Return the title of a learner in reports, with the parameters that differ from the defaults.

    >>> from crake.learners.naive_bayes import NaiveBayesClassifier
    >>> from crake.learners.tree.algorithms.cart_regressor import CARTRegressor
    >>> title_of(NaiveBayesClassifier(alpha=0)), title_of(CARTRegressor(max_depth=3))
    ('naive Bayes (alpha=0)', 'CART regression tree (max_depth=3)')
    """
    if hasattr(learner, "_title"):
        return str(learner._title())  # noqa: SLF001 (the hook of crake's estimators)
    return type(learner).__name__


def title_with_parameters(learner: Any) -> str:
    """Return the card's title and the parameters that differ from the defaults; without a card, the class name."""
    card = card_of(learner)
    if card is None:
        return type(learner).__name__
    standard = type(learner)().get_params(deep=False)
    changed = [f"{k}={v!r}" for k, v in learner.get_params(deep=False).items() if not _same(v, standard[k])]
    return f"{card.title} ({', '.join(changed)})" if changed else card.title


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and repr(one) == repr(other)
