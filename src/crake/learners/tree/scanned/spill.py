"""Rows of small nodes, fetched in one scan: kept in memory, or written to files without names.

Nothing is left of such a file however the process ends.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Longs
from crake.errors import DataError
from crake.learners.tree.scanned.budget import megabytes_above
from crake.learners.tree.scanned.rows import ScannedRows
from crake.learners.tree.tree import Tree
from crake.table.batch import Batch
from crake.table.schema import Schema

Records = NDArray[Any]


def record(schema: Schema) -> np.dtype[Any]:
    """Return the type of a row as it is fetched: its node, class, numbers and codes."""
    numbers, names = (len(schema.numeric),), (len(schema.nominal),)
    return np.dtype(
        [("node", np.int64), ("target", np.int32), ("values", np.float64, numbers), ("codes", np.int32, names)]
    )


@dataclass(frozen=True, eq=False)
class Fetch:
    """Fetches the rows of some nodes of a tree, group by group; the rows of one group fit into memory."""

    rows: ScannedRows
    tree: Tree
    groups: list[list[int]]
    size: dict[int, int]

    def each(self) -> Iterator[tuple[int, Records]]:
        """Yield each node and its rows, in the order of the rows. There is one scan, whatever the groups."""
        if len(self.groups) == 1:
            yield from self._by_node(self.groups[0], self._in_memory(self.groups[0]))
            return
        with ExitStack() as stack:
            files = self._in_files(stack)
            for group, file in zip(self.groups, files, strict=True):
                file.seek(0)
                yield from self._by_node(group, np.fromfile(file, record(self.rows.schema)))
                file.close()

    def _by_node(self, group: list[int], found: Records) -> Iterator[tuple[int, Records]]:
        """Yield the rows of each node, which must have the classes that were counted."""
        for node in group:
            own = found[found["node"] == node] if len(group) > 1 else found
            if not np.array_equal(np.bincount(own["target"], minlength=self.rows.classes), self.tree.counts[node]):
                raise self.rows.changed()
            yield node, own

    def _group_of(self) -> Longs:
        """Return the group of each node of the tree, −1 if it has none."""
        group_of = np.full(len(self.tree), -1, np.int64)
        for place, group in enumerate(self.groups):
            group_of[group] = place
        return group_of

    def _in_memory(self, group: list[int]) -> Records:
        found = np.empty(sum(self.size[node] for node in group), record(self.rows.schema))
        group_of, filled = self._group_of(), 0
        for part in self.rows.parts(self.tree):
            own = np.flatnonzero(group_of[part.node] == 0)
            if filled + len(own) > len(found):
                raise self.rows.changed()
            _fill(found[filled : filled + len(own)], part.batch, part.node, own)
            filled += len(own)
        return found[:filled]

    def _in_files(self, stack: ExitStack) -> list[IO[bytes]]:
        """Write the rows of each group to a file of its own."""
        group_of, kind = self._group_of(), record(self.rows.schema)
        try:
            files: list[IO[bytes]] = [
                stack.enter_context(tempfile.TemporaryFile(prefix="crake-"))  # noqa: SIM115 (the stack closes them)
                for _ in self.groups
            ]
            for part in self.rows.parts(self.tree):
                group = group_of[part.node]
                for place in np.unique(group[group >= 0]).tolist():
                    own = np.flatnonzero(group == place)
                    found = np.empty(len(own), kind)
                    _fill(found, part.batch, part.node, own)
                    found.tofile(files[place])
            for file in files:
                file.flush()
        except OSError as error:
            needed = kind.itemsize * sum(self.size[node] for group in self.groups for node in group)
            raise DataError(
                f"the rows of {self.rows.table.name} that do not fit into memory take "
                f"{megabytes_above(needed):,} MB in {tempfile.gettempdir()}, and they cannot be written there: "
                f"{error.strerror or error}; name another folder in TMPDIR, or give more memory"
            ) from error
        return files


def _fill(to: Records, batch: Batch, node: Longs, own: NDArray[np.intp]) -> None:
    to["node"], to["target"] = node[own], batch.target[own]
    to["values"], to["codes"] = batch.values[own], batch.codes[own]


def in_groups(size: dict[int, int], room: int) -> list[list[int]]:
    """Return nodes in groups of at most `room` rows, the largest first, each where it first fits.

    >>> in_groups({1: 5, 2: 3, 3: 2, 4: 6}, 8)
    [[4, 3], [1, 2]]
    """
    groups: list[list[int]] = []
    filled: list[int] = []
    for node in sorted(size, key=lambda each: (-size[each], each)):
        place = next((i for i, rows in enumerate(filled) if rows + size[node] <= room), len(groups))
        if place == len(groups):
            groups.append([])
            filled.append(0)
        groups[place].append(node)
        filled[place] += size[node]
    return groups
