"""The base of learners that read the counts of two columns together: AODE and TAN."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Self

import numpy as np

from crake.arrays import Floats
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.state import State, StateReader
from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.learners.semi_naive.counted import CountedColumns, counted
from crake.learners.semi_naive.dependences import dependence_grid
from crake.learners.semi_naive.state import counted_of, counted_state
from crake.render.grid import Grid
from crake.statistics import ClassCounts, DistinctRows, PairCounts, Statistics, ValueCounts
from crake.table.schema import Column
from crake.table.table import Table


class PairwiseClassifier(StatisticsClassifier):
    """A classifier of the counts of two columns together, by class; numbers are cut by MDL first.

    A table of nominal columns is counted. One with numbers is kept as its distinct rows, because where a number is cut
    depends on all rows: so rows can be added and taken away, and each fold has cuts of its own.
    A learner implements `_fit_counts`, which reads `counts_`.
    """

    stored_statistics = (ClassCounts, ValueCounts, PairCounts, DistinctRows)

    counts_: CountedColumns
    class_count_: Floats

    def _estimate(self, statistics: Statistics) -> None:
        self._count(counted(statistics))
        self._fit_counts()

    def folds_together(self, table: Table, statistics: Statistics) -> bool:
        """Return True if every column is nominal: then no fold has cuts of its own, and all read the same codes."""
        del statistics
        return not table.schema.numeric and bool(table.schema.nominal)

    def estimate_folds(self, statistics: Statistics, groups: Sequence[int]) -> list[Self]:
        """Return the model of each fold."""
        return [copy.copy(self).estimate(statistics.without(group)) for group in groups]

    def _count(self, counts: CountedColumns) -> None:
        self.counts_ = counts
        self.class_count_ = counts.class_count

    def _fit_counts(self) -> None:
        """Estimate the model from `counts_`."""
        raise NotImplementedError

    def state(self) -> State:
        """Return the cuts, and the counts of the columns so cut; never the rows."""
        return {**TableClassifier.state(self), **counted_state(self.counts_)}

    def restore(self, reader: StateReader) -> Self:
        """Take back the model. Rows can be added only if all columns are nominal: the values of numbers are gone."""
        TableClassifier.restore(self, reader)
        counts = counted_of(reader, self.schema_)
        if self.schema_.numeric:
            parts = {ClassCounts.name: counts.statistics[ClassCounts]}
            self._take(Statistics(self.schema_, parts))
        else:
            self._take(counts.statistics)
        self._count(counts)
        self._restore_model(reader)
        return self

    def _restore_model(self, reader: StateReader) -> None:
        """Take back what a file holds beside the counts, or estimate it from them."""
        del reader
        self._fit_counts()

    def dependences(self, most: int = 20) -> Grid:
        """Return the pairs of columns that say most of each other within the classes, in bits."""
        check_is_fitted(self)
        return dependence_grid(self, most)

    def _cut_points(self, column: Column) -> Floats:
        return np.asarray(self.counts_.cuts[self.schema_.numeric.index(column)])
