"""Reading delimited text into a table: exact, whole columns decide their kind, faults have line numbers.

The rules of kinds and missing cells are those of `inference`, of names those of `column_names`, of delimiters and line
ends those of `dialect`. Beyond them:

- A quote counts where a field begins with it (after spaces). Inside, it is doubled; after the closing one only
  spaces may follow. Fields without quotes lose the spaces around them; quoted ones are kept as they are.
- Blank lines (of spaces only) are passed over wherever they are.
- A row with another number of fields than the header is an error, or is left out and counted with bad_rows="skip".
- A target of whole numbers with at most 50 distinct values is read as classes; any other numeric one stays numeric.
- UTF-8 unless a byte order mark or `encoding` says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import IO, Unpack

from crake.errors import ColumnNotFound, ReadError
from crake.render.sentences import counted
from crake.table.dates import RULES
from crake.table.formats.csv.chunks import Rows, count_lines
from crake.table.formats.csv.content import Content, content_of_bytes, content_of_file
from crake.table.formats.csv.dialect import Dialect
from crake.table.formats.csv.kinds import Columns, KindOptions
from crake.table.formats.csv.opening import names_of, opened
from crake.table.formats.packed import unpacked_bytes, unpacked_file
from crake.table.inference import MissingTokens
from crake.table.read_options import ReadKeywords, ReadOptions
from crake.table.schema import Schema
from crake.table.sources.memory import MemorySource
from crake.table.table import Table


def read_csv(
    path_or_buffer: str | Path | bytes | bytearray | memoryview | IO[bytes],
    *,
    name: str | None = None,
    **keywords: Unpack[ReadKeywords],
) -> Table:
    r"""Read a delimited text (a path, bytes, or a binary file object), packed or not, into a table in memory.

    The keywords are those of `crake.read`. `nominal`, `numeric`, `text` and `ignore` name columns whose kind is not to
    be inferred. `missing` replaces the tokens that mean missing (the empty cell always does). `decimal` is what stands
    before the fraction of a number, "." or ",". `max_bytes` is the most a packed file may unpack to. Without a `header`
    the columns are called column_1, column_2, …; `header` None finds out by the rule of `header`. `names` are used in
    place of the first row, `skip_rows` lines are passed over at the start, and lines that begin with `comment`.
    `widths` are the numbers of characters of the columns of a text without delimiters.
    Notes on what reading did are in `table.notes`.

    >>> table = read_csv(b"size,colour,zip\n1.5,red,01234\n?,blue,00501\n", target="colour")
    >>> [(column.name, str(column.kind), column.levels) for column in table.schema.columns]
    [('size', 'numeric', ()), ('colour', 'nominal', ('blue', 'red')), ('zip', 'nominal', ('00501', '01234'))]
    """
    options = ReadOptions.of(**keywords)
    if isinstance(path_or_buffer, str | Path):
        path = Path(path_or_buffer)
        return load_csv(unpacked_file(path, path.name, options.max_bytes), name or path.name, options)
    is_open_file = not isinstance(path_or_buffer, bytes | bytearray | memoryview)
    data = path_or_buffer.read() if is_open_file else bytes(path_or_buffer)  # type: ignore[union-attr, arg-type]
    title = name or "the data"
    return load_csv(unpacked_bytes(data, title, options.max_bytes), title, options)


def load_csv(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    """Return the table of a file or of its bytes, in memory."""
    if options.widths is not None:
        from crake.table.formats.fixed_width import load_fixed_width  # noqa: PLC0415  # it is built on this reader

        return load_fixed_width(source, name, options)
    if not isinstance(source, Path):
        return load_content(content_of_bytes(source, file=name, encoding=options.encoding), name, options)
    try:
        with source.open("rb") as file:
            return load_content(content_of_file(file, source, encoding=options.encoding), name, options)
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror or error}", file=str(source)) from None


@dataclass(frozen=True)
class TextTable:
    """A text opened up to its first row of data: its rows, the names of its columns, and how they are to be read."""

    rows: Rows
    names: list[str]
    options: KindOptions
    notes: list[str]

    @classmethod
    def of(cls, content: Content, file: str, options: ReadOptions, dialect: Dialect | None = None) -> TextTable:
        """Open the text and check the options against its columns."""
        tokens = MissingTokens.of(options.missing_tokens, comma=has_comma(options.decimal))
        rows, notes = opened(content, file, options, dialect)
        header = names_of(rows, tokens, options)
        names, expected = header.names, options.expected
        requested = options.columns.resolved(names, f"{file}{header.hint}")
        kinds = requested.kinds(names, f"{file}{header.hint}")
        if expected is not None:
            if header.hint and not set(names) & set(expected.kinds):
                raise ColumnNotFound(next(iter(expected.kinds), ""), names, where=f" in {file}{header.hint}")
            kinds = {**expected.of_columns(names), **kinds}
        if options.dates not in (None, "text", *RULES):
            raise ReadError(f"expected dates= (--dates) to be ymd, dmy, mdy or text, got {options.dates!r}")
        of_model = expected is not None
        notations = {} if expected is None else expected.notations
        text_notes = [*header.notes, *notes]
        delimits = rows.dialect.delimiter == ","
        how = KindOptions(requested.target, kinds, tokens, of_model, notations, options.dates, delimits)
        return cls(rows, names, how, text_notes)


def load_content(content: Content, file: str, options: ReadOptions, dialect: Dialect | None = None) -> Table:
    """Return the table of a text, in memory; `dialect` is that of a text which crake wrote itself."""
    text = TextTable.of(content, file, options, dialect)
    rows = text.rows
    capacity = min(count_lines(rows.content, rows.dialect.end), rows.content.size // rows.columns + 1)
    columns = Columns(rows, text.names, text.options, capacity)
    decided = columns.decide()
    read = columns.read
    refuse_no_rows(read)
    cells = {one.column.name: one.cells for one in decided if one.cells is not None}
    schema = Schema(tuple(one.column for one in decided), text.options.target)
    notes = [*text.notes, *skipped_note(read), *columns.findings.notes()]
    return Table(schema, MemorySource(cells, read.row), name=rows.file, notes=tuple(notes))


def has_comma(decimal: str) -> bool:
    """Return True if numbers are written with a decimal comma; raise for anything but a comma or a point."""
    if decimal not in (".", ","):
        raise ReadError(f"expected decimal= (--decimal) to be . or a comma, got {decimal!r}")
    return decimal == ","


def refuse_no_rows(read: Rows) -> None:
    """Return a table needs a row."""
    if read.row == 0:
        reason = (
            f"none of the {read.skipped} rows could be read" if read.skipped else "there is no row below the header"
        )
        raise ReadError(f"{reason}; expected one row at least", file=read.file)


def skipped_note(rows: Rows) -> list[str]:
    """Return a sentence on rows that were left out."""
    if rows.skipped == 0:
        return []
    lines = ", ".join(map(str, rows.skipped_lines)) + (" …" if rows.skipped > len(rows.skipped_lines) else "")
    return [f"{counted(rows.skipped, 'bad row')} left out (line{'s' * (rows.skipped > 1)} {lines})"]
