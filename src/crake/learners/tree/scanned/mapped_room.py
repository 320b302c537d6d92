"""Arrays of rows in temporary files that are mapped into memory, of which no more stays there than is allowed.

The files have no names, so nothing is left of them however the process ends. Their space on the disk is taken at once:
a full disk is told by an error. A thread watches the memory of the process. When it comes near its limit, all mapped
pages are given back; those that are needed again are read from the files, or from the system's cache of them. The
thread may come late on a busy machine, so whoever works on a column looks, too.
"""

from __future__ import annotations

import errno
import math
import mmap
import os
import tempfile
from collections import deque
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, Self
from weakref import finalize

import numpy as np
from numpy.typing import DTypeLike, NDArray

from crake.errors import DataError
from crake.learners.tree.growing.room import Room
from crake.learners.tree.scanned.budget import check_nodes, megabytes_above

SMALL = 1 << 16
"""Bytes up to which an array is in memory."""
SEGMENT = 1 << 28
"""Bytes of a file, unless an array needs more."""
ALIGNED = 64
"""Bytes to whose multiples arrays are aligned."""
FEW = 100_000
"""Entries that are read from a file one by one."""
EVERY = 0.001
"""Seconds between two looks at the memory of the process."""
SHARE = 0.2
"""The part of the memory beside all else that mapped pages may take: a busy machine may look at it late."""


