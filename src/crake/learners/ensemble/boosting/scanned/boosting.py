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
from crake.learners.ensemble.boosting.scanned.laid_out import Rooms, coding_of, laid_out, rooms_for
from crake.learners.ensemble.boosting.scanned.rows import RowsToBin
from crake.learners.ensemble.boosting.settings import Settings
from crake.learners.ensemble.boosting.team import Team, team
from crake.learners.ensemble.boosting.weights import RowWeights, factor_of, whole_parts

PLAIN, IN_ORDER, NUMBERS = 16, 64, 48
"""Bytes of a row in memory in any case, more of them with weights or rows held out, and to predict numbers."""
NO_WEIGHTS = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Wanted:
    """What a learner asks for: its loss of what is to be predicted, of type `kind`, and which rows it holds out.

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
class InOrder:
    """What is to be predicted, row by row, the rows held out, all weights, and those to learn by."""

    answer: NDArray[Any]
    is_tested: Flags
    weights: Floats
    own: RowWeights

    def weigh(self, cells: Cells) -> Longs:
        """Return the whole weights of some rows."""
        return self.own.whole[cells.start : cells.start + len(cells)]


def boost_scan(rows: RowsToBin, settings: Settings, wanted: Wanted) -> Boosted:
    """Return the trees of all rows."""
    if wanted.held_out is not None and not rows.has_numbers:
        raise DataError(
            f"the rows of {rows.table.name} have no numbers, by which n_iter_no_change holds rows out; expected "
            "n_iter_no_change=None; or take a sample, table.sample(100_000)"
        )
    in_order = IN_ORDER if rows.is_weighted or wanted.has_factors or wanted.held_out else 0
    beside = PLAIN + in_order + (0 if rows.place is None else NUMBERS)
    fixed = int(bytes_of_sums(settings, rows.number))
    with team() as several, rooms_for(rows, wanted.outputs, beside, fixed) as rooms:
        return _boosted(rows, settings, wanted, rooms, several)


def _boosted(rows: RowsToBin, settings: Settings, wanted: Wanted, rooms: Rooms, several: Team) -> Boosted:
    in_order = _in_order(rows, wanted) if wanted.held_out is not None or rows.is_weighted else None
    is_weighted = wanted.has_factors if in_order is None else bool(len(in_order.own.whole))
    weigh = _weigh(rows, wanted) if in_order is None else in_order.weigh
    coding = coding_of(rows, weigh, settings.max_bins, several, is_weighted=is_weighted)
    expected = None if in_order is None else in_order.answer
    laid = laid_out(rows, coding, rooms, wanted.kind, expected, several)
    if in_order is None:
        own = RowWeights.of(wanted.factors[laid.answer.astype(np.int32)] if is_weighted else None, rows.number)
        parts = Parts(rooms.rows.every(rows.number), np.zeros(0, np.int32), np.zeros(0))
    else:
        own, every = in_order.own, np.arange(rows.number, dtype=np.int32)
        tested = in_order.is_tested
        parts = Parts(every[~tested], every[tested], in_order.weights[tested])
    return boost(laid.binned, wanted.loss(laid.answer), own, parts, settings, several, rooms.rows)


def _weigh(rows: RowsToBin, wanted: Wanted) -> Weigh:
    """Return the weights of rows that weigh as their class does."""
    if not wanted.has_factors:
        return ClassWeights(NO_WEIGHTS)
    pairs = zip(wanted.factors.tolist(), wanted.counts.tolist(), strict=True)
    total = float(sum(Fraction(factor) * int(count) for factor, count in pairs))
    return ClassWeights(whole_parts(wanted.factors * factor_of(total, rows.number)))


def _in_order(rows: RowsToBin, wanted: Wanted) -> InOrder:
    """Scan the rows for what follows from their numbers: which are held out, and what they weigh."""
    answer = np.empty(rows.number, np.int32 if rows.place is None else np.float64)
    weights = np.ones(rows.number)
    for cells in rows.cells():
        own = slice(cells.start, cells.start + len(cells))
        answer[own] = cells.answer
        weights[own] = cells.weights * wanted.factors[cells.answer] if len(wanted.factors) else cells.weights
    is_tested = np.zeros(rows.number, bool)
    if wanted.held_out is not None:
        is_tested[wanted.held_out(answer)] = True
    return InOrder(answer, is_tested, weights, RowWeights.of(np.where(is_tested, 0.0, weights), rows.number))
