"""Correlation-based selection: columns that go with the class and not with each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.discretize.discretizer import Discretizer
from crake.learners.discretize.intervals import interval_of
from crake.metrics.dependence.grouping import Groups, cross_table, name_groups
from crake.metrics.dependence.mutual_information import plain_information
from crake.table.schema import Kind
from crake.table.table import Table

MOST_COLUMNS = 300
"""Columns that the search looks at; of more those that go best with the class."""
STALE = 5
"""Subsets that are extended without finding a better one, before the search ends."""
LEAST_GAIN = 1e-5

Subset = tuple[int, ...]


def symmetrical_uncertainty(table: Floats) -> float:
    """Return 2 I(X; Y) / (H(X) + H(Y)) of a table of counts: 0 for independent columns, 1 for copies.

    >>> round(symmetrical_uncertainty(np.array([[3.0, 2], [4, 0], [2, 3]])), 3)    # golf: outlook and play
    0.196

    Hall (2000), Correlation-based feature selection for discrete and numeric class machine learning.
    """
    bits = _entropy(table.sum(axis=0)) + _entropy(table.sum(axis=1))
    return 2 * plain_information(table) / bits if bits > 0 else 0.0


def _entropy(counts: Floats) -> float:
    p = counts / (float(counts.sum()) or 1.0)
    return float(-(p[p > 0] * np.log2(p[p > 0])).sum())


@dataclass(frozen=True, eq=False)
class Correlations:
    """Symmetrical uncertainties: of each column with the class, and of pairs of columns when they are asked for."""

    of_class: Floats
    groups: Sequence[Groups]
    weights: Floats | None = None
    _rows: dict[int, Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Table) -> Correlations:
        """Return those of a table; numbers are cut by description length, which tells apart as many cuts as there are.

        WEKA cuts them in the same way ("better encoding").
        """
        groups, weights = _groups(table), table.weights
        classes, number = table.target.astype(np.intp), len(table.schema.classes)
        of_class = [symmetrical_uncertainty(cross_table(each, classes, number, weights)) for each in groups]
        return cls(np.array(of_class), groups, weights)

    @cached_property
    def searched(self) -> NDArray[np.intp]:
        """The columns that the search looks at, those first that go best with the class."""
        return np.argsort(-self.of_class, kind="stable")[:MOST_COLUMNS]

    def between(self, j: int) -> Floats:
        """Return the uncertainty of column j with every column that is searched; NaN with others."""
        if j not in self._rows:
            levels, row = int(self.groups[j].max(initial=0)) + 1, np.full(len(self.groups), np.nan)
            for i in self.searched:
                row[i] = symmetrical_uncertainty(cross_table(self.groups[i], self.groups[j], levels, self.weights))
            self._rows[j] = row
        return self._rows[j]

    def merit(self, subset: Subset) -> float:
        """Return k·r_cf / √(k + k(k − 1)·r_ff), r the mean uncertainty with the class and between the k columns.

        >>> alone = Correlations(np.array([0.5, 0.2]), [np.array([0, 1]), np.array([0, 0])])
        >>> alone.merit((0,)), alone.merit(())
        (0.5, 0.0)
        """
        pairs = sum(float(self.between(i)[j]) for at, i in enumerate(subset) for j in subset[at + 1 :])
        return _merit(float(self.of_class[list(subset)].sum()), pairs, len(subset))


def _merit(with_class: float, pairs: float, k: int) -> float:
    return with_class / math.sqrt(k + 2 * pairs) if k else 0.0


def best_subset(correlations: Correlations, k: int | None = None) -> Subset:
    """Return the columns that a best-first search finds, adding one column at a time; k columns at most.

    The best subset that was not extended yet is extended next. The search ends when 5 extensions in a row have found
    no better one. Of equals the first column is taken.
    """
    order = correlations.searched
    best: Subset = (int(order[0]),)
    best_merit = -1.0
    waiting: list[tuple[float, Subset, float, float]] = [(0.0, (), 0.0, 0.0)]
    extended: set[frozenset[int]] = set()
    stale = 0
    while waiting and stale < STALE:
        waiting.sort(key=lambda node: -node[0])
        _, subset, with_class, pairs = waiting.pop(0)
        if k is not None and len(subset) >= k:
            stale += 1
            continue
        is_better = False
        between = sum((correlations.between(i) for i in subset), np.zeros(len(correlations.of_class)))
        for j in sorted(int(each) for each in order if each not in subset):
            longer = (*subset, j)
            if frozenset(longer) in extended:
                continue
            extended.add(frozenset(longer))
            sums = with_class + float(correlations.of_class[j]), pairs + float(between[j])
            merit = _merit(*sums, len(longer))
            waiting.append((merit, longer, *sums))
            if merit > best_merit + LEAST_GAIN:
                best, best_merit, is_better = longer, merit, True
        stale = 0 if is_better else stale + 1
    return tuple(sorted(best))


def forward(value_of: Callable[[Subset], float], columns: Sequence[int], k: int | None = None) -> Subset:
    """Add the column that raises the value most, until none does; one column at least, k at most.

    >>> forward(lambda subset: len({1, 3} & set(subset)) - 0.1 * len(subset), range(4))
    (1, 3)
    """
    chosen: Subset = ()
    best = -math.inf
    while len(chosen) < (len(columns) if k is None else k):
        values = {j: value_of(tuple(sorted((*chosen, j)))) for j in columns if j not in chosen}
        if not values:
            break
        first = max(values, key=lambda j: values[j])
        if chosen and not values[first] > best + 1e-12:
            break
        chosen, best = (*chosen, first), values[first]
    return tuple(sorted(chosen))


def _groups(table: Table) -> list[Groups]:
    cuts = Discretizer(encoding="midpoints").fit(table).cuts_ if table.schema.numeric else {}
    groups = []
    for column in table.schema.features:
        values = np.asarray(table.column(column.name))
        if column.kind is Kind.NUMERIC:
            values, levels = interval_of(values.astype(np.float64), cuts[column.name]), len(cuts[column.name]) + 1
        else:
            levels = len(column.levels)
        groups.append(name_groups(values, levels))
    return groups
