"""Counts of a network whose structure needs no rows: columns alone, pairs of them, or the families that are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from crake.arrays import Codes, Floats
from crake.learners.bayes_network.rows import Variables
from crake.learners.semi_naive.counted import CutColumns
from crake.learners.structure.families import Parents
from crake.statistics import ClassCounts, FamilyCounts, PairCounts, Statistics, ValueCounts


class GatheredCounts:
    """The counts of nominal columns in statistics, as tables of families; `missing` is the learner's parameter."""

    def __init__(self, statistics: Statistics, missing: str) -> None:
        self.statistics = statistics
        self.variables = Variables.of(CutColumns.of(statistics.schema, ()))
        self.mode = self._modes()
        self.fills = missing == "mode"

    def _modes(self) -> Codes:
        """Return the most frequent level of each variable, the first of equals."""
        return np.array([int(np.argmax(self._alone(at))) for at in range(len(self.variables.columns))], np.int32)

    def _alone(self, at: int) -> Floats:
        """Return the weight of each level of a variable."""
        if at == self.variables.target:
            counts: Floats = self.statistics[ClassCounts].counts[0]
            return counts
        whole = self._with_missing((self._feature(at),))
        alone: Floats = whole.sum(axis=0)[1:]
        return alone

    def _feature(self, at: int) -> int:
        """Return the place of a variable among the nominal columns."""
        return self.variables.of_read[at]

    def _with_missing(self, features: tuple[int, ...]) -> Floats:
        """Return the table (classes, V + 1, …) of some columns, missing values first on each axis."""
        families = self.statistics.get(FamilyCounts)
        if families is not None:
            return _summed_table(families, features)
        if len(features) == 1:
            values = self.statistics[ValueCounts]
            return np.concatenate([values.missing(features[0])[0][:, None], values.table(features[0])[0]], axis=1)
        pair: Floats = self.statistics[PairCounts].with_missing(*features)[0]
        return pair

    def family(self, node: int, parents: Sequence[int]) -> Floats:
        """Return the counts of a family, an axis per parent and one for the variable itself.

        A row that lacks a value is left out, or has the most frequent one in its place.
        """
        variables, axes = self.variables, (*parents, node)
        inside = sorted((v for v in axes if v != variables.target), key=self._feature)
        table = self._of_class() if not inside else self._with_missing(tuple(map(self._feature, inside)))
        for axis, v in enumerate(inside, 1):
            table = self._known(table, axis, int(self.mode[v]))
        if variables.target not in axes:
            table = table.sum(axis=0)
            order = [inside.index(v) for v in axes]
        else:
            order = [0 if v == variables.target else 1 + inside.index(v) for v in axes]
        counts: Floats = np.ascontiguousarray(table.transpose(order))
        return counts

    def _of_class(self) -> Floats:
        counts: Floats = self.statistics[ClassCounts].counts[0]
        return counts

    def _known(self, table: Floats, axis: int, mode: int) -> Floats:
        """Return the table without the place for missing values on one axis; filled, they count as the mode."""
        missing, known = np.split(table, [1], axis=axis)
        if self.fills and missing.any():
            known = known.copy()
            place: list[Any] = [slice(None)] * known.ndim
            place[axis] = slice(mode, mode + 1)
            known[tuple(place)] += missing
        return known

    def families(self, parents: Parents) -> list[Floats]:
        """Return the counts of every family."""
        return [self.family(node, own) for node, own in enumerate(parents)]


def _summed_table(counts: FamilyCounts, features: tuple[int, ...]) -> Floats:
    """Return the table of a family, or of columns within one: the others are summed over."""
    for family in sorted(counts.families, key=len):
        if set(features) <= set(family):
            others = tuple(axis for axis, j in enumerate(family, 1) if j not in features)
            table: Floats = counts.table(family)[0].sum(axis=others)
            return table
    raise KeyError(features)
