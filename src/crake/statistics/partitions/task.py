"""Gathering where an engine has its rows: each partition gathers for itself, and its messages are merged at once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from crake.kernels import threads
from crake.statistics.class_counts import ClassCounts
from crake.statistics.class_moments import ClassMoments
from crake.statistics.collection import Statistics, merge_all
from crake.statistics.distinct_counts import DistinctCounts
from crake.statistics.distinct_rows import DistinctRows, WholeRows
from crake.statistics.pair_counts import PairCounts
from crake.statistics.partitions.messages import message_of, statistics_of
from crake.statistics.partitions.rows import PartitionedRows, RowsOfPartition
from crake.statistics.row_scan import Group, gather_rows
from crake.statistics.statistic import Member
from crake.statistics.tokeniser import Tokeniser
from crake.statistics.value_counts import ValueCounts
from crake.statistics.word_counts import WordCounts, WordsBy
from crake.table.sources.keyed_rows import KeyHash
from crake.table.sources.levels import refuse_many_levels, refuse_many_numbers
from crake.table.sources.scan import Scan

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
"""Statistics that messages hold: those without options, which may be code. Rules of words are sent as JSON."""


@dataclass(frozen=True)
class GatherTask:
    """The gathering of one partition, described in JSON: schema, members, how cells are coded."""

    text: str

    @classmethod
    def of(cls, rows: PartitionedRows, members: Sequence[Member]) -> GatherTask:
        """Return the task that gathers these members from the partitions, each fold of a key apart."""
        return cls(json.dumps({**rows.state, "members": [_state(member) for member in members]}))

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> bytes:
        """Return the statistics of the batches of one partition."""
        rows = RowsOfPartition.of(json.loads(self.text), batches)
        with threads.limited(1):  # the engine runs as many tasks as it has cores
            return self._message(gather_rows(rows.table, self.members, group=rows.folds, groups=self.groups))

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
        return [_member(state) for state in json.loads(self.text)["members"]]


def _state(member: Member) -> Any:
    """Return a statistic as JSON holds it: its name, and the rules of words."""
    return [member.name, member.tokeniser.state if isinstance(member, WordsBy) else None]


def _member(state: Any) -> Member:
    name, rules = state
    if rules is not None:
        return WordsBy(Tokeniser.of_state(rules))
    return next(member for member in SENT if member.name == name)


def mapped_by_source(table: Any, members: Sequence[Member], group: Group | None = None) -> Statistics | None:
    """Return the statistics that the source gathers where its rows are; None if it cannot, and rows must be read.

    Groups are gathered there if they are folds by a key: any other group follows from the number of a row.
    """
    by: KeyHash | None = getattr(group, "hash", None)
    rows = PartitionedRows.of(table)
    if rows is None or (group is not None and by is None):
        return None
    empty = Statistics.empty(rows.table.schema, members).parts
    # Rows add nothing to a statistic without columns, such as words of a table without texts.
    sent = [member for member in members if empty[member.name].columns or not empty[member.name].needs_columns]
    if not all(member in SENT or isinstance(member, WordsBy) for member in sent):
        return None
    if any(member.reads_text for member in sent):
        rows = rows.with_texts()
    rows = rows.dealt_by(by)
    task = GatherTask.of(rows, sent)
    messages = rows.run(task)
    if messages is None:
        return None
    statistics = task.merged(messages)
    parts = {**Statistics.empty(statistics.schema, members, task.groups).parts, **statistics.parts}
    return checked(replace(statistics, parts=parts), rows.scan)


def checked(statistics: Statistics, scan: Scan) -> Statistics:
    """Return the statistics of all partitions; raise if together they have met too many values."""
    for part in statistics.parts.values():
        part.check_size()
    for column in statistics.schema.columns:
        refuse_many_levels(column.name, len(column.levels))
    whole = scan.whole
    if whole is not None and whole in statistics.schema and not scan.fixed:
        refuse_many_numbers(whole, len(statistics.schema[whole].levels))
    return statistics
