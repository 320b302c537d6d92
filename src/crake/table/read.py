"""The one entrance: a file, standard input, an example by name, or data in memory becomes a Table."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from crake.errors import ReadError
from crake.table.patterns import is_pattern
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.table.overrides import Expected
    from crake.table.untrusted import Limits

CSV_ENDINGS = (".csv", ".tsv", ".txt", ".data")
ENDINGS = (*CSV_ENDINGS, ".arff", ".parquet", ".duckdb")
STANDARD_INPUT = "-"
_ARFF = re.compile(rb"(?:\s*+(?:%[^\r\n]*+)?+[\r\n])*+\s*+@relation\b", re.IGNORECASE)

_CSV_DEFAULTS = {"missing": None, "delimiter": None, "decimal": ".", "bad_rows": "error", "header": True}


@dataclass(frozen=True)
class _Wishes:
    """What the caller says of columns, and of the file."""

    columns: dict[str, Any]
    csv: dict[str, Any]
    encoding: str | None
    max_bytes: int | None
    expected: Expected | None
    in_memory: bool | None
    database: dict[str, Any]

    @property
    def expected_csv(self) -> dict[str, Any]:
        """The options for CSV, with what a model knows of missing values where the caller says nothing."""
        known = None if self.expected is None else self.expected.missing
        return self.csv if self.csv["missing"] is not None or known is None else {**self.csv, "missing": known}

    def for_columns(self, names: Sequence[str]) -> _Wishes:
        """Of a file with these columns only those that a model wants are read."""
        if self.expected is None:
            return self
        unwanted = [name for name in self.expected.unwanted(names) if name != self.columns["target"]]
        return replace(self, columns={**self.columns, "ignore": [*self.columns["ignore"], *unwanted]})

    def only_for_csv(self, file: str, kind: str) -> None:
        """Refuse options that would be passed over in silence."""
        for option, default in _CSV_DEFAULTS.items():
            if self.csv[option] != default:
                raise ReadError(f"{option}= is for CSV files, and this is {kind}; leave it out", file=file)

    def only_loaded(self, file: str, kind: str) -> None:
        """Refuse to promise a scan of what can only be loaded."""
        if self.in_memory is False:
            raise ReadError(f"in_memory=False is for files that can be scanned, and this is {kind}", file=file)


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
    `missing`, `delimiter`, `decimal`, `bad_rows` and `header` are those of `crake.table.csv.read_csv`.
    `expected` is what a model wants of the columns: in CSV, which declares nothing, their kinds; in other files, which
    of them are read. With `untrusted` the
    file is read in a process of its own with limits on memory and time (`crake.table.untrusted.Limits`).
    Files that would take more than a gigabyte are scanned, not loaded, unless `in_memory` says which it shall be.

    >>> read("golf")
    <Table 'golf': 14 rows, 4 nominal and 0 numeric features, target 'play'>
    """
    wishes = _Wishes(
        {"target": target}
        | {"nominal": _listed(nominal), "numeric": _listed(numeric), "text": _listed(text), "ignore": _listed(ignore)},
        {"missing": missing, "delimiter": delimiter, "decimal": decimal, "bad_rows": bad_rows, "header": header},
        encoding,
        max_bytes,
        expected,
        in_memory,
        {"table": table, "query": query},
    )
    if (table is not None or query is not None) and not _is_database(source):
        raise ReadError(f"table= and query= are for .duckdb files, and this is {_shown(source)}; leave them out")
    found = _read(source, wishes, untrusted)
    return found if missing is None else replace(found, missing=tuple(_listed(missing)))


def _read(source: object, wishes: _Wishes, untrusted: bool | Limits) -> Table:
    if untrusted:
        return _read_apart(source, wishes, None if isinstance(untrusted, bool) else untrusted)
    if isinstance(source, str) and source == STANDARD_INPUT:
        return _read_standard_input(wishes)
    if isinstance(source, str | Path):
        return _read_named(source, wishes)
    return _read_memory(source, wishes)


