"""A lazy frame of polars, scanned: its query runs anew for every scan, and no more than a portion is in memory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from functools import cached_property

import polars as pl
import pyarrow as pa

from crake.errors import ReadError
from crake.table.convert.frames import table_of_frame
from crake.table.convert.recode import with_classes
from crake.table.read_options import ReadOptions
from crake.table.sources.arrow_batches import file_columns, portions
from crake.table.sources.protocol import FileColumn, Portion
from crake.table.sources.scanned_table import scanned
from crake.table.table import Table

ROWS_PER_PORTION = 1 << 17


def open_lazy_frame(frame: pl.LazyFrame, name: str, options: ReadOptions) -> Table:
    """Return a table that scans the frame; its rows are collected only if `in_memory=True` asks for it."""
    if options.in_memory is True:
        with _one_line(name):
            rows = frame.collect()
        return with_classes(table_of_frame(rows, name, options.columns), options.columns)
    lazy = LazyFrameRows(frame, name)
    if lazy.rows == 0:
        raise ReadError("no rows; expected one at least", file=name)
    return scanned(lazy, options.for_columns([column.name for column in lazy.columns]).columns, notes=lazy.notes)


class LazyFrameRows:
    """The rows of a lazy frame, in their order.

    A query whose rows come in another order each time, such as a group_by, needs a sort for cross-validation.
    """

    def __init__(self, frame: pl.LazyFrame, name: str, *, rows_per_portion: int = ROWS_PER_PORTION) -> None:
        self.frame, self.name, self.rows_per_portion = frame, name, rows_per_portion
        with _one_line(name):
            self._schema = frame.collect_schema()
        self.columns, self.notes = _columns(self._schema)

    @cached_property
    def rows(self) -> int:
        """Return the number of rows; the query runs for it, without its columns where polars can do that."""
        with _one_line(self.name):
            return int(self.frame.select(pl.len()).collect().item())

    @property
    def size(self) -> int:
        """Return 0: the bytes behind a query are not known."""
        return 0

    @property
    def loaded_size(self) -> int:
        """Return about how many bytes the rows would take in memory."""
        return 8 * self.rows * len(self.columns)

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        """Yield all rows in their order, of these columns only."""
        originals = dict(zip((column.name for column in self.columns), self._schema, strict=True))
        expressions = [_plain(pl.col(originals[name]), self._schema[originals[name]]) for name in names]
        frame = self.frame.select(expressions) if expressions else self.frame.select(pl.first())
        rows = 0
        with _one_line(self.name):
            for portion in portions(self._batches(frame), names, range(len(names))):
                rows = portion.start + portion.rows
                yield portion
        if rows != self.rows:
            raise ReadError(f"{self.rows:,} rows when they were counted, {rows:,} when read", file=self.name)

    def _batches(self, frame: pl.LazyFrame) -> Iterator[pa.RecordBatch]:
        has_batches = hasattr(frame, "collect_batches")
        for rows in (collected if has_batches else sliced)(frame, self.rows_per_portion):
            for start in range(0, rows.height, self.rows_per_portion):
                yield from rows.slice(start, self.rows_per_portion).to_arrow().combine_chunks().to_batches()


def collected(frame: pl.LazyFrame, rows: int) -> Iterator[pl.DataFrame]:
    """Yield the rows of a query in portions of about this size, while it runs."""
    yield from frame.collect_batches(chunk_size=rows, maintain_order=True, lazy=True, engine="streaming")


def sliced(frame: pl.LazyFrame, rows: int) -> Iterator[pl.DataFrame]:
    """Yield the rows of a query in portions of this size, one query for each: for versions that cannot do better."""
    start = 0
    while (portion := frame.slice(start, rows).collect()).height:
        yield portion
        start += portion.height


def _columns(schema: pl.Schema) -> tuple[tuple[FileColumn, ...], tuple[str, ...]]:
    """Return the columns as Arrow types tell them, without a look at any row."""
    fields = [pa.field(name, _arrow_type(kind)) for name, kind in schema.items()]
    return file_columns(pa.schema(fields))


def _arrow_type(kind: pl.DataType) -> pa.DataType:
    if kind == pl.Categorical:  # its categories are those of all columns, in the order first seen: nothing is declared
        return pa.string()
    try:
        arrow = pl.Series([], dtype=kind).to_arrow().type
    except (pa.ArrowException, NotImplementedError):  # types that only polars knows, such as Int128
        return pa.struct([])
    return pa.struct([]) if kind == pl.Object else arrow


def _plain(column: pl.Expr, kind: pl.DataType) -> pl.Expr:
    return column.cast(pl.String) if kind == pl.Categorical else column


@contextlib.contextmanager
def _one_line(name: str) -> Iterator[None]:
    """Turn an error of polars into a ReadError of one line."""
    try:
        yield
    except pl.exceptions.PolarsError as error:
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise ReadError(f"polars says: {reason}", file=name) from None
