"""Parquet files, loaded together if they are small, scanned if they are large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from crake.errors import ReadError
from crake.table.cells import is_time_type
from crake.table.column_names import unique_names
from crake.table.column_options import apply
from crake.table.convert.frames import from_frame
from crake.table.formats.parquet import reader as parquet
from crake.table.formats.parquet.glob import parquet_files
from crake.table.formats.parquet.reader import read_arrow
from crake.table.formats.parquet.scan import ParquetFiles
from crake.table.sources.scanned_table import is_to_be_scanned, scanned
from crake.table.table import Table

Names = Sequence[str]


def read_parquet_files(
    path: Path,
    *,
    target: str | None = None,
    nominal: Names = (),
    numeric: Names = (),
    text: Names = (),
    ignore: Names = (),
    max_bytes: int | None = None,
    in_memory: bool | None = None,
) -> Table:
    """The files of a folder or a pattern as one table; scanned if they would take much memory."""
    paths = parquet_files(path)
    files = ParquetFiles(paths, _title(path), ignore=ignore, max_bytes=max_bytes)
    notes = [*files.notes, *_partition_note(path, paths)]
    if is_to_be_scanned(files.loaded_size, in_memory):
        return scanned(files, target=target, nominal=nominal, numeric=numeric, text=text, ignore=ignore, notes=notes)
    tables = [read_arrow(file, file.name, set(ignore), max_bytes) for file in paths if files.rows_of(file)]
    rows = _joined(tables, files.name)
    table = from_frame(rows, name=files.name, nominal=nominal, numeric=numeric, text=text, ignore=ignore)
    return replace(apply(table, target=target), notes=(*table.notes, *_partition_note(path, paths)))


def _joined(tables: Sequence[pa.Table], name: str) -> pa.Table:
    """The rows of all; where dates are of several types, all in milliseconds."""
    named = [table.rename_columns(unique_names(table.column_names)[0]) for table in tables]
    try:
        try:
            rows = pa.concat_tables(named, promote_options="permissive")
        except pa.ArrowTypeError:
            rows = pa.concat_tables(map(_in_milliseconds, named), promote_options="permissive")
    except pa.ArrowException as error:
        reason = " ".join(str(error).split())[:200]
        raise ReadError(f"the files have columns of different types: {reason}; write them alike", file=name) from None
    return rows.rename_columns(tables[0].column_names)


def _in_milliseconds(table: pa.Table) -> pa.Table:
    columns = [
        pc.cast(column, pa.timestamp("ms"), safe=False) if is_time_type(column.type) else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)


def column_names(path: Path) -> list[str]:
    """The names of the columns of the first file, which are those of all."""
    first = parquet_files(path)[0]
    return parquet.column_names(first, first.name)


def scanned_parquet(
    path: Path,
    *,
    target: str | None = None,
    nominal: Names = (),
    numeric: Names = (),
    text: Names = (),
    ignore: Names = (),
    max_bytes: int | None = None,
    in_memory: bool | None = None,
) -> Table | None:
    """A table that scans the file, or None if it is small enough to be loaded."""
    file = ParquetFiles([path], path.name, ignore=ignore, max_bytes=max_bytes)
    if not is_to_be_scanned(file.loaded_size, in_memory):
        return None
    return scanned(file, target=target, nominal=nominal, numeric=numeric, text=text, ignore=ignore, notes=file.notes)


def _title(path: Path) -> str:
    return path.name if path.is_dir() else str(path)


def _partition_note(path: Path, paths: Sequence[Path]) -> list[str]:
    """Some programs write a column into the names of folders: year=2024."""
    if path.is_dir() and any("=" in part for file in paths for part in file.relative_to(path).parts[:-1]):
        return ["names of folders such as year=2024 are not read as columns"]
    return []