def _read_apart(source: object, wishes: _Wishes, limits: Limits | None) -> Table:
    from crake.table.untrusted import Limits, read_untrusted  # noqa: PLC0415  # starts a process

    if not isinstance(source, str | Path):
        raise ReadError(f"untrusted= is for files, and this is a {type(source).__name__}, which is parsed already")
    expected = None if wishes.expected is None else {**wishes.expected.kinds}
    options = {**wishes.columns, **wishes.csv, "encoding": wishes.encoding, "max_bytes": wishes.max_bytes}
    options |= {"in_memory": True, **wishes.database}
    options["missing"] = None if wishes.csv["missing"] is None else _listed(wishes.csv["missing"])
    of_model = wishes.expected
    keep, known = (False, None) if of_model is None else (of_model.keep, of_model.missing)
    request = {**options, "expected": expected, "keep": keep, "expected_missing": known}
    return read_untrusted(str(source), request, limits or Limits())


def _is_database(source: object) -> bool:
    return isinstance(source, str | Path) and _ending(str(source)) == ".duckdb"


def _shown(source: object) -> str:
    return str(source) if isinstance(source, str | Path) else f"a {type(source).__name__}"


def _listed(names: Iterable[str]) -> list[str]:
    """One name alone is a list of one, not of its letters."""
    return [names] if isinstance(names, str) else list(names)


def _read_named(source: str | Path, wishes: _Wishes) -> Table:
    path = Path(source)
    what = _what_is(path)
    if what == "file":
        return _read_file(path, path.name, wishes)
    from crake.table import examples  # noqa: PLC0415  # only a name without a file needs them

    if str(source) in examples.names():
        wishes.only_for_csv(str(source), "a bundled example")
        wishes.only_loaded(str(source), "a bundled example")
        return _overridden(examples.load(str(source)), wishes)
    if what == "folder" or (not what and is_pattern(str(source))):
        return _read_many(path, wishes)
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
        beside = [file.name for file in path.parent.iterdir() if _ending(file.name) in ENDINGS]
    except OSError:
        return f"there is no folder {str(path.parent)!r}; check the path"
    close = difflib.get_close_matches(path.name, [*beside, *examples], n=1)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    return f"there is no such file. {hint}Bundled examples: {', '.join(examples)}"


def _ending(name: str) -> str:
    """The ending that says what the file holds.

    >>> _ending("Loans.CSV.gz"), _ending("iris.arff")
    ('.csv', '.arff')
    """
    return Path(name.lower().removesuffix(".gz")).suffix


def _read_file(source: Path | bytes, name: str, wishes: _Wishes) -> Table:
    ending = _ending(name)
    if ending in CSV_ENDINGS:
        return _read_csv(source, name, wishes)
    if ending == ".arff":
        return _read_arff(source, name, wishes)
    if ending == ".parquet" and not name.lower().endswith(".gz"):
        return _read_parquet(source, name, wishes)
    if ending == ".duckdb" and isinstance(source, Path):
        return _read_duckdb(source, name, wishes)
    known = ", ".join(ENDINGS)
    raise ReadError(
        f"the ending {Path(name).suffix!r} is not known; crake reads {known}, also .gz of all but .parquet and "
        ".duckdb: rename it",
        file=name,
    )


def _read_csv(source: Path | bytes, name: str, wishes: _Wishes) -> Table:
    from crake.table.csv import read_csv  # noqa: PLC0415  # each format loads only what it needs

    if isinstance(source, Path) and _csv_is_scanned(source, wishes):
        return _scan_csv(source, name, wishes)
    return read_csv(
        source,
        name=name,
        **wishes.columns,
        **wishes.expected_csv,
        encoding=wishes.encoding,
        max_bytes=wishes.max_bytes,
        expected=wishes.expected,
    )


def _csv_is_scanned(path: Path, wishes: _Wishes) -> bool:
    """A packed text is never scanned, unless that was asked for (and is then refused)."""
    from crake.table.scanning import is_to_be_scanned  # noqa: PLC0415

    packed = path.name.lower().endswith(".gz") and wishes.in_memory is None
    return not packed and is_to_be_scanned(path.stat().st_size, wishes.in_memory)


def _scan_csv(path: Path, name: str, wishes: _Wishes) -> Table:
    from crake.table.scanning import scanned  # noqa: PLC0415
    from crake.table.sources.csv import CsvFile  # noqa: PLC0415

    options = {**wishes.columns, **wishes.expected_csv}
    file = CsvFile(path, name=name, **options, encoding=wishes.encoding, expected=wishes.expected)
    return scanned(file, **wishes.columns, notes=file.notes)


def _read_arff(source: Path | bytes, name: str, wishes: _Wishes) -> Table:
    from crake.table.arff import read_arff  # noqa: PLC0415

    wishes.only_for_csv(name, "ARFF")
    wishes.only_loaded(name, "ARFF")
    return read_arff(source, name=name, **wishes.columns, encoding=wishes.encoding, max_bytes=wishes.max_bytes)


