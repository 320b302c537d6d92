"""Rows as a network sees them: the places of the numbers within their modes, then one block of 0 and 1 per column."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Flags, Longs
from crake.balance.cells import Cells
from crake.balance.gan.modes import Modes

Matrix = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Encoding:
    """A number is its place within a mode and a block with one 1 for the mode; a name is a block of its levels.

    `levels` has the codes that occur in each nominal column, MISSING among them.
    """

    modes: tuple[Modes, ...]
    levels: tuple[Codes, ...]

    @classmethod
    def of(cls, cells: Cells) -> Encoding:
        """Return the encoding of these rows."""
        modes = tuple(Modes.of(cells.values[:, j]) for j in range(cells.values.shape[1]))
        return cls(modes, tuple(np.unique(cells.codes[:, j]) for j in range(cells.codes.shape[1])))

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """The widths of the blocks: numbers first, then names."""
        return (*(modes.width for modes in self.modes), *(len(levels) for levels in self.levels))

    @cached_property
    def starts(self) -> Longs:
        """The place of each block behind the places of the numbers."""
        return np.concatenate([[0], np.cumsum(self.widths)[:-1]]).astype(np.int64)

    @property
    def columns(self) -> int:
        """The number of columns of the encoded matrix."""
        return len(self.modes) + sum(self.widths)

    @cached_property
    def padded(self) -> tuple[Longs, Flags, Longs]:
        """Blocks as rows of a rectangle, for one softmax over all: where each cell comes from, and whether it is one.

        The last array leads back: the cell of the rectangle that each column of the blocks lies in.
        """
        widest = max(self.widths)
        cell = np.arange(widest)
        is_there = cell < np.array(self.widths)[:, None]
        source = np.where(is_there, self.starts[:, None] + cell, 0)
        return source, is_there, np.flatnonzero(is_there.ravel()).astype(np.int64)

    def encoded(self, cells: Cells, generator: np.random.Generator) -> Matrix:
        """Return rows as a matrix."""
        matrix = np.zeros((len(cells), self.columns), np.float32)
        blocks, every = matrix[:, len(self.modes) :], np.arange(len(cells))
        for j, modes in enumerate(self.modes):
            mode, matrix[:, j] = modes.encoded(cells.values[:, j], generator)
            blocks[every, self.starts[j] + mode] = 1
        for j, levels in enumerate(self.levels):
            place = np.searchsorted(levels, cells.codes[:, j])
            blocks[every, self.starts[len(self.modes) + j] + place] = 1
        return matrix

    def decoded(self, matrix: Matrix) -> Cells:
        """Return rows from a matrix: the largest cell of each block says the mode or the name.

        >>> cells = Cells(np.array([[1.0], [2.0], [np.nan]]), np.array([[0], [3], [-1]], np.int32))
        >>> encoding = Encoding.of(cells)
        >>> encoding.widths
        (3, 3)
        >>> again = encoding.decoded(encoding.encoded(cells, np.random.default_rng(1)))
        >>> again.values.ravel().tolist(), again.codes.ravel().tolist()
        ([1.0, 2.0, nan], [0, 3, -1])
        """
        numbers, blocks = len(self.modes), matrix[:, len(self.modes) :]
        chosen = [
            blocks[:, start : start + width].argmax(axis=1)
            for start, width in zip(self.starts.tolist(), self.widths, strict=True)
        ]
        values, codes = np.empty((len(matrix), numbers)), np.empty((len(matrix), len(self.levels)), np.int32)
        for j, modes in enumerate(self.modes):
            values[:, j] = modes.decoded(chosen[j], matrix[:, j].astype(np.float64))
        for j, levels in enumerate(self.levels):
            codes[:, j] = levels[chosen[numbers + j]]
        return Cells(values, codes)
