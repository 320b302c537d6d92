"""The relation of every column to the target: strength, the column alone, and the order of its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.errors import DataError
from crake.evaluation.columns.one_rule import mean_of_groups, rule_of_names, rule_of_numbers
from crake.metrics.dependence.correlation import correlation_ratio, ratio_p, spearman
from crake.metrics.dependence.distributions import chi_square_above, student_quantile
from crake.metrics.dependence.grouping import Groups, cross_table, name_groups, number_groups
from crake.metrics.dependence.independence import independence_p_values
from crake.metrics.dependence.mutual_information import (
    mutual_information,
    plain_information,
    shuffled_information,
)
from crake.metrics.dependence.rank_test import rank_statistic
from crake.metrics.estimate import Estimate, Interval
from crake.metrics.intervals import logit_interval, normal_quantile
from crake.metrics.ranking.auc import area
from crake.metrics.ranking.delong import delong_degrees, delong_parts, newcombe
from crake.metrics.ranking.ranking import Ranking, rank_scores
from crake.metrics.significance.holm import holm
from crake.plans.assignment import Assignment
from crake.plans.cross_validation import CrossValidation
from crake.render.leaderboard import Figure
from crake.render.relations import ColumnRelation, Direction, Relations
from crake.table.schema import Column, Kind
from crake.table.table import Table

MOST_RANKED = 100
"""Columns that are ranked with intervals, 1R and AUC; of more columns the strongest."""
MOST_CLASSES = 20
"""Classes for which the AUC is computed; of more the most frequent."""
MOST_ROWS, MOST_CELLS = 100_000, 10_000_000
"""Rows, and cells, that are looked at; of more a random sample."""
LEVEL, SEED = 0.05, 1


def relations_of(table: Table, ranked: int = MOST_RANKED) -> Relations | None:
    """Return the columns of a table in memory, the strongest first; None without a target to relate to.

    >>> from crake.table.examples import load
    >>> [(each.column, round(each.strength.value, 3)) for each in relations_of(load("golf")).ranked]
    [('outlook', 0.117), ('humidity', 0.092), ('windy', 0.0), ('temp', 0.0)]
    """
    name, features = table.schema.target, table.schema.features
    if name is None or not features or table.schema[name].kind not in (Kind.NOMINAL, Kind.NUMERIC):
        return None
    sample, notes = _sampled(table)
    target = Target(sample, name)
    try:
        folds = target.folds()
    except DataError:  # one class, or too few rows: nothing to relate to
        return None
    strength, p = target.strengths(features)
    first = np.lexsort((p, -strength))[:ranked].tolist()
    beyond = np.asarray(holm(p)) <= LEVEL
    if len(first) < len(features):
        notes = (
            *notes,
            f"the {len(first)} strongest of {len(features):,} columns; chance makes some of them strong",
        )
    return Relations(
        target=name,
        is_numeric=target.is_numeric,
        rows=len(target.rows),
        columns=len(features),
        beyond_chance=int(beyond.sum()),
        constant=target.constant,
        constant_class=target.constant_class,
        ranked=tuple(target.relation(features[j], folds, bool(beyond[j])) for j in first),
        notes=notes,
    )


class Target:
    """The target on the rows where it is known, and what is measured against it."""

    def __init__(self, table: Table, name: str) -> None:
        column, values = table.schema[name], np.ascontiguousarray(table.column(name))
        self.table, self.is_numeric = table, column.kind is Kind.NUMERIC
        known = ~np.isnan(values) if self.is_numeric else values >= 0
        if table.weights is not None:
            known &= table.weights > 0
        self.rows = np.flatnonzero(known)
        self.y = values[known]
        self.classes = column.levels
        self.counts = np.zeros(0) if self.is_numeric else np.bincount(self.y, minlength=len(self.classes))

    @property
    def constant(self) -> float:
        """The accuracy of the most frequent class; 0, an R², for a numeric target."""
        return 0.0 if self.is_numeric else float(self.counts.max() / max(1, len(self.y)))

    @property
    def constant_class(self) -> str:
        """The most frequent class."""
        return "" if self.is_numeric else str(self.classes[int(self.counts.argmax())])

    def folds(self) -> Assignment:
        """Return the ten folds in which a column alone is tested; raise DataError where none can be made."""
        codes = np.zeros(len(self.y), np.intp) if self.is_numeric else self.y.astype(np.intp)
        return CrossValidation(10, stratified=not self.is_numeric).assign(codes, self.classes)

    def strengths(self, columns: Sequence[Column]) -> tuple[Floats, Floats]:
        """Return the strength of every column, and the p-value of independence."""
        if self.is_numeric:
            grouped = [self._groups(column) for column in columns]
            strength = np.array([correlation_ratio(groups, self.y).value or 0.0 for groups in grouped])
            return strength, np.array([ratio_p(groups, self.y) for groups in grouped])
        tables = [cross_table(self._groups(column), self.y, len(self.classes)) for column in columns]
        plain, by_chance = np.array([_information(each) for each in tables]).T
        p = independence_p_values(tables, plain, by_chance)
        return np.maximum(0.0, plain - by_chance), self._with_ranks(columns, p)

    def _with_ranks(self, columns: Sequence[Column], p: Floats) -> Floats:
        """Return the p-values where numbers are also tested by their ranks, which see what ten intervals miss.

        Of two tests the smaller p counts, twice (Bonferroni).
        """
        numeric = [j for j, column in enumerate(columns) if column.kind is Kind.NUMERIC]
        tests = [rank_statistic(self._values(columns[j]), self.y) for j in numeric]
        H, degrees = np.array(tests).reshape(-1, 2).T
        by_ranks = np.where(degrees > 0, chi_square_above(H, np.maximum(degrees, 1)), 1.0)
        together = p.copy()
        together[numeric] = np.minimum(1.0, 2 * np.minimum(p[numeric], by_ranks))
        return together

    def relation(self, column: Column, folds: Assignment, is_beyond_chance: bool) -> ColumnRelation:
        """Return all figures of a column."""
        groups = self._groups(column)
        about: dict[str, Any] = {"is_beyond_chance": is_beyond_chance}
        numbers = self._values(column) if column.kind is Kind.NUMERIC else None
        if self.is_numeric:
            strength = correlation_ratio(groups, self.y)
            sizes = np.count_nonzero(np.bincount(groups))
            about["by_chance"] = (sizes - 1) / max(1, len(self.y) - 1)
            about["alone"] = figure(mean_of_groups(groups, self.y, folds))
            if numbers is not None:
                known = ~np.isnan(numbers)
                about["order"] = figure(spearman(numbers[known], self.y[known]))
        else:
            counts = cross_table(groups, self.y, len(self.classes))
            strength, about["by_chance"] = mutual_information(counts), shuffled_information(counts)
            number = len(self.classes)
            if numbers is None:
                about["alone"] = figure(rule_of_names(groups, self.y, number, folds))
            else:
                about["alone"] = figure(rule_of_numbers(numbers, self.y, number, folds))
                about["directions"] = self._directions(numbers)
                about["order"] = about["directions"][0].auc if about["directions"] else None
        return ColumnRelation(column.name, column.kind.value, figure(strength), **about)

    def _directions(self, numbers: Floats) -> tuple[Direction, ...]:
        """Return the AUC for each class against the others, the farthest from ½ first; of two classes for one.

        The class is chosen among several, so each interval has a level that holds for all of them together.
        """
        known = ~np.isnan(numbers)
        counts = np.bincount(self.y[known], minlength=len(self.classes))
        present: Sequence[int] = [int(k) for k in np.argsort(-counts, kind="stable")[:MOST_CLASSES] if counts[k]]
        if len(present) < 2:
            return ()
        present = sorted(present)[1:] if len(present) == 2 else sorted(present)
        level = 1 - LEVEL / len(present)
        directions = [
            _direction(str(self.classes[k]), *_auc(rank_scores(self.y[known] == k, numbers[known]), level))
            for k in present
        ]
        return tuple(sorted(directions, key=lambda each: -(each.auc.value or 0.0)))

    def _values(self, column: Column) -> Any:
        values = np.ascontiguousarray(self.table.column(column.name))
        return values if len(self.rows) == len(values) else values[self.rows]

    def _groups(self, column: Column) -> Groups:
        if column.kind is Kind.NUMERIC:
            return number_groups(self._values(column))
        return name_groups(self._values(column), len(column.levels))


def figure(estimate: Estimate) -> Figure:
    """Return an estimate as data for showing."""
    return Figure(estimate.value, estimate.low, estimate.high, estimate.reason)


def _information(counts: Floats) -> tuple[float, float]:
    return plain_information(counts), shuffled_information(counts)


def _auc(ranking: Ranking, level: float) -> tuple[float, Interval]:
    """Return the AUC with the interval of `delong`, made without SciPy."""
    A, parts = area(ranking), delong_parts(ranking)
    if parts is None or sum(parts) == 0 or not 0 < A < 1:
        return A, newcombe(A, ranking.positives, ranking.negatives, level)
    ratio = student_quantile(delong_degrees(ranking, *parts), level) / normal_quantile(level)
    return A, logit_interval(A, sum(parts) * ratio**2, level)


def _direction(class_: str, auc: float, interval: Interval) -> Direction:
    """Return the AUC as ½ or more: that of smaller numbers where they speak for the class."""
    if auc >= 0.5:
        return Direction(class_, Figure(auc, *interval), is_lower=False)
    return Direction(class_, Figure(1 - auc, 1 - interval[1], 1 - interval[0]), is_lower=True)


def _sampled(table: Table) -> tuple[Table, tuple[str, ...]]:
    rows = min(MOST_ROWS, max(1000, MOST_CELLS // len(table.schema.features)))
    if len(table) <= rows:
        return table, ()
    sample = table.sample(rows, SEED)
    return sample, (f"relations are those of a random sample of {len(sample):,} rows, seed {SEED}",)
