"""Room for arrays with an entry per row: in memory, unless a table that does not fit there brings another kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from crake.arrays import Ints

SORTING = 52
"""Bytes a row while a column is sorted and divided among nodes."""
STEP = 1 << 20
"""Entries that are worked on at a time where an intermediate result would be as long as the array."""


class Room:
    """Makes arrays in memory."""

    sorted_at_once: int | None = None
    """Values of a column that may be sorted at a time; None stands for all."""

    def empty(self, shape: int | tuple[int, ...], kind: DTypeLike) -> NDArray[Any]:
        """Return an array whose entries are not set."""
        return np.empty(shape, kind)

    @property
    def is_memory(self) -> bool:
        """Return whether arrays are in memory as a whole."""
        return self.sorted_at_once is None

    def look(self) -> None:
        """Keep the limit of memory, where there is one, before a column is worked on."""

    def check_tree(self, nodes: int, size: int, in_room: int, open_rows: int) -> None:
        """Raise where memory is limited and a tree that grows leaves no room in it.

        Its nodes take `size` bytes so far, of which `in_room` are in arrays of this room; `open_rows` are in nodes that
        may be split.
        """

    def at(self, column: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
        """Return a few entries of an array of one dimension, far from each other.

        >>> Room().at(np.array([5, 6, 7]), np.array([2, 0]))
        array([7, 5])
        """
        entries: NDArray[Any] = column[rows]
        return entries

    def filled(self, entries: int, kind: DTypeLike, value: float) -> NDArray[Any]:
        """Return an array of one value.

        >>> Room().filled(2, np.int8, 1)
        array([1, 1], dtype=int8)
        """
        array = self.empty(entries, kind)
        array.fill(value)
        return array

    def every(self, entries: int) -> Ints:
        """Return the numbers from 0 on.

        >>> Room().every(3)
        array([0, 1, 2], dtype=int32)
        """
        array: Ints = self.empty(entries, np.int32)
        for begin in range(0, entries, STEP):
            end = min(begin + STEP, entries)
            array[begin:end] = np.arange(begin, end, dtype=np.int32)
        return array

    def copied(self, array: NDArray[Any], kind: DTypeLike | None = None) -> NDArray[Any]:
        """Return the same entries in an array of its own, of another type if one is given."""
        copy = self.empty(array.shape, array.dtype if kind is None else kind)
        copy[...] = array
        return copy

    def extended(self, array: NDArray[Any], more: int) -> NDArray[Any]:
        """Return the entries and as many zeros behind them.

        >>> Room().extended(np.array([7, 8]), 1)
        array([7, 8, 0])
        """
        longer = self.empty(len(array) + more, array.dtype)
        longer[: len(array)], longer[len(array) :] = array, 0
        return longer

    def entries_at(self, array: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
        """Return the entries at these places; a place behind the end is the last one, one below 0 is the first.

        >>> Room().entries_at(np.array([5, 6, 7]), np.array([2, 0, 9, -1]))
        array([7, 5, 7, 5])
        """
        found = self.empty((len(places), *array.shape[1:]), array.dtype)
        array.take(places, axis=0, out=found, mode="clip")
        return found


IN_MEMORY = Room()
