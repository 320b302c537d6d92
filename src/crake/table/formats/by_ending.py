"""Which reader a file's ending asks for; each format loads only what it needs."""

from __future__ import annotations

from pathlib import Path

from crake.errors import ReadError
from crake.table.read_options import Wishes
from crake.table.table import Table

CSV_ENDINGS = (".csv", ".tsv", ".txt", ".data")
NEVER_PACKED = (".parquet", ".duckdb")
ENDINGS = (*CSV_ENDINGS, ".arff", *NEVER_PACKED)


def ending_of(name: str) -> str:
    """The ending that says what the file holds.

    >>> ending_of("Loans.CSV.gz"), ending_of("iris.arff")
    ('.csv', '.arff')
    """
    return Path(name.lower().removesuffix(".gz")).suffix


def read_file(path: Path, wishes: Wishes) -> Table:
    """The file as what its ending says it is."""
    name, ending = path.name, ending_of(path.name)
    packed = name.lower().endswith(".gz")
    if ending not in ENDINGS or (packed and ending in NEVER_PACKED):
        raise ReadError(
            f"the ending {path.suffix!r} is not known; crake reads {', '.join(ENDINGS)}, also .gz of all but "
            f"{' and '.join(NEVER_PACKED)}: rename it",
            file=name,
        )
    return _read_duckdb(path, name, wishes) if ending == ".duckdb" else read_as(ending, path, name, wishes)


def read_as(ending: str, source: Path | bytes, name: str, wishes: Wishes) -> Table:
    """A file, or its bytes, read as one with this ending."""
    if ending == ".arff":
        return _read_arff(source, name, wishes)
    return _read_parquet(source, name, wishes) if ending == ".parquet" else _read_csv(source, name, wishes)


def _read_csv(source: Path | bytes, name: str, wishes: Wishes) -> Table:
    from crake.table.formats.csv.reader import read_csv  # noqa: PLC0415  # each format loads only what it needs

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


def _csv_is_scanned(path: Path, wishes: Wishes) -> bool:
    """A packed text is never scanned, unless that was asked for (and is then refused)."""
    from crake.table.sources.scanned_table import is_to_be_scanned  # noqa: PLC0415

    packed = path.name.lower().endswith(".gz") and wishes.in_memory is None
    return not packed and is_to_be_scanned(path.stat().st_size, wishes.in_memory)


def _scan_csv(path: Path, name: str, wishes: Wishes) -> Table:
    from crake.table.formats.csv.scan import CsvFile  # noqa: PLC0415
    from crake.table.sources.scanned_table import scanned  # noqa: PLC0415

    options = {**wishes.columns, **wishes.expected_csv}
    file = CsvFile(path, name=name, **options, encoding=wishes.encoding, expected=wishes.expected)
    return scanned(file, **wishes.columns, notes=file.notes, is_decided=True)


def _read_arff(source: Path | bytes, name: str, wishes: Wishes) -> Table:
    from crake.table.formats.arff.reader import read_arff  # noqa: PLC0415

    wishes.only_for_csv(name, "ARFF")
    wishes.only_loaded(name, "ARFF")
    return read_arff(source, name=name, **wishes.columns, encoding=wishes.encoding, max_bytes=wishes.max_bytes)


def _read_parquet(source: Path | bytes, name: str, wishes: Wishes) -> Table:
    from crake.table.formats.parquet.reader import column_names, read_parquet  # noqa: PLC0415

    wishes.only_for_text(name, "Parquet")
    if wishes.expected is not None:
        wishes = wishes.for_columns(column_names(source, name))
    if isinstance(source, Path) and wishes.in_memory is not True:
        from crake.table.formats.parquet.folder import scanned_parquet  # noqa: PLC0415

        large = scanned_parquet(source, **wishes.columns, max_bytes=wishes.max_bytes, in_memory=wishes.in_memory)
        if large is not None:
            return large
    return with_classes(read_parquet(source, name=name, **wishes.columns, max_bytes=wishes.max_bytes), wishes)


def _read_duckdb(path: Path, name: str, wishes: Wishes) -> Table:
    from crake.table.formats.duckdb.reader import column_names, read_duckdb  # noqa: PLC0415

    wishes.only_for_text(name, "a DuckDB file")
    if wishes.expected is not None:
        wishes = wishes.for_columns(column_names(path, **wishes.database))
    table = read_duckdb(
        path, **wishes.database, **wishes.columns, max_bytes=wishes.max_bytes, in_memory=wishes.in_memory
    )
    return with_classes(table, wishes) if table.in_memory else table


def read_many(path: Path, wishes: Wishes) -> Table:
    """The Parquet files of a folder, or those a pattern names."""
    from crake.table.formats.parquet.folder import column_names, read_parquet_files  # noqa: PLC0415

    wishes.only_for_text(str(path), "Parquet")
    if wishes.expected is not None:
        wishes = wishes.for_columns(column_names(path))
    table = read_parquet_files(path, **wishes.columns, max_bytes=wishes.max_bytes, in_memory=wishes.in_memory)
    return with_classes(table, wishes) if table.in_memory else table


def with_classes(table: Table, wishes: Wishes) -> Table:
    """A target of a few whole numbers holds classes, as in a CSV file, unless it was asked for as numeric."""
    from crake.table.target import whole_numbers_as_classes  # noqa: PLC0415

    return table if table.schema.target in wishes.columns["numeric"] else whole_numbers_as_classes(table)
