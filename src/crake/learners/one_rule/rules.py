"""The rules of one attribute: for each value, or interval of values, the class it answers and its errors."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.discretize.holte_buckets import holte_buckets
from crake.render.grid import Grid
from crake.render.workings import fraction
from crake.statistics.distinct_counts import DistinctValues
from crake.statistics.value_counts import ValueCounts
from crake.table.notation import value_text
from crake.table.schema import Column, Label


@dataclass(frozen=True)
class AttributeRules:
    """One branch a level (nominal) or interval (numeric), then one for missing values if there were any.

    `counts` has shape (branches, classes). For a numeric column branch b holds cuts[b − 1] ≤ x < cuts[b].
    `has_missing` says that the last branch is that of missing values.
    """

    column: Column
    classes: tuple[Label, ...]
    counts: Floats
    cuts: Floats
    has_missing: bool

    @property
    def answers(self) -> NDArray[np.intp]:
        """The majority class of each branch; ties go to the first class of the schema."""
        answers: NDArray[np.intp] = np.argmax(self.counts, axis=1)
        return answers

    @property
    def ties(self) -> NDArray[np.bool_]:
        """True for branches in which another class is as frequent as the predicted one."""
        ties: NDArray[np.bool_] = np.sum(self.counts == self.counts.max(axis=1, keepdims=True), axis=1) > 1
        return ties

    @property
    def branch_errors(self) -> Floats:
        """The weight of the rows of each branch that are not of its majority class."""
        errors: Floats = self.counts.sum(axis=1) - self.counts.max(axis=1)
        return errors

    @property
    def errors(self) -> float:
        """The errors of all branches."""
        return float(self.branch_errors.sum())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the branches: a level, an interval, or "missing"."""
        missing = ("missing",) if self.has_missing else ()
        if self.column.levels:
            return (*(str(level) for level in self.column.levels), *missing)
        return (*_intervals(self.cuts, len(self.counts) - len(missing), self.column), *missing)

    def grid(self) -> Grid:
        """Return the rule table of the lectures: value → class, errors; an asterisk marks a tie."""
        rows = [
            (
                f"{name} → {self.classes[answer]}{'*' if tie else ''}",
                fraction(errors, counts.sum()),
            )
            for name, answer, tie, errors, counts in zip(
                self.names, self.answers, self.ties, self.branch_errors, self.counts, strict=True
            )
            if counts.sum() > 0
        ]
        total = fraction(self.errors, self.counts.sum())
        return Grid(self.column.name, ("rule", "errors"), (*rows, ("total", total)))


def nominal_rules(values: ValueCounts, column: int) -> AttributeRules:
    """Return one branch per level of a nominal column."""
    table, missing = values.table(column)[0].T, values.missing(column)[0]
    return _with_missing(values.columns[column], values.classes, table, np.zeros(0), missing)


def numeric_rules(distinct: DistinctValues, minimum: float) -> AttributeRules:
    """Return one branch per bucket of a numeric column."""
    cells = (distinct.value, distinct.class_, distinct.count)
    cuts, counts = holte_buckets(*cells, len(distinct.classes), float(minimum))
    return _with_missing(distinct.column, distinct.classes, counts, cuts, distinct.missing[0])


def _with_missing(
    column: Column, classes: tuple[Label, ...], counts: Floats, cuts: Floats, missing: Floats
) -> AttributeRules:
    has_missing = bool(missing.sum() > 0)
    branches = np.vstack([counts, missing]) if has_missing else np.ascontiguousarray(counts)
    return AttributeRules(column, classes, branches, cuts, has_missing)


def _intervals(cuts: Floats, branches: int, column: Column) -> list[str]:
    """Return < 2.45, 2.45 … 4.75, ≥ 4.75; of a column of dates the days.

    >>> from crake.table.schema import Kind
    >>> age = Column("age", Kind.NUMERIC)
    >>> _intervals(np.array([2.45, 4.75]), 3, age)
    ['< 2.45', '2.45 … 4.75', '≥ 4.75']
    >>> _intervals(np.zeros(0), 1, age)
    ['any value']
    """
    if branches <= 1:
        return ["any value"] * branches
    texts = [value_text(column, float(cut), f"{cut:.7g}") for cut in cuts]
    inner = [f"{low} … {high}" for low, high in pairwise(texts)]
    return [f"< {texts[0]}", *inner, f"≥ {texts[-1]}"]
