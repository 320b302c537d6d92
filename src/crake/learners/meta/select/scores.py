"""Scores of single columns: mutual information and Pearson's χ², each with the p-value of independence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats
from crake.metrics.dependence.grouping import Groups, cross_table, name_groups, number_groups
from crake.metrics.dependence.independence import chi_square, independence_p_values, pearson_p_values
from crake.metrics.dependence.mutual_information import plain_information, shuffled_information
from crake.metrics.significance.holm import holm
from crake.table.schema import Kind
from crake.table.table import Table

LEVEL = 0.05
"""Columns that are independent of the classes are kept with at most this chance, all columns together."""


@dataclass(frozen=True, eq=False)
class Scored:
    """One score and one p-value per column; `rank` orders them, the best first."""

    scores: Floats
    p_values: Floats
    rank: tuple[int, ...]

    def chosen(self, k: int | None) -> tuple[int, ...]:
        """Return the first k columns; without k those that say more than chance does (Holm), one at least."""
        if k is not None:
            return tuple(sorted(self.rank[:k]))
        adjusted = holm(self.p_values)
        return tuple(j for j in range(len(adjusted)) if adjusted[j] <= LEVEL) or self.rank[:1]


def by_information(table: Table) -> Scored:
    """Score by mutual information in bits; the rank takes off what a shuffled column gives.

    Numbers are cut into intervals of equally many rows, missing is a value of its own.
    """
    tables = cross_tables(table)
    plain, by_chance = (np.array([measure(each) for each in tables]) for measure in (plain_information, _by_chance))
    return Scored(plain, independence_p_values(tables, plain, by_chance), _ranked(plain - by_chance))


def by_chi_square(table: Table) -> Scored:
    """Score by Pearson's χ² = Σ (n − e)² / e of values and classes; the rank goes by its p-value, then by χ²."""
    tables = cross_tables(table)
    scores, p = np.array([chi_square(each) for each in tables]), pearson_p_values(tables)
    return Scored(scores, p, tuple(np.lexsort((np.arange(len(p)), -scores, p)).tolist()))


def cross_tables(table: Table) -> list[Floats]:
    """Return the rows of each value, or interval, and class for every feature."""
    classes, weights = table.target.astype(np.intp), table.weights
    return [
        cross_table(groups, classes, len(table.schema.classes), weights) for groups in column_groups(table, weights)
    ]


def column_groups(table: Table, weights: Floats | None) -> list[Groups]:
    """Return the group of each row by every feature: a level, an interval, or missing."""
    return [
        number_groups(np.asarray(table.column(column.name), np.float64), weights)
        if column.kind is Kind.NUMERIC
        else name_groups(np.asarray(table.column(column.name)), len(column.levels))
        for column in table.schema.features
    ]


def _ranked(scores: Floats) -> tuple[int, ...]:
    return tuple(np.argsort(-scores, kind="stable").tolist())


def _by_chance(counts: Floats) -> float:
    """Return what a shuffled column gives; weights that are no whole numbers count as the nearest."""
    return shuffled_information(np.rint(counts))
