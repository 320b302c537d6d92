"""The rows that a maintained tree keeps, by numbers that stay theirs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.errors import DataError
from crake.kernels.tree.arrays import Classes
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.training_rows import Layout, Training

NONE = np.zeros(0, np.int32)


@dataclass(frozen=True, eq=False)
class Room:
    """Arrays of cells and classes, of which the first places are filled."""

    values: Floats
    codes: Ints
    target: Classes

    @classmethod
    def of(cls, rows: Training, number: int) -> Room:
        """Return room for a number of rows, beginning with these."""
        room = cls(
            np.empty((number, rows.values.shape[1])),
            np.empty((len(rows.codes), number), np.int32),
            np.empty(number, rows.target.dtype),
        )
        room.values[: len(rows)], room.codes[:, : len(rows)], room.target[: len(rows)] = (
            rows.values, rows.codes, rows.target,
        )  # fmt: skip
        return room


@dataclass(frozen=True, eq=False)
class KeptRows:
    """All rows that came, also those that went: their cells and classes. Every row weighs 1 and has no gap."""

    all: Training
    room: Room

    @classmethod
    def of(cls, rows: Training) -> KeptRows:
        """Keep these rows; raise if one has a weight, a gap, or a value that was not there at first."""
        if len(rows.weights):
            raise DataError("a maintained tree keeps rows of weight 1, got weights; repeat heavy rows, or call fit")
        if np.isnan(rows.values).any() or (rows.codes < 0).any():
            raise DataError(
                "expected rows without gaps and with values that the first rows have, got missing or new values: leave "
                "those rows out, or fit a new tree on all rows"
            )
        return cls(replace(rows, shared=None), Room(rows.values, rows.codes, rows.target))

    def __len__(self) -> int:
        return len(self.all)

    def copied(self) -> KeptRows:
        """Return the rows in arrays of their own: those of X and y are the caller's, who may write into them."""
        room = Room.of(self.all, len(self))
        return KeptRows(replace(self.all, values=room.values, codes=room.codes, target=room.target), room)

    def joined(self, rows: KeptRows) -> KeptRows:
        """Return these rows with others behind them; there is room for more, so that few cells are copied."""
        one, other, total = self.all, rows.all, len(self) + len(rows)
        room = self.room if len(self.room.target) >= total else Room.of(one, total + total // 4)
        behind = slice(len(self), total)
        room.values[behind], room.codes[:, behind], room.target[behind] = other.values, other.codes, other.target
        kept = replace(one, values=room.values[:total], codes=room.codes[:, :total], target=room.target[:total])
        return KeptRows(kept, room)

    def training(self, rows: Ints) -> Training:
        """Return some rows with all columns, laid out for growing."""
        return self.all.take(rows.astype(np.intp))

    def counts(self, rows: Ints) -> Floats:
        """Return how many of some rows each class has."""
        return np.bincount(self.all.target[rows], minlength=self.all.classes).astype(np.float64)

    def cells(self, feature: int, rows: Ints) -> Floats | Ints:
        """Return the numbers, or the codes of names, that some rows have of a feature."""
        place = self.all.layout.place[feature]
        if self.all.layout.is_numeric[feature]:
            numbers: Floats = self.all.values[rows, place]
            return numbers
        codes: Ints = self.all.codes[place, rows]
        return codes

    def column(self, feature: int, cells: Floats | Ints, target: Classes) -> Training:
        """Return rows that have one column, given its cells and their classes."""
        layout, none = self.all.layout, np.zeros((0, len(target)), np.int32)
        alone = Layout(layout.is_numeric[[feature]], np.zeros(1, np.int32), layout.levels[[feature]])
        is_number = bool(layout.is_numeric[feature])
        values = cells.reshape(-1, 1).astype(np.float64, copy=False) if is_number else np.zeros((len(target), 0))
        codes = none if is_number else cells.reshape(1, -1).astype(np.int32, copy=False)
        return Training(values, codes, target, np.zeros(0), self.all.classes, alone)

    def copies(self, row: int, among: Ints) -> Ints:
        """Return those among some rows that equal a row in every cell and in the class."""
        own = self.all
        rows: Ints = among[own.target[among] == own.target[row]]
        for j in range(own.values.shape[1]):
            rows = rows[own.values[rows, j] == own.values[row, j]]
        for codes in own.codes:
            rows = rows[codes[rows] == codes[row]]
        return rows


def sorted_level(values: Floats, target: Classes, counts: Floats) -> Level:
    """Return the level of one node whose rows ascend by their only column."""
    every = np.arange(len(values), dtype=np.int32)
    rank = np.concatenate([[0], np.cumsum(values[1:] != values[:-1])]).astype(np.int32)
    size: Longs = np.array([len(values)], np.int64)
    return Level(
        start=np.zeros(1, np.int64),
        size=size,
        known=size.reshape(1, 1),
        is_mixed=np.array([[rank[0] != rank[-1]]]),
        counts=counts.reshape(1, -1),
        order=[every],
        rank=[rank],
        reach=[NONE],
        rows=every,
        row_of=every,
        target=target,
        weights=np.zeros(0),
        number=np.zeros(0, np.uint64),
    )