class MappedRoom(Room):
    """Makes arrays in files, within a `with` block. `most` is the limit of the process, in bytes."""

    def __init__(self, most: int, sorted_at_once: int, name: str) -> None:
        self.most, self.sorted_at_once, self.name = most, sorted_at_once, name
        self._segments: list[_Segment] = []
        self._given_up: deque[tuple[_Segment, int, int]] = deque()
        self._libraries, self._lock, self._is_done = 0, Lock(), Event()
        self._watcher = Thread(target=self._watch, name="crake-memory", daemon=True)

    def __enter__(self) -> Self:
        """Begin to watch the memory."""
        self._libraries = memory_in_use()[1]
        self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop watching. A file is gone once nothing refers to its arrays any more."""
        self._is_done.set()
        self._watcher.join()
        self._segments.clear()
        self._given_up.clear()

    def empty(self, shape: int | tuple[int, ...], kind: DTypeLike) -> NDArray[Any]:
        """Return an array in a file, or in memory if it is small."""
        shape = (shape,) if isinstance(shape, int) else shape
        size = math.prod(shape) * np.dtype(kind).itemsize
        if size <= SMALL:
            return np.empty(shape, kind)
        with self._lock:
            extent = self._extent(-(-size // ALIGNED) * ALIGNED)
        self.look()
        return np.asarray(extent)[:size].view(kind).reshape(shape)

    def check_tree(self, nodes: int, size: int, in_room: int, open_rows: int) -> None:
        """Raise if the tree leaves no room in memory, to which the arrays of it in files come in the end."""
        resident, in_files = memory_in_use()
        if resident:
            check_nodes(self.most, resident - (in_files - self._libraries) + in_room, nodes, size, open_rows)

    def at(self, column: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
        """Return a few entries of an array, read from its file: each would bring as much as 2 MB into the map."""
        place = int(column.__array_interface__["data"][0])
        file = next((segment for segment in self._segments if segment.holds(place)), None)
        if file is None or len(rows) > FEW or not hasattr(os, "pread"):
            return super().at(column, rows)
        size, begin, step = column.itemsize, place - file.address, column.strides[0]
        cells = [os.pread(file.number, size, begin + row * step) for row in rows.tolist()]
        return np.frombuffer(b"".join(cells), column.dtype)

    def look(self) -> None:
        """Give pages back if they take too much of the memory."""
        resident, in_files = memory_in_use()
        mapped = in_files - self._libraries
        if mapped > SHARE * (self.most - (resident - mapped)):
            self.give_back()

    def give_back(self) -> None:
        """Give all mapped pages back to the system; what was written to them stays."""
        with self._lock:
            segments = list(self._segments)
        for segment in segments:
            segment.give_back()

    def _extent(self, size: int) -> _Extent:
        while self._given_up:
            segment, begin, its_size = self._given_up.popleft()
            segment.free(begin, its_size)
        for segment in self._segments:
            place = segment.take(size)
            if place is not None:
                return _Extent(segment, place, size, self._given_up)
        self._segments = [segment for segment in self._segments if not segment.is_empty]
        try:
            segment = _Segment(max(SEGMENT, size))
        except OSError as error:
            raise self._refusal(size, error) from error
        self._segments.append(segment)
        return _Extent(segment, segment.take(size) or 0, size, self._given_up)

    def _refusal(self, size: int, error: OSError) -> DataError:
        taken = sum(segment.size for segment in self._segments)
        return DataError(
            f"the rows of {self.name} that do not fit into memory take {megabytes_above(taken + size):,} MB and more "
            f"in {tempfile.gettempdir()}, and they cannot be written there: {error.strerror or error}; name another "
            "folder in TMPDIR, or give more memory"
        )

    def _watch(self) -> None:
        while not self._is_done.wait(EVERY):
            self.look()


class _Segment:
    """A file without a name, mapped, and the stretches of it that are free: begin and end, ascending."""

    def __init__(self, size: int) -> None:
        self.size, self.stretches = size, [(0, size)]
        with tempfile.TemporaryFile(prefix="crake-") as file:
            _reserve(file.fileno(), size)
            self.mapped = mmap.mmap(file.fileno(), size)
            self.number = os.dup(file.fileno())
        finalize(self, os.close, self.number)
        self.bytes = np.frombuffer(self.mapped, np.uint8)
        self.address = int(self.bytes.__array_interface__["data"][0])

    def holds(self, address: int) -> bool:
        """Return whether an address is in its map."""
        return self.address <= address < self.address + self.size

    def take(self, size: int) -> int | None:
        """Return where the first free stretch that is long enough begins, and take it."""
        for place, (begin, end) in enumerate(self.stretches):
            if end - begin >= size:
                self.stretches[place : place + 1] = [(begin + size, end)] if begin + size < end else []
                return begin
        return None

    def free(self, begin: int, size: int) -> None:
        """Take a stretch back, and join it with its neighbours."""
        joined: list[tuple[int, int]] = []
        for first, last in sorted([*self.stretches, (begin, begin + size)]):
            if joined and joined[-1][1] == first:
                joined[-1] = joined[-1][0], last
            else:
                joined.append((first, last))
        self.stretches = joined

    @property
    def is_empty(self) -> bool:
        """Return whether nothing of it is taken."""
        return self.stretches == [(0, self.size)]

    def give_back(self) -> None:
        """Give its pages back to the system, where that can be asked for."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self.mapped.madvise(mmap.MADV_DONTNEED)


class _Extent:
    """A stretch of a segment that an array lies in; it is given up when no array refers to it any more."""

    def __init__(self, segment: _Segment, begin: int, size: int, given_up: deque[tuple[_Segment, int, int]]) -> None:
        self.stretch, self.given_up = (segment, begin, size), given_up
        self.__array_interface__ = {
            "version": 3, "shape": (size,), "typestr": "|u1", "data": (segment.address + begin, False),
        }  # fmt: skip

    def __del__(self) -> None:
        self.given_up.append(self.stretch)


def memory_in_use() -> tuple[int, int]:
    """Return the bytes that the process holds in memory, and those of them that are pages of files; 0 if unknown."""
    try:
        file = os.open("/proc/self/statm", os.O_RDONLY)
    except OSError:
        return 0, 0
    try:
        pages = os.read(file, 256).split()
    finally:
        os.close(file)
    return int(pages[1]) * mmap.PAGESIZE, int(pages[2]) * mmap.PAGESIZE


def _reserve(file: int, size: int) -> None:
    """Take the space of a file on the disk, so that no page of it can find the disk full later."""
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(file, 0, size)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
                raise
        else:
            return
    nothing = bytes(1 << 20)
    for begin in range(0, size, len(nothing)):
        os.pwrite(file, nothing[: size - begin], begin)
