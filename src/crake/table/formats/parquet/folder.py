"""Parquet files, loaded together if they are small, scanned if they are large."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from crake.errors import ReadError
from crake.table.cells import is_time_type
from crake.table.column_names import unique_names
from crake.table.convert.frames import table_of_frame
from crake.table.convert.recode import with_classes
from crake.table.formats.parquet.reader import column_names, load_parquet, read_arrow
from crake.table.formats.parquet.scan import ParquetFiles
from crake.table.read_options import ReadOptions
from crake.table.sources.scanned_table import is_to_be_scanned, scanned
from crake.table.table import Table


def open_parquet(source: Path | bytes, name: str, options: ReadOptions) -> Table:
    """Return the table of a file, of its bytes, of a folder or of a pattern: scanned if it is large, else loaded."""
    if isinstance(source, bytes):
        return _open_one(source, name, options)
    return _open_one(source, name, options) if source.is_file() else _open_many(source, options)


def _open_one(source: Path | bytes, name: str, options: ReadOptions) -> Table:
    if options.expected is not None:
        options = options.for_columns(column_names(source, name))
    if isinstance(source, Path) and options.in_memory is not True:
        file = ParquetFiles([source], name, ignore=options.columns.ignore, max_bytes=options.max_bytes)
        if is_to_be_scanned(file.loaded_size, options.in_memory):
            return scanned(file, options.columns, notes=file.notes)
    return with_classes(load_parquet(source, name, options), options.columns)


def _open_many(path: Path, options: ReadOptions) -> Table:
    paths = parquet_files(path)
    if options.expected is not None:  # the columns of the first file are those of all
        options = options.for_columns(column_names(paths[0], paths[0].name))
    columns, max_bytes = options.columns, options.max_bytes
    files = ParquetFiles(paths, _title(path), ignore=columns.ignore, max_bytes=max_bytes)
    notes = _partition_note(path, paths)
    if is_to_be_scanned(files.loaded_size, options.in_memory):
        return scanned(files, columns, notes=[*files.notes, *notes])
    tables = [read_arrow(file, file.name, set(columns.ignore), max_bytes) for file in paths if files.rows_of(file)]
    table = table_of_frame(_joined(tables, files.name), files.name, columns)
    return with_classes(replace(table, notes=(*table.notes, *notes)), columns)


def parquet_files(path: Path) -> list[Path]:
    """Return the Parquet files of a folder and the folders in it, or those a pattern names, sorted by name.

    Files and folders whose names begin with . or _ are passed over, as other programs do.
    """
    if path.is_dir():
        files = [file for file in path.rglob("*") if file.suffix.lower() == ".parquet"]
        files = [file for file in files if not any(part[0] in "._" for part in file.relative_to(path).parts)]
    else:
        files = _matching(str(path))
    files = sorted(file for file in files if file.is_file())
    if not files:
        what = "this is a folder without Parquet files" if path.is_dir() else "no file has a name of this pattern"
        raise ReadError(f"{what}; name a file", file=str(path))
    odd = next((file for file in files if file.suffix.lower() != ".parquet"), None)
    if odd is not None:
        raise ReadError(
            f"{odd.name} is no Parquet file; of several files only Parquet is read together: name them *.parquet",
            file=str(path),
        )
    return files


def _matching(pattern: str) -> list[Path]:
    try:
        return [Path(name) for name in glob.glob(pattern, recursive=True)]  # noqa: PTH207 (a pattern with folders)
    except (OSError, ValueError):
        return []


def _joined(tables: Sequence[pa.Table], name: str) -> pa.Table:
    """Return the rows of all tables; where dates are of several types, all in milliseconds."""
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


def _title(path: Path) -> str:
    return path.name if path.is_dir() else str(path)


def _partition_note(path: Path, paths: Sequence[Path]) -> list[str]:
    """Return a note if folders are named as columns, as some programs do: year=2024."""
    if path.is_dir() and any("=" in part for file in paths for part in file.relative_to(path).parts[:-1]):
        return ["names of folders such as year=2024 are not read as columns"]
    return []
