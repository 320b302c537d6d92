"""The rows that naive Bayes gets wrong when it learns from the other folds: what decides whether a node is split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from crake.arrays import Codes, Floats, Ints, Longs, Rows
from crake.kernels.bayes.posterior import NominalLogs, NormalLogs, posteriors
from crake.learners.base.most_probable import most_probable
from crake.learners.base.weka.java_random import JavaRandom
from crake.learners.discretize.cuts import mdl_cuts
from crake.learners.discretize.intervals import interval_of
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.pruning.j48 import brought_together
from crake.statistics.distinct_counts import DistinctValues
from crake.table.schema import Column, Kind, Schema


class Dealer(Protocol):
    """Deals rows to folds; several calls go on from one another."""

    def dealt(self, target: Ints) -> Rows:
        """Return the order in which the rows are dealt out, one to each fold in turn."""


class StratifiedDealer:
    """Rows in a random order, class by class."""

    def __init__(self, seed: int) -> None:
        self.bits = np.random.PCG64(seed)

    def dealt(self, target: Ints) -> Rows:
        """Return the order in which the rows are dealt out."""
        return np.lexsort((self.bits.random_raw(len(target)), target))


class JavaDealer:
    """Rows shuffled and brought together by class as WEKA does it with this seed."""

    def __init__(self, seed: int) -> None:
        self.generator = JavaRandom(seed)

    def dealt(self, target: Ints) -> Rows:
        """Return the order in which the rows are dealt out."""
        order = self.generator.shuffled(len(target))
        return np.asarray(order[brought_together(target[order].astype(np.intp))])


def in_turn(order: Rows, folds: int) -> list[Rows]:
    """Return the rows of each fold if they are dealt out in this order.

    >>> [fold.tolist() for fold in in_turn(np.array([4, 0, 2, 1, 3]), 2)]
    [[4, 2, 3], [0, 1]]
    """
    return [order[fold::folds] for fold in range(folds)]


def in_blocks(rows: int, folds: int) -> list[Rows]:
    """Return the rows of each fold: consecutive blocks, the first ones a row longer.

    >>> [fold.tolist() for fold in in_blocks(7, 3)]
    [[0, 1, 2], [3, 4], [5, 6]]
    """
    return np.array_split(np.arange(rows), folds)


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Rows as naive Bayes counts them: codes[row, column] of names and of intervals, the class and the weight."""

    codes: Codes
    sizes: Longs
    target: Ints
    weights: Floats
    classes: int

    @classmethod
    def of(
        cls, training: Training, schema: Schema, rows: Rows, weights: Floats, *, by_row: bool = False
    ) -> CountedRows:
        """Return these rows; numbers are cut by MDL, by these rows alone, and one without a cut is left out.

        With `by_row` a cut is told apart from as many others as there are rows, as WEKA does, and not by their weight.
        """
        target = training.target[rows].astype(np.int32)
        columns: list[Codes] = []
        sizes: list[int] = []
        for column, place in zip(schema.features, training.layout.place.tolist(), strict=True):
            if column.kind is Kind.NOMINAL:
                columns += [training.codes[place, rows]] if column.levels else []
                sizes += [len(column.levels)] if column.levels else []
                continue
            values = training.values[rows, place]
            cuts = (
                cuts_by_row(values, target, weights, training.classes)
                if by_row
                else _cuts(column, schema, values, target, weights)
            )
            columns += [interval_of(values, cuts)] if len(cuts) else []
            sizes += [len(cuts) + 1] if len(cuts) else []
        codes = np.column_stack(columns) if columns else np.zeros((len(rows), 0), np.int32)
        codes = np.ascontiguousarray(codes, np.int32)
        return cls(codes, np.array(sizes, np.int64), target, weights, training.classes)

    def errors(self, folds: list[Rows], alpha: float) -> float:
        """Return the weight of the rows that the model of the other folds gets wrong."""
        offsets = self.offsets
        fold = np.empty(len(self.target), np.int32)
        for each, rows in enumerate(folds):
            fold[rows] = each
        counts = self._counts(fold, len(folds), offsets)
        of_class = np.bincount(fold * self.classes + self.target, self.weights, len(folds) * self.classes)
        of_class = of_class.reshape(len(folds), self.classes)
        whole, whole_class = counts.sum(axis=0), of_class.sum(axis=0)
        wrong = 0.0
        for each, rows in enumerate(folds):
            if len(rows):
                # Fractional weights that are taken away again leave a rounding behind.
                left = np.maximum(whole - counts[each], 0.0), np.maximum(whole_class - of_class[each], 0.0)
                answers = most_probable(self._posteriors(rows, *self._shares(*left, offsets, alpha), offsets))
                wrong += float(self.weights[rows][answers != self.target[rows]].sum())
        return wrong

    @property
    def offsets(self) -> Longs:
        """The first cell of each column, and the number of all cells."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    def _counts(self, fold: Ints, folds: int, offsets: Longs) -> Floats:
        """Return the weight by fold, class and cell of all columns."""
        cells = int(offsets[-1])
        counts = np.zeros(folds * self.classes * cells)
        line = (fold.astype(np.int64) * self.classes + self.target) * cells
        for j, codes in enumerate(self.codes.T):
            known = np.flatnonzero(codes >= 0)
            counts += np.bincount(line[known] + offsets[j] + codes[known], self.weights[known], len(counts))
        return counts.reshape(folds, self.classes, cells)

    def _shares(self, counts: Floats, of_class: Floats, offsets: Longs, alpha: float) -> tuple[Floats, Floats]:
        """Return (n + 1)/(Σ n + K) of each class, and (n + α)/(Σ n + α·V) of the levels of each column, by class."""
        prior = (of_class + 1.0) / (of_class.sum() + self.classes)
        known = np.add.reduceat(counts, offsets[:-1], axis=1) if len(self.sizes) else np.zeros((self.classes, 0))
        below = np.repeat(known + alpha * self.sizes, self.sizes, axis=1)
        equal = np.repeat(1.0 / self.sizes, self.sizes)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(below > 0, (counts + alpha) / below, equal)
        return prior, np.ascontiguousarray(shares.T)

    def _posteriors(self, rows: Rows, prior: Floats, table: Floats, offsets: Longs) -> Floats:
        """Return P(class given row) by sums of logarithms."""
        none = np.zeros((0, self.classes))
        normal, no_values = NormalLogs(np.zeros(0), none, none, none, none, 0.0), np.zeros((len(self.codes), 0))
        with np.errstate(divide="ignore"):
            nominal = NominalLogs(offsets, np.log(table))
        return posteriors(rows, self.codes, no_values, prior, np.log(prior), nominal, normal)


def _cuts(column: Column, schema: Schema, values: Floats, target: Ints, weights: Floats) -> Floats:
    cells = DistinctValues.empty(column, schema.classes).add(values, target, np.zeros(len(target), np.int32), weights)
    return mdl_cuts(cells.value, cells.class_, cells.count, len(schema.classes))


def cuts_by_row(values: Floats, target: Ints, weights: Floats, classes: int) -> Floats:
    """Return the cuts by MDL, each told apart from as many others as there are rows."""
    order = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    return mdl_cuts(values[order], target[order], weights[order], classes, encoding="cells")
