"""The bins of the rows of a scan, in memory if they fit there, otherwise in mapped files.

The first scans find the cuts: one counts intervals of numbers, one reads the values of the few intervals that a cut may
lie in. Another turns rows into their bins, one byte for each cell, which boosting then reads as those of memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from crake.arrays import Flags, Floats
from crake.kernels.boosting.arrays import Bins
from crake.kernels.boosting.binning import bins_by_row
from crake.kernels.tree.scanned.intervals import STEPS
from crake.learners.ensemble.boosting.binning import TOGETHER, Binned, bins_of_counts
from crake.learners.ensemble.boosting.scanned.counts import Coding, ColumnCounts, Weigh
from crake.learners.ensemble.boosting.scanned.entries import Entries
from crake.learners.ensemble.boosting.scanned.rows import Check, RowsToBin
from crake.learners.ensemble.boosting.team import Team
from crake.learners.tree.growing.room import IN_MEMORY, Room
from crake.learners.tree.growing.training_rows import Layout
from crake.learners.tree.scanned.layout import changed
from crake.learners.tree.scanned.mapped_room import MappedRoom
from crake.table.schema import Schema

MOST, FEWEST = 16_384, 512
"""Intervals of a column."""
OF_INTERVAL, OF_GUIDE = 48, 4 * (STEPS + 1)
"""Bytes of an interval: its end, counts, ends of its values; and of the guide to those of a column."""
OF_VALUE = 64
"""Bytes of a value that is read from an interval, while values are sorted."""
OF_ROW = 28
"""Bytes of a row beside its bins: packed gradients, lists of rows, what is to be predicted."""
OF_SCORE = 16
"""Bytes of each score of a row, and its gradient."""
FILLED = 0.75
"""The part of the memory that rows may take beside bins in files, whose pages take some, too."""


@dataclass(frozen=True)
class Rooms:
    """Keep the bins of rows in one room, and the other arrays with an entry per row in another."""

    bins: Room
    rows: Room


@contextmanager
def rooms_for(rows: RowsToBin, outputs: int, beside: int, fixed: int) -> Iterator[Rooms]:
    """Make rooms: memory if all fits, files for the bins or for all arrays; raise if even that takes too much memory.

    `beside` bytes of a row, and `fixed` bytes, are in memory in any case.
    """
    number, budget = rows.number, rows.budget
    bins, others = 2 * len(rows.schema.features), OF_ROW + OF_SCORE * outputs
    what = f"boosting {number:,} rows"
    budget.check(beside * number + fixed, what)
    if number * (bins + others + beside) + fixed <= budget.free:
        yield Rooms(IN_MEMORY, IN_MEMORY)
        return
    with MappedRoom(budget.most, 1, rows.table.name) as room:
        fits = number * (others + beside) + fixed <= FILLED * budget.free
        yield Rooms(room, IN_MEMORY if fits else room)


def coding_of(rows: RowsToBin, weigh: Weigh, most: int, team: Team, *, is_weighted: bool) -> Coding:
    """Find the bins of all columns: those that all sorted values and counted levels would give."""
    numbers = rows.sample.shape[1]
    rows.budget.check(numbers * (OF_GUIDE + FEWEST * OF_INTERVAL), f"finding the bins of {numbers:,} numbers")
    fit = rows.budget.free // (4 * OF_INTERVAL * max(numbers, 1))
    counts = ColumnCounts.of_sample(rows.sample, rows.schema, min(MOST, max(FEWEST, fit)), most)
    if numbers or len(counts.names):
        rows.count(counts, weigh, team)
    entries = [counts.entries(k, is_weighted=is_weighted) for k in range(numbers)]
    while True:
        to_open = [each.to_open(most) for each in entries]
        columns = [k for k in range(numbers) if to_open[k].any()]
        if not columns:
            break
        columns = _that_fit(rows, entries, to_open, columns)
        is_alive = [_alive(counts, entries[k], to_open[k], k) for k in columns]
        found = rows.values_in(counts, is_alive, columns, weigh)
        for k, (values, weights) in zip(columns, found, strict=True):
            if len(values) != int(entries[k].rows[to_open[k]].sum()):
                raise changed(rows.table.name, is_longer=len(values) > int(entries[k].rows[to_open[k]].sum()))
            entries[k] = entries[k].opened(to_open[k], values, weights)
    return _coding(rows.schema, counts, [each.cuts(most) for each in entries], most)


def _that_fit(rows: RowsToBin, entries: list[Entries], to_open: list[Flags], columns: list[int]) -> list[int]:
    """Return the first columns whose values fit into memory together; raise if those of one do not."""
    needed = np.cumsum([OF_VALUE * int(entries[k].rows[to_open[k]].sum()) for k in columns])
    rows.budget.check(int(needed[0]), f"finding the bins of {rows.number:,} rows")
    return [
        k for k, size in zip(columns, needed.tolist(), strict=True) if size <= max(needed[0], rows.budget.free // 2)
    ]


def _alive(counts: ColumnCounts, entries: Entries, to_open: Flags, k: int) -> Flags:
    """Return the intervals of a column that are to be opened."""
    own = counts.intervals_of(k)
    is_alive = np.zeros(own.stop - own.start, bool)
    is_alive[entries.place[to_open]] = True
    return is_alive


def _coding(schema: Schema, counts: ColumnCounts, cuts: list[Floats], most: int) -> Coding:
    layout, names = Layout.of(schema), counts.names.tolist()
    cuts_of, bin_of = [np.zeros(0)] * len(layout), [np.zeros(0, np.uint8)] * len(layout)
    for a, j in enumerate(layout.place.tolist()):
        if layout.is_numeric[a]:
            cuts_of[a] = cuts[j]
        elif j in names:
            bin_of[a] = bins_of_counts(counts.levels_of(names.index(j)), most)
        else:
            bin_of[a] = np.arange(layout.levels[a], dtype=np.uint8)
    return Coding(layout, cuts_of, bin_of)


@dataclass(frozen=True, eq=False)
class LaidOut:
    """The bins of all rows, and what is to be predicted."""

    binned: Binned
    answer: NDArray[Any]


def laid_out(
    rows: RowsToBin, coding: Coding, rooms: Rooms, kind: DTypeLike, check: Check | None, team: Team
) -> LaidOut:
    """Turn all rows into bins, in one scan; `kind` is the type of what is to be predicted.

    `check` looks at all rows, if they must come in the order of a scan before.
    """
    number, name, features = rows.number, rows.table.name, len(coding.layout)
    columns: Bins = rooms.bins.empty((features, number), np.uint8)
    answers = rooms.rows.empty(number, kind)
    starts = range(0, features, TOGETHER)
    groups: list[Bins] = [rooms.bins.empty((number, min(TOGETHER, features - at)), np.uint8) for at in starts]
    filled = 0
    for answer, bins in rows.coded(coding, team, check):
        own = slice(filled, filled + len(answer))
        if own.stop > number:
            raise changed(name, is_longer=True)
        columns[:, own], answers[own] = bins, answer
        for at, group in zip(starts, groups, strict=True):
            bins_by_row(bins[at : at + TOGETHER], 0, len(answer), group[own])
        filled = own.stop
    if filled < number:
        raise changed(name, is_longer=False)
    binned = Binned(columns, groups, coding.cuts, coding.bin_of, ~coding.layout.is_numeric)
    return LaidOut(binned, answers)
