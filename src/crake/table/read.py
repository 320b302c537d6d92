"""The one entrance: a file, standard input, an example by name, or data in memory becomes a Table."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from crake.errors import ReadError
from crake.table.formats.by_ending import ENDINGS, ending_of, read_file, read_many, with_classes
from crake.table.formats.parquet.glob import is_pattern
from crake.table.formats.stdin import read_standard_input
from crake.table.read_options import Wishes, listed
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.table.column_options import Expected
    from crake.table.untrusted.reader import Limits

STANDARD_INPUT = "-"


def read(
    source: object,
    target: str | None = None,
    *,
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
    header: bool = True,
    expected: Expected | None = None,
    untrusted: bool | Limits = False,
    in_memory: bool | None = None,
    table: str | None = None,
    query: str | None = None,
) -> Table:
    """A table, and the column to predict.

    `source` is a path (csv, tsv, txt or data, also .gz; arff, also .gz; parquet), a folder or a pattern of Parquet
    files (`clicks/*.parquet`), a DuckDB file (with `table` or `query`), "-" for standard input, the name of a bundled
    example, a data frame, a two-dimensional array, or a Table. `nominal`, `numeric`, `text` and `ignore` name columns
    to be read in that way, whatever the file says. `max_bytes` caps what a packed file may take once unpacked.
    `missing`, `delimiter`, `decimal`, `bad_rows` and `header` are those of `crake.table.formats.csv.reader.read_csv`.
    `expected` is what a model wants of the columns: in CSV, which declares nothing, their kinds; in other files, which
    of them are read. With `untrusted` the
    file is read in a process of its own with limits on memory and time (`crake.table.untrusted.reader.Limits`).
    Files that would take more than a gigabyte are scanned, not loaded, unless `in_memory` says which it shall be.

    >>> read("golf")
    <Table 'golf': 14 rows, 4 nominal and 0 numeric features, target 'play'>
    """
    tokens = None if missing is None else listed(missing)
    wishes = Wishes(
        {"target": target}
        | {"nominal": listed(nominal), "numeric": listed(numeric), "text": listed(text), "ignore": listed(ignore)},
        {"missing": tokens, "delimiter": delimiter, "decimal": decimal, "bad_rows": bad_rows, "header": header},
        encoding,
        max_bytes,
        expected,
        in_memory,
        {"table": table, "query": query},
    )
    if (table is not None or query is not None) and not _is_database(source):
        raise ReadError(f"table= and query= are for .duckdb files, and this is {_shown(source)}; leave them out")
    found = _read(source, wishes, untrusted)
    return found if tokens is None else replace(found, missing=tuple(tokens))


def _read(source: object, wishes: Wishes, untrusted: bool | Limits) -> Table:
    if untrusted:
        return _read_apart(source, wishes, None if isinstance(untrusted, bool) else untrusted)
    if isinstance(source, str) and source == STANDARD_INPUT:
        return read_standard_input(wishes)
    if isinstance(source, str | Path):
        return _read_named(source, wishes)
    return _read_memory(source, wishes)


def _read_apart(source: object, wishes: Wishes, limits: Limits | None) -> Table:
    from crake.table.untrusted.reader import Limits, read_untrusted  # noqa: PLC0415  # starts a process

    if not isinstance(source, str | Path):
        raise ReadError(f"untrusted= is for files, and this is a {type(source).__name__}, which is parsed already")
    wishes.only_loaded(str(source), "an untrusted one, which is read in a process of its own")
    expected = None if wishes.expected is None else {**wishes.expected.kinds}
    options = {**wishes.columns, **wishes.csv, "encoding": wishes.encoding, "max_bytes": wishes.max_bytes}
    options |= {"in_memory": True, **wishes.database}
    of_model = wishes.expected
    keep, known = (False, None) if of_model is None else (of_model.keep, of_model.missing)
    request = {**options, "expected": expected, "keep": keep, "expected_missing": known}
    return read_untrusted(str(source), request, limits or Limits())


def _is_database(source: object) -> bool:
    return isinstance(source, str | Path) and ending_of(str(source)) == ".duckdb"


def _shown(source: object) -> str:
    return str(source) if isinstance(source, str | Path) else f"a {type(source).__name__}"


def _read_named(source: str | Path, wishes: Wishes) -> Table:
    path = Path(source)
    what = _what_is(path)
    if what == "file":
        return read_file(path, wishes)
    from crake.table import examples  # noqa: PLC0415  # only a name without a file needs them

    if str(source) in examples.names():
        wishes.only_for_text(str(source), "a bundled example")
        wishes.only_loaded(str(source), "a bundled example")
        return _overridden(examples.load(str(source)), wishes)
    if what == "folder" or (not what and is_pattern(str(source))):
        return read_many(path, wishes)
    raise ReadError(f"this is {what}" if what else _not_found(path, examples.names()), file=str(source))


def _what_is(path: Path) -> str:
    """A file, a folder, something else, or nothing."""
    try:
        if path.is_file():
            return "file"
        if path.is_dir():
            return "folder"
        return "not an ordinary file; copy it into one, or send it through - (stdin)" if path.exists() else ""
    except OSError:  # a name that is too long, a folder that may not be entered
        return ""


def _not_found(path: Path, examples: Sequence[str]) -> str:
    try:
        beside = [file.name for file in path.parent.iterdir() if ending_of(file.name) in ENDINGS]
    except OSError:
        return f"there is no folder {str(path.parent)!r}; check the path"
    close = difflib.get_close_matches(path.name, [*beside, *examples], n=1)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    return f"there is no such file. {hint}Bundled examples: {', '.join(examples)}"


def _read_memory(source: object, wishes: Wishes) -> Table:
    from crake.table.convert.frames import from_frame, from_xy  # noqa: PLC0415

    wishes.only_for_text("table", "data in memory")
    wishes.only_loaded("table", "data in memory")
    if isinstance(source, Table):
        return _overridden(source, wishes)
    if isinstance(source, np.ndarray):
        return with_classes(_overridden(from_xy(source), wishes), wishes)
    return with_classes(from_frame(source, **wishes.columns), wishes)


def _overridden(table: Table, wishes: Wishes) -> Table:
    from crake.table.column_options import apply  # noqa: PLC0415

    return apply(table, **wishes.columns)
