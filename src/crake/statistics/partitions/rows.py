"""Rows that an engine holds in partitions: what a task must know of them, as JSON, and the table that it makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from crake.statistics.partitions.messages import schema_of, schema_state
from crake.statistics.partitions.other_folds import OtherFolds
from crake.statistics.partitions.version_mark import refuse_other_version, version_mark
from crake.statistics.row_scan import Batches
from crake.table.schema import Kind
from crake.table.sources.engine import Partition, PartitionTask
from crake.table.sources.keyed_rows import FoldsOfRows, KeyedFile, KeyHash
from crake.table.sources.protocol import File, FileColumn
from crake.table.sources.scan import Scan
from crake.table.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

Run = Callable[[PartitionTask, Sequence[str]], Sequence[bytes] | None]


@dataclass(frozen=True)
class PartitionedRows:
    """A table whose source runs tasks where its rows are."""

    table: Table
    scan: Scan
    run_task: Run
    by: KeyHash | None = None
    left_out: int | None = None

    @classmethod
    def of(cls, table: Any) -> PartitionedRows | None:
        """Return the rows of a table, or of its folds but one by a key; None if its source runs no tasks.

        Rows with weights are not sent.
        """
        if isinstance(table, OtherFolds):
            rows, by = cls.of(table.table), getattr(table.folds, "hash", None)
            return None if rows is None or by is None else replace(rows, by=by, left_out=table.fold)
        if not isinstance(table, Table) or table.weights is not None or not isinstance(table.source, Scan):
            return None
        if table.source.weights is not None:
            return None
        run = getattr(table.source.engine, "map_statistics", None)
        return None if run is None else cls(table, table.source, run)

    def with_texts(self) -> PartitionedRows:
        """Return the same rows, whose texts are read."""
        return replace(self, scan=replace(self.scan, texts=True))

    def dealt_by(self, by: KeyHash | None) -> PartitionedRows:
        """Return the same rows, whose folds a key tells."""
        return replace(self, by=by)

    @property
    def state(self) -> dict[str, Any]:
        """The description of the rows for a task: schema, columns, how cells are coded, and the key of folds."""
        scan, names = self.scan, self.names
        return {
            "version": version_mark(),
            "schema": schema_state(self.table.schema),
            "columns": [asdict(column) for column in scan.file.columns if column.name in names],
            "names": list(names),
            "scan": {"fixed": scan.fixed, "whole": scan.whole, "known_only": scan.known_only, "texts": scan.texts},
            "by": None if self.by is None else asdict(self.by),
            "left_out": self.left_out,
        }

    def run(self, task: PartitionTask) -> Sequence[bytes] | None:
        """Run a task on all partitions; None if the engine cannot."""
        messages = self.run_task(task, self.names)
        if messages is not None and self.scan.progress is not None:
            self.scan.progress(self.scan.rows, self.scan.rows, self.scan.file.size, self.scan.file.size)
        return messages

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that a task reads, in the order of the schema, and the key of its folds."""
        names = [column.name for column in self.table.schema.columns if column.kind is not Kind.IGNORED]
        return tuple(dict.fromkeys([*names, *([] if self.by is None else [self.by.key])]))


@dataclass(frozen=True)
class RowsOfPartition:
    """The rows of one partition as the table that the driver has, and the folds that a key tells."""

    table: Table
    folds: FoldsOfRows | None
    left_out: int | None

    @classmethod
    def of(
        cls, state: dict[str, Any], batches: Iterator[pa.RecordBatch], around: Callable[[File], File] | None = None
    ) -> RowsOfPartition:
        """Return the rows of these batches; raise if another crake sent the work.

        `around` returns a file in place of the one of the batches.
        """
        refuse_other_version(state["version"])
        columns = tuple(_file_column(each) for each in state["columns"])
        partition = Partition(columns, batches, {name: place for place, name in enumerate(state["names"])})
        inner: File = partition if around is None else around(partition)
        folds = None if state["by"] is None else FoldsOfRows()
        file = inner if folds is None else KeyedFile(inner, KeyHash(**state["by"]), folds)
        return cls(Table(schema_of(state["schema"]), Scan(file, **state["scan"]), file.name), folds, state["left_out"])

    @property
    def batches(self) -> Batches:
        """The rows to go through: those of one fold may have no class."""
        if self.folds is None or self.left_out is None:
            return self.table
        return OtherFolds(self.table, self.folds, self.left_out)


def _file_column(state: dict[str, Any]) -> FileColumn:
    return FileColumn(**{**state, "kind": None if state["kind"] is None else Kind(state["kind"])})
