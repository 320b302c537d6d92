"""The format of a source: by the name a caller gives, by ending, content, address, or the type of an object."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from crake.errors import ReadError
from crake.table.column_names import shortened
from crake.table.formats import FORMATS
from crake.table.formats.archive import Archive, is_zip
from crake.table.formats.csv import FORMAT as CSV
from crake.table.formats.format import Format
from crake.table.formats.packed import PACKINGS, unpacked_bytes, unpacked_file, without_packing
from crake.table.read_options import ReadOptions

if TYPE_CHECKING:
    from crake.table.table import Table


ZIP = ".zip"
_OLD_BOOKS = (".xls", ".xlsb")
HEAD_OF_TEXT = 512
"""Bytes at the start of a file that tell text from other content."""
_NO_TEXTS = {
    b"PK\x03\x04": "a zip archive or a workbook",
    b"\xd0\xcf\x11\xe0": "an old Excel file",
    b"PAR1\x15": "Parquet",
    b"ARROW1\0\0": "Arrow",
    b"SQLite format 3\0": "a SQLite database",
    b"%PDF-": "a PDF document",
    b"\x89PNG": "a picture",
}
"""First bytes of files that are given the ending of a text by mistake. A column of a text may be called PAR1."""
_NO_TABLES = ("a PDF document", "a picture")
_TEXT = bytes({*b"\t\n\f\r", *range(32, 127), *range(128, 256)})
"""The bytes that texts of any encoding are made of, UTF-16 and UTF-32 excepted."""


def ending_of(name: str) -> str:
    """Return the ending that tells the format of a file.

    >>> ending_of("Loans.CSV.gz"), ending_of("iris.arff")
    ('.csv', '.arff')
    """
    return Path(without_packing(name)).suffix


def file_endings() -> tuple[str, ...]:
    """Return the endings of all formats."""
    return tuple(ending for each in FORMATS for ending in each.endings)


def format_named(name: str) -> Format:
    """Return the format of files with this name.

    >>> format_named("arff").title
    'ARFF'
    """
    of_files = {each.name: each for each in FORMATS if each.endings}
    if name not in of_files:
        raise ReadError(f"expected a format among {', '.join(of_files)}, got {name!r}")
    return of_files[name]


def format_of_file(path: Path) -> Format:
    """Return the format that the ending of a file tells; raise if it is not known."""
    ending, is_packed = ending_of(path.name), without_packing(path.name) != path.name.lower()
    chosen = next((each for each in FORMATS if ending in each.endings), None)
    if chosen is None or (is_packed and not chosen.can_be_packed):
        if path.suffix.lower() in _OLD_BOOKS:
            raise ReadError("old Excel files are not read; save it as .xlsx or CSV", file=path.name)
        told = f"the ending {path.suffix!r} is not known" if path.suffix else "no ending tells the format"
        packed = ", ".join(e for each in FORMATS if each.can_be_packed for e in each.endings)
        raise ReadError(
            f"{told}; crake reads {', '.join(file_endings())}, also in a {ZIP}, and "
            f"{', '.join(packing.ending for packing in PACKINGS)} of {packed}: rename it, or name its format, as in "
            f"format={CSV.name!r} (--format {CSV.name})",
            file=path.name,
        )
    return chosen


def format_of_content(data: bytes | bytearray) -> Format | None:
    r"""Return the format whose files begin as these bytes do; None if no format claims them.

    >>> format_of_content(b"PAR1\x15\x04").name, format_of_content(b"outlook,play\n")
    ('parquet', None)
    """
    return next((each for each in FORMATS if each.sniff is not None and each.sniff(data)), None)


def format_of_address(source: str) -> Format | None:
    """Return the format of an address such as scheme://host/table; None if no format has its scheme.

    >>> format_of_address("clicks/*.parquet")
    """
    scheme, separator, _ = source.partition("://")
    return next((each for each in FORMATS if separator and scheme.lower() in each.schemes), None)


def format_of_object(source: object) -> Format:
    """Return the format of an object in memory; the last format takes any."""
    return next(each for each in FORMATS if each.accepts is not None and each.accepts(source))


def is_pattern(name: str) -> bool:
    """Return True if the name has the signs of a pattern of files.

    >>> is_pattern("clicks/*.parquet"), is_pattern("clicks.parquet")
    (True, False)
    """
    return any(sign in name for sign in "*?[")


def format_of_folder() -> Format:
    """Return the format whose files are read together from a folder or a pattern."""
    return next(each for each in FORMATS if each.reads_folders)


def expected_format(source: str, name: str | None = None) -> Format | None:
    """Return the format asked for, or the one that the name of a source tells; None if it tells none.

    >>> expected_format("loans.csv.gz").name, expected_format("loans.log", "arff").name, expected_format("golf")
    ('csv', 'arff', None)
    """
    if name is not None:
        return format_named(name)
    if Path(source).is_dir():
        return format_of_folder()
    return next((each for each in FORMATS if ending_of(source) in each.endings), None)


def open_file(path: Path, options: ReadOptions) -> Table:
    """Return the table of a file: of the format asked for, or of the one that its ending tells."""
    if path.suffix.lower() == ZIP and options.format not in ("xlsx", "ods"):
        return _open_member(path, path.name, options)
    _refuse_member(options, path.name)
    chosen = format_of_file(path) if options.format is None else format_named(options.format)
    check_options(options, chosen, path.name)
    if options.format is None and chosen.is_never_text:
        _refuse_text(path, chosen)
    if chosen is CSV and options.encoding is None:
        _refuse_other_content(path)
    source = unpacked_file(path, path.name, options.max_bytes) if chosen.can_be_packed else path
    if source is not path and options.in_memory is False:
        raise ReadError(
            "a packed file can be loaded but not scanned; unpack it, or read it with in_memory=True (without --memory) "
            "if it fits",
            file=path.name,
        )
    return chosen.open(source, path.name, options)


def open_bytes(data: bytes, name: str, options: ReadOptions) -> Table:
    """Return the table of the bytes of a file: of the format asked for, or of the one that its content tells."""
    chosen = format_of_content(data) if options.format is None else format_named(options.format)
    if is_zip(data) and (chosen is None or chosen.can_be_packed):
        return _open_member(data, name, options)
    _refuse_member(options, name)
    content: bytes | bytearray = data
    if chosen is None or chosen.can_be_packed:
        content = unpacked_bytes(data, name, options.max_bytes)
    chosen = chosen or format_of_content(content) or CSV
    if not chosen.from_bytes:
        raise ReadError(f"{chosen.title} is read from a file, not from bytes; save it and name the file", file=name)
    return open_source(chosen, content, name, options)


def _open_member(source: Path | bytes, name: str, options: ReadOptions) -> Table:
    """Return the table of a zip archive: of its only file, of the only one crake reads, or of the one named."""
    with Archive(source, name, options.max_bytes) as archive:
        members = [each for each in archive.members if not Path(each).name.startswith(".")]
        known = [each for each in members if ending_of(each) in file_endings()] or members
        if options.member is not None:
            known = [each for each in archive.members if each == options.member]
        if len(known) != 1:
            listed = ", ".join(map(shortened, members[:20])) + (" …" if len(members) > 20 else "")
            what = "one file" if options.member is None else repr(options.member)
            raise ReadError(f"expected {what} in the archive, got {listed or 'none'}; name one: --member", file=name)
        data = bytes(archive.read(known[0]))
    ending = next((each for each in FORMATS if ending_of(known[0]) in each.endings), None)
    chosen = format_named(options.format) if options.format is not None else ending
    if chosen is None:
        return open_bytes(data, name, replace(options, member=None))
    if not chosen.from_bytes:
        raise ReadError(f"{chosen.title} is read from a file, not from an archive; unpack it first", file=name)
    content = unpacked_bytes(data, name, options.max_bytes) if chosen.can_be_packed else data
    return open_source(chosen, content, name, options)


def _refuse_text(path: Path, chosen: Format) -> None:
    """Raise if a file begins with text although its ending tells a format that never does."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_OF_TEXT)
    except OSError:
        return  # opening it will say why
    if head and not head.translate(None, _TEXT):
        hint = f"if it is CSV, rename it, or name its format: format={CSV.name!r} (--format {CSV.name})"
        raise ReadError(f"expected {chosen.title}, got text; {hint}", file=path.name)