def _read_parquet(source: Path | bytes, name: str, wishes: _Wishes) -> Table:
    from crake.table.parquet import column_names, read_parquet  # noqa: PLC0415

    wishes.only_for_csv(name, "Parquet")
    if wishes.expected is not None:
        wishes = wishes.for_columns(column_names(source, name))
    if isinstance(source, Path) and wishes.in_memory is not True:
        from crake.table.folders import scanned_parquet  # noqa: PLC0415

        large = scanned_parquet(source, **wishes.columns, max_bytes=wishes.max_bytes, in_memory=wishes.in_memory)
        if large is not None:
            return large
    return _with_classes(read_parquet(source, name=name, **wishes.columns, max_bytes=wishes.max_bytes), wishes)


def _read_duckdb(path: Path, name: str, wishes: _Wishes) -> Table:
    from crake.table.database import column_names, read_duckdb  # noqa: PLC0415

    wishes.only_for_csv(name, "a DuckDB file")
    if wishes.expected is not None:
        wishes = wishes.for_columns(column_names(path, **wishes.database))
    table = read_duckdb(
        path, **wishes.database, **wishes.columns, max_bytes=wishes.max_bytes, in_memory=wishes.in_memory
    )
    return _with_classes(table, wishes) if table.in_memory else table


def _read_many(path: Path, wishes: _Wishes) -> Table:
    """The Parquet files of a folder, or those a pattern names."""
    from crake.table.folders import column_names, read_parquet_files  # noqa: PLC0415

    wishes.only_for_csv(str(path), "Parquet")
    if wishes.expected is not None:
        wishes = wishes.for_columns(column_names(path))
    table = read_parquet_files(path, **wishes.columns, max_bytes=wishes.max_bytes, in_memory=wishes.in_memory)
    return _with_classes(table, wishes) if table.in_memory else table


def _read_standard_input(wishes: _Wishes) -> Table:
    """Standard input has no name to go by: its first bytes say what it is."""
    name, limit = "stdin", wishes.max_bytes
    wishes.only_loaded(name, "standard input")
    data = sys.stdin.buffer.read() if limit is None else sys.stdin.buffer.read(limit + 1)
    if limit is not None and len(data) > limit:
        raise ReadError(f"more than the {limit:,} bytes that max_bytes= allows", file=name)
    from crake.table.compressed import gunzip, is_gzip  # noqa: PLC0415

    if is_gzip(data):
        data = bytes(gunzip(data, file=name, max_bytes=limit))
    reader = {".csv": _read_csv, ".arff": _read_arff, ".parquet": _read_parquet}[_sniff(data)]
    return reader(data, name, wishes)


def _sniff(data: bytes) -> str:
    r"""The ending a file of this content would have.

    >>> _sniff(b"% 1. Title: Iris\n\n@RELATION iris\n"), _sniff(b"outlook,play\n")
    ('.arff', '.csv')
    """
    from crake.table.decoding import BYTE_ORDER_MARKS  # noqa: PLC0415

    if data.startswith(b"PAR1"):
        return ".parquet"
    encoding = next((name for mark, name in BYTE_ORDER_MARKS.items() if data.startswith(mark)), None)
    if encoding is not None:
        data = data.decode(encoding, "replace").encode("utf-8", "replace")
    return ".arff" if _ARFF.match(data) else ".csv"


def _read_memory(source: object, wishes: _Wishes) -> Table:
    from crake.table.frames import from_frame, from_xy  # noqa: PLC0415

    wishes.only_for_csv("table", "data in memory")
    wishes.only_loaded("table", "data in memory")
    if isinstance(source, Table):
        return _overridden(source, wishes)
    if isinstance(source, np.ndarray):
        return _with_classes(_overridden(from_xy(source), wishes), wishes)
    return _with_classes(from_frame(source, **wishes.columns), wishes)


def _overridden(table: Table, wishes: _Wishes) -> Table:
    from crake.table.overrides import apply  # noqa: PLC0415

    return apply(table, **wishes.columns)


def _with_classes(table: Table, wishes: _Wishes) -> Table:
    """A target of a few whole numbers holds classes, as in a CSV file, unless it was asked for as numeric."""
    from crake.table.target import whole_numbers_as_classes  # noqa: PLC0415

    return table if table.schema.target in wishes.columns["numeric"] else whole_numbers_as_classes(table)
