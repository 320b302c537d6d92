"""A delimited text from its first byte to its first row of data: dialect, lines to pass over, names of the columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

from crake.errors import ReadError
from crake.table.column_names import file_names, unique_names
from crake.table.formats.csv import header
from crake.table.formats.csv.chunks import Rows
from crake.table.formats.csv.content import Content
from crake.table.formats.csv.dialect import QUOTES, SAMPLE_BYTES, Dialect, one_byte, separator_line, sniff
from crake.table.inference import MissingTokens
from crake.table.read_options import ReadOptions

MOST_COLUMNS = 100_000
_LINE_BYTES = 1_000_000


def opened(content: Content, file: str, options: ReadOptions, dialect: Dialect | None = None) -> tuple[Rows, list[str]]:
    """Return the rows from the first one on, with the number of columns known, and notes on the dialect.

    `dialect` is that of a text which crake wrote itself.
    """
    ends = (b"\n", b"\r") if dialect is None else (dialect.end.encode(),)
    position = _after_lines(content, file, options.skip_rows, ends)
    notes: list[str] = []
    if dialect is None:
        dialect, position, notes = _dialect(content, position, options)
    lines = content.read(0, position).count(dialect.end.encode()) if position else 0
    rows = Rows(content, dialect, 0, file, is_skipping(options.bad_rows), position, 1 + lines)
    rows.columns = rows.count_fields()
    if rows.columns == 0:
        raise ReadError("the file is empty; expected a header and rows", file=file)
    if rows.columns > MOST_COLUMNS:
        message = f"{rows.columns:,} columns; expected at most {MOST_COLUMNS:,}: is the table turned on its side?"
        raise ReadError(message, file=file)
    return rows, notes


def is_skipping(bad_rows: str) -> bool:
    """Return True if rows with a wrong number of fields are left out; raise for other words than error and skip."""
    if bad_rows not in ("error", "skip"):
        raise ReadError(f"expected bad_rows= (--bad-rows) to be error or skip, got {bad_rows!r}")
    return bad_rows == "skip"


@dataclass(frozen=True)
class Names:
    """The names of the columns, notes on them, and what an error about an unknown column adds."""

    names: list[str]
    notes: list[str]
    hint: str = ""


def names_of(rows: Rows, missing: MissingTokens, options: ReadOptions) -> Names:
    """Return the names of the columns; the rows then start at the first row of data."""
    start = rows.position
    result = _found_names(rows, missing, options)
    if options.names is None:
        return result
    if len(options.names) != rows.columns:
        raise ReadError(f"expected {rows.columns} names, one per column, got {len(options.names)}", file=rows.file)
    replaced = f"the first row is taken as names, which --names replaces: {_few(result.names)} (--no-header keeps it)"
    names, notes = file_names(options.names)
    return Names(names, [*([] if rows.position == start else [replaced]), *notes])


def _dialect(content: Content, position: int, options: ReadOptions) -> tuple[Dialect, int, list[str]]:
    """Return the dialect, the place of the first row and a note on quotes."""
    sample = content.read(position, position + SAMPLE_BYTES)
    text, delimiter = sample.decode(errors="replace"), options.delimiter
    line = separator_line(text)
    if line is not None:
        delimiter, text = delimiter or line[0], text[line[1] :]
        position += line[1]
    comment = "" if options.comment is None else one_byte(options.comment, "--comment")
    whole = position + len(sample) >= content.size
    dialect = sniff(text, delimiter=delimiter, whole=whole, comment=comment)
    if options.quote is not None:
        if options.quote not in QUOTES:
            raise ReadError(f"""expected quote= (--quote) to be " or ', got {options.quote!r}""")
        return replace(dialect, quote=options.quote), position, []
    note = "fields are in single quotes, which are left out (--quote '\"' keeps them)"
    return dialect, position, [note] if dialect.quote == "'" else []


def _found_names(rows: Rows, missing: MissingTokens, options: ReadOptions) -> Names:
    plain = unique_names([""] * rows.columns)[0]
    if options.header is False:
        return Names(plain, [])
    first = _first_row(rows, missing, plain, options)
    if not first.is_header:
        hint = ", whose first row looks like data (--names names the columns, --header takes that row)"
        return Names(plain, [first.note], hint)
    chunk = rows.next_chunk(most_rows=1)
    rows.row = 0
    names, notes = file_names([chunk.text(column, 0).decode() for column in range(rows.columns)] if chunk else [])
    return Names(names, [*([first.note] if first.note else []), *notes])


def _first_row(rows: Rows, missing: MissingTokens, plain: list[str], options: ReadOptions) -> header.FirstRow:
    """Return what the first row is: as asked, as the names that the caller or a model uses tell, or as it looks."""
    if options.header:
        return header.FirstRow(is_header=True)
    sample = rows.again()
    sample.skip = True
    chunk = sample.next_chunk(most_rows=header.ROWS)
    if chunk is None:
        return header.FirstRow(is_header=True)
    looked_at = range(min(rows.columns, header.COLUMNS))
    named = options.named_columns()
    if named:
        cells = {chunk.text(column, 0).decode(errors="replace").strip() for column in range(rows.columns)}
        if named & cells:
            return header.FirstRow(is_header=True)
        if named <= set(plain):
            return header.FirstRow(is_header=False, note=header.no_header(rows.columns))
    return header.decide([header.ChunkColumn(chunk, column) for column in looked_at], missing, rows.columns)


def _after_lines(content: Content, file: str, lines: int, ends: tuple[bytes, ...]) -> int:
    """Return the place after this number of lines."""
    position = 0
    for _ in range(lines):
        piece = content.read(position, position + _LINE_BYTES)
        places = [place for place in map(piece.find, ends) if place >= 0]
        if not places:
            raise ReadError(f"expected more than the {lines} lines that --skip-rows passes over", file=file)
        at = min(places)
        position += at + (2 if piece[at : at + 2] == b"\r\n" else 1)
    return position


def _few(names: list[str]) -> str:
    return ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
