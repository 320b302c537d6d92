"""Boosting the rows of a scan: weights, rows held out, bins; then the rounds of rows in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from crake.arrays import Flags, Floats, Longs, Rows
from crake.errors import DataError
from crake.learners.ensemble.boosting.growing import bytes_of_sums
from crake.learners.ensemble.boosting.losses import Loss
from crake.learners.ensemble.boosting.rounds import Boosted, Parts, boost
from crake.learners.ensemble.boosting.scanned.counts import Cells, ClassWeights, Weigh
from crake.learners.ensemble.boosting.scanned.layout import Rooms, coding_of, laid_out, rooms_for
from crake.learners.ensemble.boosting.scanned.rows import RowsToBin
from crake.learners.ensemble.boosting.settings import Settings
from crake.learners.ensemble.boosting.team import Team, team
from crake.learners.ensemble.boosting.weights import RowWeights, factor_of, whole_parts
from crake.learners.tree.scanned.layout import changed, of_classes

PLAIN, NUMBERED, NUMBERS = 16, 64, 48
"""Bytes of a row in memory in any case, more of them with weights or rows held out, and to predict numbers."""
NO_WEIGHTS = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Objective:
    """Say what a learner minimises: its loss of the target, an array of type `kind`, and the rows it holds out.

    `factors` are weights of classes, `counts` the rows of each; none where numbers are predicted.
    """

    loss: Callable[[NDArray[Any]], Loss]
    kind: DTypeLike
    outputs: int
    held_out: Callable[[NDArray[Any]], Rows] | None
    factors: Floats
    counts: Floats

    @property
    def has_factors(self) -> bool:
        """Return whether rows of different classes weigh differently."""
        return bool((self.factors[self.counts > 0] != 1.0).any())


@dataclass(frozen=True, eq=False)
class NumberedRows:
    """Keep a hash of every row, the rows held out, all weights, and the weights to learn by."""

    name: str
    hashes: NDArray[np.uint32]
    is_tested: Flags
    weights: Floats
    own: RowWeights

    def check(self, cells: Cells) -> None:
        """Raise if some rows are others than those with their numbers: those have other weights."""
        own = slice(cells.start, cells.start + len(cells))
        if own.stop > len(self.hashes):
            raise changed(self.name, is_longer=True)
        if not np.array_equal(self.hashes[own], cells.hashes):
            raise DataError(
                f"{self.name} gave its rows in another order than in the scan before: expected the same order, as rows "
                "have weights or are held out; read a copy of it, or a sample, table.sample(100_000)"
            )

    def weigh(self, cells: Cells) -> Longs:
        """Return the whole weights of some rows."""
        self.check(cells)
        return self.own.whole[cells.start : cells.start + len(cells)]


def boost_scan(rows: RowsToBin, settings: Settings, objective: Objective) -> Boosted:
    """Return the trees of all rows."""
    if objective.held_out is not None and not rows.has_numbers:
        raise DataError(
            f"the rows of {rows.table.name} have no numbers, by which n_iter_no_change holds rows out; expected "
            "n_iter_no_change=None; or take a sample, table.sample(100_000)"
        )
    numbered = NUMBERED if rows.is_weighted or objective.has_factors or objective.held_out else 0
    beside = PLAIN + numbered + (0 if rows.place is None else NUMBERS)
    fixed = int(bytes_of_sums(settings, rows.number))
    with team() as several, rooms_for(rows, objective.outputs, beside, fixed) as rooms:
        return _boosted(rows, settings, objective, rooms, several)


def _boosted(rows: RowsToBin, settings: Settings, objective: Objective, rooms: Rooms, several: Team) -> Boosted:
    numbered = _numbered(rows, objective) if objective.held_out is not None or rows.is_weighted else None
    is_weighted = objective.has_factors if numbered is None else bool(len(numbered.own.whole))
    weigh = _weigh(rows, objective) if numbered is None else numbered.weigh
    coding = coding_of(rows, weigh, settings.max_bins, several, is_weighted=is_weighted)
    laid = laid_out(rows, coding, rooms, objective.kind, None if numbered is None else numbered.check, several)
    if numbered is None:
        own = RowWeights.of(objective.factors[laid.answer.astype(np.int32)] if is_weighted else None, rows.number)
        parts = Parts(rooms.rows.every(rows.number), np.zeros(0, np.int32), np.zeros(0))
    else:
        own, every = numbered.own, np.arange(rows.number, dtype=np.int32)
        tested = numbered.is_tested
        parts = Parts(every[~tested], every[tested], numbered.weights[tested])
    return boost(laid.binned, objective.loss(laid.answer), own, parts, settings, several, rooms.rows)


def _weigh(rows: RowsToBin, objective: Objective) -> Weigh:
    """Return the weights of rows that weigh as their class does."""
    if not objective.has_factors:
        return ClassWeights(NO_WEIGHTS)
    of_classes(np.minimum(objective.counts, 1.0), objective.factors)
    pairs = zip(objective.factors.tolist(), objective.counts.tolist(), strict=True)
    total = float(sum(Fraction(factor) * int(count) for factor, count in pairs))
    return ClassWeights(whole_parts(objective.factors * factor_of(total, rows.number)))


def _numbered(rows: RowsToBin, objective: Objective) -> NumberedRows:
    """Scan the rows for what follows from their numbers: which are held out, and what they weigh."""
    answer = np.empty(rows.number, np.int32 if rows.place is None else np.float64)
    weights, hashes, number = np.ones(rows.number), np.empty(rows.number, np.uint32), 0
    for cells in rows.cells():
        own = slice(cells.start, cells.start + len(cells))
        number = own.stop
        if number > rows.number:
            break
        answer[own], hashes[own] = cells.answer, cells.hashes
        weights[own] = cells.weights
        if len(objective.factors):
            weights[own] = of_classes(cells.weights, objective.factors[cells.answer])
    if number != rows.number:
        raise changed(rows.table.name, is_longer=number > rows.number)
    is_tested = np.zeros(rows.number, bool)
    if objective.held_out is not None:
        is_tested[objective.held_out(answer)] = True
    learned = RowWeights.of(np.where(is_tested, 0.0, weights), rows.number)
    return NumberedRows(rows.table.name, hashes, is_tested, weights, learned)
