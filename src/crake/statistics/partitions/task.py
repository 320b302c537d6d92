"""Gathering where an engine has its rows: each partition gathers for itself, and its messages are merged at once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from crake.kernels import threads
from crake.statistics.class_counts import ClassCounts
from crake.statistics.class_moments import ClassMoments
from crake.statistics.collection import Statistics, merge_all
from crake.statistics.distinct_counts import DistinctCounts
from crake.statistics.distinct_rows import DistinctRows, WholeRows
from crake.statistics.pair_counts import PairCounts
from crake.statistics.partitions.messages import message_of, schema_of, schema_state, statistics_of
from crake.statistics.partitions.version_mark import refuse_other_version, version_mark
from crake.statistics.row_scan import Group, gather_rows
from crake.statistics.statistic import Member
from crake.statistics.value_counts import ValueCounts
from crake.statistics.word_counts import WordCounts
from crake.table.schema import Kind
from crake.table.sources.engine import Partition
from crake.table.sources.keyed_rows import FoldsOfRows, KeyedFile, KeyHash
from crake.table.sources.levels import refuse_many_levels, refuse_many_numbers
from crake.table.sources.protocol import File, FileColumn
from crake.table.sources.scan import Scan
from crake.table.table import Table

if TYPE_CHECKING:
    import pyarrow as pa


SENT: tuple[Member, ...] = (
    ClassCounts,
    ValueCounts,
    ClassMoments,
    DistinctCounts,
    DistinctRows,
    WholeRows,
    PairCounts,
    WordCounts,
)
"""Statistics that messages hold: those without options, which are code."""


@dataclass(frozen=True)
class GatherTask:
    """The gathering of one partition, described in JSON: schema, members, how cells are coded."""

    text: str

    @classmethod
    def of(cls, table: Table, scan: Scan, members: Sequence[Member], by: KeyHash | None = None) -> GatherTask:
        """Return the task that gathers these members from the partitions of a table, each fold of a key apart."""
        names = _names(table, by)
        columns = [column for column in scan.file.columns if column.name in names]
        how = {"fixed": scan.fixed, "whole": scan.whole, "known_only": scan.known_only, "texts": scan.texts}
        state = {
            "version": version_mark(),
            "schema": schema_state(table.schema),
            "columns": [asdict(column) for column in columns],
            "names": list(names),
            "members": [member.name for member in members],
            "scan": how,
            "by": None if by is None else asdict(by),
        }
        return cls(json.dumps(state))

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> bytes:
        """Return the statistics of the batches of one partition."""
        state = json.loads(self.text)
        refuse_other_version(state["version"])
        columns = tuple(_file_column(each) for each in state["columns"])
        file = Partition(columns, batches, {name: place for place, name in enumerate(state["names"])})
        by, folds = state["by"], FoldsOfRows()
        source: File = file if by is None else KeyedFile(file, KeyHash(**by), folds)
        table = Table(schema_of(state["schema"]), Scan(source, **state["scan"]), file.name)
        group = None if by is None else folds
        with threads.limited(1):  # the engine runs as many tasks as it has cores
            return self._message(gather_rows(table, self.members, group=group, groups=self.groups))

    def merge(self, messages: Iterable[bytes]) -> bytes:
        """Return the message of all partitions together."""
        return self._message(self.merged(messages))

    def merged(self, messages: Iterable[bytes]) -> Statistics:
        """Return the statistics of all partitions together."""
        return merge_all(statistics_of(message, self.members) for message in messages)

    def _message(self, statistics: Statistics) -> bytes:
        return message_of(statistics, self.groups)

    @property
    def groups(self) -> int:
        """The number of groups: the folds of a key, or one."""
        by = json.loads(self.text)["by"]
        return 1 if by is None else int(by["folds"])

    @property
    def members(self) -> list[Member]:
        """The statistics that are gathered."""
        by_name = {member.name: member for member in SENT}
        return [by_name[name] for name in json.loads(self.text)["members"]]


def mapped_by_source(table: Any, members: Sequence[Member], group: Group | None = None) -> Statistics | None:
    """Return the statistics that the source gathers where its rows are; None if it cannot, and rows must be read.

    Groups are gathered there if they are folds by a key: any other group follows from the number of a row.
    """
    by: KeyHash | None = getattr(group, "hash", None)
    if group is not None and by is None:
        return None
    if not isinstance(table, Table) or table.weights is not None or not isinstance(table.source, Scan):
        return None
    scan = table.source
    run = getattr(scan.engine, "map_statistics", None)
    empty = Statistics.empty(table.schema, members).parts
    # Rows add nothing to a statistic without columns, such as words of a table without texts.
    sent = [member for member in members if empty[member.name].columns or not empty[member.name].needs_columns]
    if run is None or not all(member in SENT for member in sent):
        return None
    if any(member.reads_text for member in sent):
        scan = replace(scan, texts=True)
    task = GatherTask.of(table, scan, sent, by)
    messages = run(task, _names(table, by))
    if messages is None:
        return None
    statistics = task.merged(messages)
    parts = {**Statistics.empty(statistics.schema, members, task.groups).parts, **statistics.parts}
    statistics = replace(statistics, parts=parts)
    for part in statistics.parts.values():
        part.check_size()
    for column in statistics.schema.columns:
        refuse_many_levels(column.name, len(column.levels))
    if scan.whole is not None and not scan.fixed:
        refuse_many_numbers(scan.whole, len(statistics.schema[scan.whole].levels))
    if scan.progress is not None:
        scan.progress(scan.rows, scan.rows, scan.file.size, scan.file.size)
    return statistics


def _names(table: Table, by: KeyHash | None) -> tuple[str, ...]:
    """Return the columns that a task reads, in the order of the schema, and the key of its folds."""
    names = [column.name for column in table.schema.columns if column.kind is not Kind.IGNORED]
    return tuple(dict.fromkeys([*names, *([] if by is None else [by.key])]))


def _file_column(state: dict[str, Any]) -> FileColumn:
    return FileColumn(**{**state, "kind": None if state["kind"] is None else Kind(state["kind"])})