def _refuse_other_content(path: Path) -> None:
    """Raise if a file is no text although it is to be read as CSV: another format, a web page, a picture."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_OF_TEXT)
    except OSError:
        return  # opening it will say why
    page = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:14].lower()
    if page.startswith((b"<!doctype html", b"<html")):
        raise ReadError("expected CSV, got a web page (HTML): was an error page saved in its place?", file=path.name)
    what = next((title for start, title in _NO_TEXTS.items() if head.startswith(start)), None)
    if what in _NO_TABLES:
        raise ReadError(f"expected CSV, got {what}, in which crake finds no table", file=path.name)
    if what is not None:
        hint = "rename it, or name its format with --format (format=)"
        raise ReadError(f"expected CSV, got {what}; {hint}", file=path.name)


def _refuse_member(options: ReadOptions, file: str) -> None:
    if options.member is not None:
        raise ReadError("member= is for zip archives, and this is none; leave it out", file=file)


def open_source(chosen: Format, source: object, name: str, options: ReadOptions) -> Table:
    """Return the table of a source, after a check that its format knows all options that were set."""
    check_options(options, chosen, name)
    return chosen.open(source, name, options)


def check_options(options: ReadOptions, chosen: Format, file: str) -> None:
    """Raise for an option that the format would pass over in silence."""
    for option in options.changed():
        if option not in chosen.options:
            names = [known.title for known in FORMATS if option in known.options]
            titles = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
            raise ReadError(f"{option}= is for {titles} files, and this is {chosen.title}; leave it out", file=file)
    if not chosen.can_scan:
        refuse_scan(options, chosen.title, file)


def refuse_scan(options: ReadOptions, kind: str, file: str) -> None:
    """Raise if a scan is asked for of a source that can only be loaded."""
    if options.in_memory is False:
        raise ReadError(
            f"in_memory=False is for files that can be scanned, and this is {kind}; leave it out (--memory on the "
            "command line), or save the table as CSV, JSON lines, Parquet, Arrow, SQLite or DuckDB",
            file=file,
        )
