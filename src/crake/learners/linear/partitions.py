"""Linear regression on rows that an engine holds: tasks gather counts, moments and cross-products where the rows are.

Cross-products are exact sums, so every partitioning gives the same bits.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crake.kernels import threads
from crake.learners.encoding import Design
from crake.learners.encoding.partitions import design_json, design_of_json
from crake.learners.linear.response import DesignTerms, ResponseLast
from crake.learners.linear.rows import RowsInMemory, RowsScanned
from crake.statistics import ClassCounts, ClassMoments, CrossProducts, Statistics, ValueCounts, gather, merge_all
from crake.statistics.gather import Batches
from crake.statistics.partitions.messages import message_of, statistics_of
from crake.statistics.partitions.rows import PartitionedRows, RowsOfPartition
from crake.statistics.partitions.task import checked
from crake.statistics.products.exact_products import ExactProducts
from crake.statistics.row_scan import gather_rows
from crake.statistics.statistic import Member

if TYPE_CHECKING:
    import pyarrow as pa

Rows = RowsInMemory | RowsScanned


def counts_and_moments(rows: Rows) -> Statistics:
    """Return the statistics that a design is made of."""
    found = _mapped(rows, None)
    return gather(rows, _members(None)) if found is None else found


def products_of(rows: Rows, design: Design) -> ExactProducts:
    """Return the cross-products of the design's terms and the response."""
    found = _mapped(rows, design)
    if found is None:
        found = gather(ResponseLast(rows), _members(design))
    return found[CrossProducts].exact


@dataclass(frozen=True)
class RegressionTask:
    """The gathering of one partition, described in JSON: the rows, the target and, for cross-products, the design."""

    text: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> bytes:
        """Return the statistics of the batches of one partition."""
        state = json.loads(self.text)
        scanned = RowsScanned(RowsOfPartition.of(state, batches).table, state["target"])
        rows: Batches = scanned if state["design"] is None else ResponseLast(scanned)
        with threads.limited(1):  # the engine runs as many tasks as it has cores
            return message_of(gather_rows(rows, self.members), 1)

    def merge(self, messages: Iterable[bytes]) -> bytes:
        """Return the message of all partitions together."""
        return message_of(self.merged(messages), 1)

    def merged(self, messages: Iterable[bytes]) -> Statistics:
        """Return the statistics of all partitions together."""
        return merge_all(statistics_of(message, self.members) for message in messages)

    @property
    def members(self) -> Sequence[Member]:
        """The statistics that are gathered."""
        design: dict[str, Any] | None = json.loads(self.text)["design"]
        return _members(None if design is None else design_of_json(design))


def _members(design: Design | None) -> Sequence[Member]:
    return [ClassCounts, ValueCounts, ClassMoments] if design is None else [CrossProducts.of(DesignTerms(design))]


def _mapped(rows: Rows, design: Design | None) -> Statistics | None:
    """Return what an engine gathers; None if rows must be read, as where those with gaps are left out and counted."""
    source = None if rows.drop else PartitionedRows.of(rows.table)
    if source is None or isinstance(rows, RowsInMemory):
        return None
    state = {**source.state, "target": rows.target, "design": None if design is None else design_json(design)}
    task = RegressionTask(json.dumps(state))
    messages = source.run(task)
    return None if messages is None else checked(task.merged(messages), source.scan)
