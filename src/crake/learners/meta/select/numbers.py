"""Choosing columns for a numeric target: its numbers as intervals, and how well a regressor predicts rows held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.learners.base.scikit_learn import clone
from crake.learners.meta.select.scores import Scored, column_groups
from crake.metrics.dependence.correlation import ratio_p
from crake.metrics.dependence.grouping import number_groups
from crake.plans import Assignment
from crake.table.schema import Column, Kind, Schema
from crake.table.table import Table


def has_numbers(table: Table) -> bool:
    """Return True if the target of a table is numeric."""
    target = table.schema.target
    return target is not None and table.schema[target].kind is Kind.NUMERIC


def numbers_of(table: Table) -> Floats:
    """Return the target of each row as a number."""
    return np.ascontiguousarray(table.column(table.schema.target or ""), np.float64)


def as_intervals(table: Table) -> Table:
    """Return the table with at most five intervals of its numeric target, of equally many rows, as classes.

    Two of the intervals into which other columns are cut make one: the tables of counts stay small enough for
    their tests.

    >>> import pyarrow as pa
    >>> from crake.table.convert.frames import from_frame
    >>> rows = from_frame(pa.table({"x": range(200), "y": [k / 7 for k in range(200)]}), target="y", numeric=["y"])
    >>> np.bincount(as_intervals(rows).target).tolist()
    [40, 40, 40, 40, 40]
    """
    name = table.schema.target or ""
    groups = number_groups(numbers_of(table), table.weights)
    wide = groups // 2 if int(groups.max(initial=0)) > 4 else groups
    levels, codes = np.unique(wide, return_inverse=True)
    column = Column(name, Kind.NOMINAL, tuple(f"part {level + 1}" for level in levels.tolist()))
    columns = tuple(column if each.name == name else each for each in table.schema.columns)
    source = table.require_memory().with_columns({name: codes.astype(np.int32)})
    return replace(table, schema=Schema(columns, name), source=source)


def with_means(scored: Scored, table: Table) -> Scored:
    """Return the scores with p-values that also test the means of a numeric target, which five intervals may miss.

    Of two tests the smaller p counts, twice (Bonferroni).
    """
    y, groups = numbers_of(table), column_groups(table, table.weights)
    by_means = np.array([ratio_p(each, y, table.weights) for each in groups])
    return replace(scored, p_values=np.minimum(1.0, 2 * np.minimum(scored.p_values, by_means)))


def r_squared_held_out(learner: Any, table: Table, rounds: Sequence[Assignment]) -> float:
    """Return 1 − Σ w(y − ŷ)² / Σ w(y − ȳ)² over the rows that the rounds hold out."""
    y = numbers_of(table)
    weights = np.ones(len(y)) if table.weights is None else table.weights
    errors = total = 0.0
    for assignment in rounds:
        for train, test in assignment.splits():
            model = clone(learner).fit(table.take(train))
            w, actual = weights[test], y[test]
            errors += float(np.dot(w, (actual - model.answers(table, test)) ** 2))
            total += float(np.dot(w, (actual - np.average(y, weights=weights)) ** 2))
    return 1 - errors / total if total > 0 else 0.0
