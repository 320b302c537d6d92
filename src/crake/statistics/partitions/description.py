"""Counts of columns and a sample of the rows for a description, taken where an engine has its rows.

Only counts and the sample travel. The rows of the sample are those of the lowest hashes of their cells: they are the
same ones, in the same order, however the rows lie in partitions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.kernels import threads
from crake.statistics.exact_moments import ExactMoments
from crake.statistics.exact_sums import BITS, ONE
from crake.statistics.partitions.drawn_rows import hash_for, share_for
from crake.statistics.partitions.messages import packed, unpacked
from crake.statistics.partitions.rows import PartitionedRows, RowsOfPartition
from crake.table import codes
from crake.table.describe.column_counts import NameCounts, NumberCounts, TargetCounts
from crake.table.describe.scan import SEED, Counters, count_portion, counters_of, sample_size
from crake.table.row_hash import Hashes
from crake.table.sources.cell_hashes import cell_hashes, place_hashes
from crake.table.sources.scanned_table import scan_of
from crake.table.table import Table

MOST_REPEATED = 0.05
"""The share of rows of the sample that have the hash of another one, above which equal rows are told apart."""

Arrays = list[NDArray[Any]]


class ExactNumberCounts(NumberCounts):
    """A numeric column whose mean does not depend on the order of its values."""

    total = 0
    """The exact sum of what was joined, in units of 2^(−32·ONE)."""
    own: ExactMoments | None = None
    _extent: NDArray[np.float64]

    def _summarise(self, known: NDArray[np.float64]) -> None:
        self.minimum = min(self.minimum, float(known.min()))
        self.maximum = max(self.maximum, float(known.max()))
        self.known += len(known)
        if self.own is None:
            self.own, self._extent = ExactMoments.zeros(1, 1), np.array([[[np.inf]], [[-np.inf]]])
        nothing = np.zeros(len(known), np.int64)
        self.own.add(known[:, None], nothing, np.ones(len(known)), self._extent)

    def settle(self) -> None:
        """Take the sum of the values that were added, and the mean of all."""
        if self.own is not None:
            self.total, self.own = self.total + int(self.own.sum.integers()[0, 0]), None
        self.mean = self.total / (self.known << BITS * ONE) if self.known else 0.0

    def join(self, other: Self) -> None:
        """Count the numbers of another part of the column, too."""
        super().join(other)
        self.total += other.total


@dataclass(eq=False)
class Counted:
    """The counts of all columns, and the hashes of the rows of their samples."""

    counters: Counters
    hashes: Hashes

    def keep_lowest(self, most: int) -> None:
        """Keep the rows of the lowest hashes, in the order of these. Rows of one hash are equal."""
        order = np.argsort(self.hashes, kind="stable")[:most]
        self.hashes = self.hashes[order]
        for counter in self.counters.values():
            counter.keep(order)


@dataclass(frozen=True)
class DescribeTask:
    """The counts and the sample of one partition: its description in JSON."""

    text: str

    @property
    def state(self) -> Any:
        """The description: the rows, the bound below which hashes are drawn, the most rows, the rule of hashes."""
        return json.loads(self.text)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> bytes:
        """Return the counts of the batches of one partition, and the rows that are drawn."""
        state = self.state
        table = RowsOfPartition.of(state, batches).table
        with threads.limited(1):  # the engine runs as many tasks as it has cores
            return self._message(_counted(table, state))

    def merge(self, messages: Iterable[bytes]) -> bytes:
        """Return the message of several partitions."""
        return self._message(self.merged(messages))

    def merged(self, messages: Iterable[bytes]) -> Counted:
        """Return the counts of several partitions."""
        state, total = self.state, None
        for message in messages:
            found = _restored(state, message)
            if total is None:
                total = found
                continue
            for name, counter in total.counters.items():
                counter.join(found.counters[name])  # type: ignore[arg-type]  # made by one rule
            total.hashes = np.concatenate([total.hashes, found.hashes])
        if total is None:
            raise CrakeError("expected counts of partitions, got none")
        if len(total.hashes):
            total.keep_lowest(state["most"])
        for counter in total.counters.values():
            _settle(counter)
        return total

    def _message(self, counted: Counted) -> bytes:
        arrays: Arrays = [counted.hashes.view(np.int64)]
        heads = [_stored(counter, arrays) for counter in counted.counters.values()]
        return packed([np.frombuffer(json.dumps(heads).encode(), np.uint8), *arrays])


def counted_by_source(table: Table) -> tuple[Counters, int] | None:
    """Return the counts of all columns and the rows of the sample; None if the source runs no tasks."""
    rows = PartitionedRows.of(table)
    if rows is None:
        return None
    number, most = len(table), sample_size(len(counters_of(table.schema, None)))
    found = _run(rows, number, most, by_places=False)
    if found is None:
        return None
    if number > most and len(np.unique(found.hashes)) < (1 - MOST_REPEATED) * len(found.hashes):
        found = _run(rows, number, most, by_places=True) or found
    return found.counters, len(found.hashes)


def _run(rows: PartitionedRows, number: int, most: int, *, by_places: bool) -> Counted | None:
    below = hash_for(share_for(number, most))
    state = {**rows.state, "below": below, "most": most, "by_places": by_places}
    task = DescribeTask(json.dumps(state))
    messages = rows.run(task)
    return None if messages is None else task.merged(messages)


def _counted(table: Table, state: Any) -> Counted:
    scan, below = scan_of(table), np.uint64(state["below"])
    counted = Counted(counters_of(table.schema, scan.whole, ExactNumberCounts), np.zeros(0, np.uint64))
    columns = [table.schema[name] for name in counted.counters]
    before = np.uint64(0)
    for portion in scan.file.portions([column.name for column in columns]):
        hashes = cell_hashes(portion, columns, SEED)
        if state["by_places"]:
            hashes, before = place_hashes(hashes, before, SEED)
        chosen = np.flatnonzero(hashes <= below)
        counted.hashes = np.concatenate([counted.hashes, hashes[chosen]])
        count_portion(portion, counted.counters, chosen)
        if len(counted.hashes) > 2 * state["most"]:
            counted.keep_lowest(state["most"])
    for counter in counted.counters.values():
        _settle(counter)
    return counted


def _settle(counter: NumberCounts | NameCounts | TargetCounts) -> None:
    numbers = counter.numbers if isinstance(counter, TargetCounts) else counter
    if isinstance(numbers, ExactNumberCounts):
        numbers.settle()


def _stored(counter: NumberCounts | NameCounts | TargetCounts, arrays: Arrays) -> dict[str, Any]:
    """Return the counts as JSON holds them; arrays go to the list."""
    if isinstance(counter, TargetCounts):
        numbers = _stored(counter.numbers, arrays)
        return {"numbers": numbers, "names": _stored(counter.names, arrays) if counter.are_classes else None}
    head: dict[str, Any] = {"missing": counter.missing, "is_more": counter.is_more}
    if isinstance(counter, NameCounts):
        known = {} if counter.is_more else counter.rows_of
        drawn = codes.distinct(np.concatenate([np.zeros(0, object), *counter.drawn]))
        arrays += [np.array(list(known.values()), np.int64), np.asarray(drawn.codes, np.int32)]
        return {**head, "labels": [label for _, label in known], "drawn": list(drawn.labels)}
    arrays += [
        np.zeros(0) if counter.is_more else counter.values.to_numpy(zero_copy_only=False),
        np.concatenate([np.zeros(0), *counter.drawn]),
        np.array([counter.minimum, counter.maximum]),
    ]
    return {**head, "known": counter.known, "total": str(getattr(counter, "total", 0))}


def _restored(state: Any, message: bytes) -> Counted:
    text, hashes, *arrays = unpacked(message)
    table = RowsOfPartition.of(state, iter(())).table
    counters = counters_of(table.schema, scan_of(table).whole, ExactNumberCounts)
    left = iter(arrays)
    for counter, head in zip(counters.values(), json.loads(text.tobytes()), strict=True):
        _restore(counter, head, left)
    return Counted(counters, hashes.view(np.uint64))


def _restore(counter: NumberCounts | NameCounts | TargetCounts, head: dict[str, Any], arrays: Iterator[Any]) -> None:
    if isinstance(counter, TargetCounts):
        _restore(counter.numbers, head["numbers"], arrays)
        counter.are_classes = head["names"] is not None
        if counter.are_classes:
            _restore(counter.names, head["names"], arrays)
        return
    counter.missing, counter.is_more = head["missing"], head["is_more"]
    if isinstance(counter, NameCounts):
        rows, drawn = next(arrays), next(arrays)
        labels = zip(head["labels"], rows.tolist(), strict=True)
        counter.rows_of.update({(isinstance(label, bool), label): count for label, count in labels})
        counter.drawn = [np.array([*head["drawn"], None], object)[np.maximum(drawn, -1)]]
        return
    counter.values, drawn, ends = pa.array(next(arrays)), next(arrays), next(arrays)
    counter.drawn, counter.known = [drawn], head["known"]
    counter.minimum, counter.maximum = ends.tolist()
    if isinstance(counter, ExactNumberCounts):
        counter.total = int(head["total"])
