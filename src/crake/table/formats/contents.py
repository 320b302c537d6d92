"""The tables inside a file that may hold several: those of a database, sheets of a workbook, files of an archive."""

from __future__ import annotations

from pathlib import Path

from crake.table.formats.archive import Archive
from crake.table.formats.choose import ZIP, ending_of, expected_format, file_endings

OPTIONS = {"sqlite": "table", "duckdb": "table", "xlsx": "sheet", "ods": "sheet"}
"""The option of `crake.read` that chooses one of the tables, by the format of the file."""


def option_of(name: str) -> str | None:
    """Return the option that chooses a table inside a file of this name; None for a file that is one table.

    >>> option_of("shop.db"), option_of("book.xlsx"), option_of("all.zip"), option_of("golf.csv")
    ('table', 'sheet', 'member', None)
    """
    if name.lower().endswith(ZIP):
        return "member"
    chosen = expected_format(name)
    return None if chosen is None else OPTIONS.get(chosen.name)


def tables_inside(path: Path, *, apart: bool = False) -> list[str]:
    """Return the names of the tables inside a file, without reading any row; none of a file that is one table.

    A database is opened by a child process with limits if `apart` is asked for, as for a stranger's file.
    """
    if path.suffix.lower() == ZIP:
        return _members(path)
    chosen = expected_format(path.name)
    kind = "" if chosen is None else chosen.name
    if kind == "sqlite":
        return _in_sqlite(path, apart=apart)
    if kind == "duckdb":
        from crake.table.formats.duckdb.scan import tables_in  # noqa: PLC0415  # each loads only what it needs

        return tables_in(path)
    if kind == "xlsx":
        from crake.table.formats.xlsx.reader import sheet_names  # noqa: PLC0415

        return sheet_names(path, path.name)
    if kind == "ods":
        from crake.table.formats.ods.reader import sheet_names as names_in_ods  # noqa: PLC0415

        return names_in_ods(path, path.name)
    return []


def _in_sqlite(path: Path, *, apart: bool) -> list[str]:
    from crake.table.formats.sqlite.apart import RowsApart  # noqa: PLC0415
    from crake.table.formats.sqlite.session import LISTING, session  # noqa: PLC0415

    if not apart:
        with session(path, path.name, is_query=False) as connection:
            return connection.tables()
    with RowsApart(path, path.name, LISTING, is_query=False).opened() as (_, portions):
        return [row[0] for portion in portions for row in portion]


def _members(path: Path) -> list[str]:
    with Archive(path, path.name) as archive:
        shown = [name for name in archive.members if not Path(name).name.startswith(".")]
    return [name for name in shown if ending_of(name) in file_endings()] or shown
