"""The one entrance: a file, standard input, an example by name, or data in memory becomes a Table."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from crake.errors import ReadError
from crake.table.formats.choose import (
    ending_of,
    file_endings,
    format_of_address,
    format_of_folder,
    format_of_object,
    is_pattern,
    open_bytes,
    open_file,
    open_source,
    refuse_scan,
)
from crake.table.formats.format import Format
from crake.table.lazy_frames import native_frame
from crake.table.read_options import ReadOptions
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.table.column_options import Expected
    from crake.table.untrusted.reader import Limits

STANDARD_INPUT = "-"


def read(
    source: object,
    target: str | int | None = None,
    *,
    format: str | None = None,  # noqa: A002 (the word of the command line)
    nominal: Iterable[str] = (),
    numeric: Iterable[str] = (),
    text: Iterable[str] = (),
    ignore: Iterable[str] = (),
    missing: Iterable[str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str = ".",
    bad_rows: Literal["error", "skip"] = "error",
    max_bytes: int | None = None,
    header: bool | None = None,
    names: Iterable[str] | None = None,
    skip_rows: int = 0,
    comment: str | None = None,
    quote: str | None = None,
    widths: Iterable[int] | None = None,
    dates: str | None = None,
    expected: Any = None,
    untrusted: bool | Limits = False,
    in_memory: bool | None = None,
    table: str | None = None,
    query: str | None = None,
    sheet: str | int | None = None,
    member: str | None = None,
) -> Table:
    """Return a table, with the column to predict.

    `target` is its name, "last", or its position: 1 is the first column, -1 the last.

    `source` is a path (csv, tsv, txt or data, arff, json, jsonl, all also packed: .gz, .bz2, .xz, .zst; xlsx, ods,
    parquet, feather), a zip archive (with `member` if it holds several files), a folder or a pattern of Parquet files
    (`clicks/*.parquet`), a DuckDB or SQLite file or the address of a PostgreSQL server, `postgresql://host/shop` (with
    `table` or `query`), "-" for standard input, the name of a
    bundled example, a data frame, a two-dimensional array, or a Table. `format` names the format of a file with any
    ending ("csv", "arff", "xlsx", …). `sheet` is the name of a sheet, or its number from 1 on. `nominal`,
    `numeric`, `text` and `ignore` name columns to be read in that way, whatever the file says. `max_bytes` caps the
    size of a packed file once unpacked. `missing`, `delimiter`, `decimal`, `bad_rows`, `header`, `names`, `skip_rows`,
    `comment`, `quote`, `widths` and `dates` are those of `crake.table.formats.csv.reader.read_csv`. `expected` is a
    fitted model, or the table that one is fitted to: its columns are read as they were there, and others are left
    out. With `untrusted` the file is read in a process of its own with limits on memory and time
    (`crake.table.untrusted.reader.Limits`).
    Files that would take more than a gigabyte are scanned, not loaded, unless `in_memory` says which it shall be.

    >>> read("golf")
    <Table 'golf': 14 rows, 4 nominal and 0 numeric features, target 'play'>
    """
    options = ReadOptions.of(
        target=target, nominal=nominal, numeric=numeric, text=text, ignore=ignore, format=format, missing=missing,
        delimiter=delimiter, decimal=decimal, bad_rows=bad_rows, header=header, names=names, skip_rows=skip_rows,
        comment=comment, quote=quote, widths=widths, dates=dates, encoding=encoding, table=table, query=query,
        max_bytes=max_bytes, sheet=None if sheet is None else str(sheet), member=member, in_memory=in_memory,
        expected=_expected(expected, target),
    )  # fmt: skip
    return read_source(source, options, untrusted=untrusted)


def _expected(of: Any, target: str | int | None) -> Expected | None:
    """Return the columns that a fitted model or a table expects, with the column of the labels where it is named."""
    is_model = hasattr(of, "schema_")
    if not is_model and not isinstance(of, Table):
        return cast("Expected | None", of)
    from crake.table.column_options import Expected  # noqa: PLC0415 (only where columns are expected)

    labels = target if isinstance(target, str) else None
    return Expected.of_model(of, target=labels) if is_model else Expected.of(of.schema, target=labels)


def read_source(source: object, options: ReadOptions, *, untrusted: bool | Limits = False) -> Table:
    """Return the table of a source, as `read` does, with its keywords as data."""
    if untrusted:
        result = _read_apart(source, options, None if isinstance(untrusted, bool) else untrusted)
    elif isinstance(source, str) and source == STANDARD_INPUT:
        result = _read_standard_input(options)
    elif isinstance(source, str | Path):
        result = _read_named(source, options)
    else:
        result = _read_object(source, options)
    return result if options.missing is None else replace(result, missing=options.missing)


def _read_standard_input(options: ReadOptions) -> Table:
    """Read all of standard input; its format is the one asked for, or the one that its content tells."""
    name, limit = "stdin", options.max_bytes
    refuse_scan(options, "standard input", name)
    data = sys.stdin.buffer.read() if limit is None else sys.stdin.buffer.read(limit + 1)
    if limit is not None and len(data) > limit:
        raise ReadError(f"more than the {limit:,} bytes that max_bytes= allows", file=name)
    return open_bytes(data, name, options)


def _read_apart(source: object, options: ReadOptions, limits: Limits | None) -> Table:
    from crake.table.untrusted.reader import Limits, read_untrusted  # noqa: PLC0415  # starts a process

    if not isinstance(source, str | Path):
        raise ReadError(f"untrusted= is for files, and this is a {type(source).__name__}, which is parsed already")
    if format_of_address(str(source)) is not None:
        raise ReadError("untrusted= is for files, and this is an address of a server; leave it out")
    refuse_scan(options, "an untrusted one, which is read in a process of its own", str(source))
    return read_untrusted(str(source), replace(options, in_memory=True), limits or Limits())


def _read_object(source: object, options: ReadOptions) -> Table:
    if options.format is not None:
        raise ReadError(f"format= is for files, and this is a {type(source).__name__}; leave it out")
    source = native_frame(source)
    return open_source(format_of_object(source), source, "table", options)


def _read_named(source: str | Path, options: ReadOptions) -> Table:
    address = format_of_address(source) if isinstance(source, str) else None
    if address is not None:
        return open_source(address, source, str(source), options)
    path = Path(source)
    kind = _kind_of(path)
    if kind == "file":
        return open_file(path, options)
    from crake.table import examples  # noqa: PLC0415  # only a name without a file needs them

    if str(source) in examples.names():
        return open_source(_EXAMPLE, str(source), str(source), options)
    if kind == "folder" or (not kind and is_pattern(str(source))):
        return open_source(format_of_folder(), path, str(path), options)
    raise ReadError(f"this is {kind}" if kind else _not_found(path, examples.names()), file=str(source))


def _open_example(source: str, name: str, options: ReadOptions) -> Table:
    from crake.table import examples  # noqa: PLC0415  # Arrow and the conversion of frames, only for these
    from crake.table.convert.recode import apply_options  # noqa: PLC0415

    del name
    return apply_options(examples.load(source), options.columns)


_EXAMPLE = Format("example", "a bundled example", _open_example)


def _kind_of(path: Path) -> str:
    """Return "file", "folder", words for anything else, or "" if there is nothing."""
    try:
        if path.is_file():
            return "file"
        if path.is_dir():
            return "folder"
        return "not an ordinary file; copy it into one, or send it through - (stdin)" if path.exists() else ""
    except OSError:  # a name that is too long, a folder that may not be entered
        return ""


def _not_found(path: Path, examples: Sequence[str]) -> str:
    endings = file_endings()
    try:
        beside = [file.name for file in path.parent.iterdir() if ending_of(file.name) in endings]
    except OSError:
        return f"there is no folder {str(path.parent)!r}; check the path"
    close = difflib.get_close_matches(path.name, [*beside, *examples], n=1)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    return f"there is no such file. {hint}Bundled examples: {', '.join(examples)}"
