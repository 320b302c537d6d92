"""The memory that growing from a scan may take: a limit of the whole process, with all that it holds already."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from crake.errors import MemoryRefusal
from crake.kernels import threads
from crake.learners.tree.growing.room import SORTING
from crake.table.schema import Schema

SHARE = 0.5
"""The part of the machine's memory that is taken where no limit is given."""
BATCHES = 10
"""Batches whose room a scan takes: they are read, coded and used at the same time, column by column."""
BESIDE = 150_000_000
"""Bytes for compiled code, most of which is loaded while the first level grows, the tree, and what no list counts."""
BESIDE_CELLS = 32
"""Bytes of a row beside its cells: class, weight, place in the lists, the number to predict and its deviation."""
SLACK = 10_000_000
"""Bytes that an advised limit has more than is needed: what a process holds differs a little from run to run."""
FINISHING = 45
"""Bytes of a node while levels are joined, and the tree is completed and stored."""
MOST_PARTS = 100
"""Parts of the table of which one must fit into memory."""


@dataclass(frozen=True)
class Budget:
    """`most` bytes for the process, `held` of them taken before a tree is grown.

    `beside` are bytes of a row that is grown from in memory, for what follows growing.
    """

    most: int
    held: int
    beside: int = 0

    @property
    def free(self) -> int:
        """The bytes that growing may take."""
        return max(0, self.most - self.held)

    @classmethod
    def of(cls, limit: int | None, schema: Schema, largest_batch: int) -> Budget:
        """Return the limit less what the process holds between scans, and the room of a scan."""
        return cls(most_bytes(limit), resident_bytes() + BESIDE + BATCHES * largest_batch * row_bytes(schema))

    def rows(self, schema: Schema, fetched: int) -> int:
        """Return how many rows of `fetched` bytes the grower in memory can take: cells, lists of numbers, sorting."""
        return self.free // (self.each(schema, fetched) + self.beside)

    def with_held(self, size: int) -> Budget:
        """Return the limit when as many bytes more are taken."""
        return replace(self, held=self.held + size)

    @staticmethod
    def each(schema: Schema, fetched: int) -> int:
        """Return the bytes of one such row."""
        numbers, names = len(schema.numeric), len(schema.nominal)
        return fetched + 17 * numbers + 9 * names + SORTING * min(threads.count(), max(numbers, 1)) + BESIDE_CELLS

    def check(self, needed: int, what: str) -> None:
        """Raise if there is less than `needed` bytes for it, and say how much memory would do."""
        if needed > self.free:
            enough = megabytes_above(self.held + needed + SLACK)
            raise MemoryRefusal(
                f"the memory is limited to {limit_for_people(self.most)}, and {what} needs "
                f"{megabytes_above(self.held + needed):,} MB: expected --memory {enough}MB or "
                f"table.with_memory('{enough}MB'); or take a sample, table.sample(100_000)"
            )


def check_nodes(most: int, held: int, nodes: int, size: int, open_rows: int) -> None:
    """Raise if the process has no room to finish the tree.

    `held` is what the process holds in bytes, `nodes` the number of nodes grown so far, `size` their bytes. Each of the
    `open_rows`, the rows of nodes that may be split, can become a leaf, with a node above it.
    """
    needed = held + FINISHING * nodes
    if needed > most:
        enough = megabytes_above(needed + 2 * open_rows * (FINISHING + size // nodes) + SLACK)
        raise MemoryRefusal(
            f"the memory is limited to {limit_for_people(most)}, and a tree that has {nodes:,} nodes so far needs "
            f"{megabytes_above(needed):,} MB: expected a smaller tree, --set max_depth=10 or --set "
            f"min_samples_leaf=100; or --memory {enough}MB or table.with_memory('{enough}MB')"
        )


def megabytes_above(size: int) -> int:
    """Return the megabytes in which a size has room.

    >>> megabytes_above(2_000_001)
    3
    """
    return -(-size // 1_000_000)


def limit_for_people(size: int) -> str:
    """Return a limit in whole megabytes that are not above it, or in bytes.

    >>> limit_for_people(1_000_400_000), limit_for_people(5)
    ('1,000 MB', '5 bytes')
    """
    return f"{size // 1_000_000:,} MB" if size >= 1_000_000 else f"{size:,} bytes"


def most_bytes(limit: int | None) -> int:
    """Return the limit; half of the machine's memory where there is none."""
    return int(SHARE * machine_bytes()) if limit is None else limit


def row_bytes(schema: Schema) -> int:
    """Return the bytes of a row in a batch."""
    return 8 * len(schema.numeric) + 4 * len(schema.nominal) + 12


def machine_bytes() -> int:
    """Return the memory of the machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def resident_bytes() -> int:
    """Return what the process holds in memory now; 300 MB where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 300_000_000
    return pages * os.sysconf("SC_PAGE_SIZE")
