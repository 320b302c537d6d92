"""Bodies of requests as tables under a model: JSON, CSV or Arrow, read by the readers of files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from crake.errors import ReadError
from crake.server.exchange import JSON, Request
from crake.server.models import ServedModel
from crake.server.problems import Problem
from crake.table.column_options import Expected
from crake.table.formats.archive import is_zip
from crake.table.formats.choose import open_bytes
from crake.table.formats.json.records import decoded
from crake.table.formats.packed import unpacked_bytes
from crake.table.read_options import ReadOptions
from crake.table.table import Table

CSV = "text/csv"
ARROW_STREAM, ARROW_FILE = "application/vnd.apache.arrow.stream", "application/vnd.apache.arrow.file"
LINES = "application/x-ndjson"
FORMATS = {JSON: "json", LINES: "json", CSV: "csv", ARROW_STREAM: "arrow", ARROW_FILE: "arrow"}
"""The format of files that each type of body is read as."""
NAME = "request"
"""The body's name in messages."""
TIMES_BODY = 4
"""Bytes that a packed body may unpack to, for each byte of the largest body."""
_STEP, _END, _RETURN = 1 << 20, ord("\n"), ord("\r")
_NOISE = "columns without any value"
"""The beginning of a note on columns, which the counts of missing cells say of requests."""


@dataclass(frozen=True)
class Body:
    """The bytes of a request, and the format they are written in."""

    content: bytes
    format: str

    @classmethod
    def of(cls, request: Request, content: bytes) -> Body:
        """Return the body of a request; raise where its type is none that is read."""
        if request.media_type not in FORMATS:
            named = repr(request.media_type[:100]) if request.media_type else "none"
            known = ", ".join(dict.fromkeys(FORMATS))
            message = f"expected a Content-Type among {known}, got {named}"
            raise Problem(415, "media_type", message, headers=(("accept-post", known),))
        charset = request.headers.get("content-type", "").lower().partition("charset=")[2].strip('" ')
        if charset and charset not in ("utf-8", "utf8", "us-ascii"):
            raise Problem(415, "charset", f"expected UTF-8, got {charset[:40]!r}")
        if not content:
            raise Problem(400, "empty_body", "expected rows in the body, got none")
        return cls(content, FORMATS[request.media_type])

    def records(self) -> list[Any] | None:
        """Return the records of a list of JSON, or the one record of an object; None for any other body.

        Numbers are the texts that stand in the JSON. Raise for what is not JSON.
        """
        if self.format != "json":
            return None
        try:
            value = decoded(self.content.decode(), NAME, 1)
        except UnicodeDecodeError:
            raise Problem(400, "malformed_json", "expected JSON in UTF-8, got other bytes") from None
        except ReadError as error:
            if self.content.count(b"\n") > 0:
                return None  # perhaps one record a line: the reader decides
            raise Problem(400, "malformed_json", str(error)) from None
        if isinstance(value, list):
            return value
        return [value] if isinstance(value, dict) else None

    def table(self, expected: Expected, max_bytes: int, max_rows: int | None = None) -> Table:
        """Return the rows, read as `crake predict` reads a file of this format; lines are counted beforehand."""
        limit = TIMES_BODY * max_bytes
        options = ReadOptions.of(format=self.format, expected=expected, max_bytes=limit)
        content = self.content
        if self.format == "csv" and not is_zip(content):
            content = cast("bytes", unpacked_bytes(content, NAME, limit))  # not copied: it is read, never changed
            if max_rows is not None:
                check_rows(lines_in(content) - 1, max_rows)
        return open_bytes(content, NAME, options)


def lines_in(content: bytes) -> int:
    r"""Return the number of lines that hold something, where a cell in quotes may have several lines.

    A sign of quoting inside a plain cell hides lines, and adds none.

    >>> lines_in(b'a,b\n1,"x\ny"\n\n2,z'), lines_in(b"a\r1\r2")
    (3, 3)
    """
    ends, is_inside, before = 0, False, _END
    for start in range(0, len(content), _STEP):
        signs = np.frombuffer(content, np.uint8, min(_STEP, len(content) - start), start)
        inside = np.logical_xor.accumulate(signs == ord('"')) ^ is_inside
        is_end = (signs == _END) | (signs == _RETURN)
        previous = np.concatenate(([before], signs[:-1]))
        ends += int(np.count_nonzero(is_end & ~inside & (previous != _END) & (previous != _RETURN)))
        is_inside, before = bool(inside[-1]), int(signs[-1])
    return ends + (before not in (_END, _RETURN))


def certain_table(served: ServedModel, body: Body) -> tuple[Table, tuple[str, ...]] | None:
    """Return the rows of a JSON body whose cells are beyond doubt, coded under the model, and notes on them."""
    records = body.records()
    return None if records is None or served.certain is None else served.certain.table(records)


def notes_on(table: Table) -> list[str]:
    """Return what reading found worth saying of the rows of a request."""
    return [note for note in table.notes if not note.startswith(_NOISE)]


def check_rows(rows: int, most: int) -> None:
    """Raise for more rows than one request may have."""
    if rows > most:
        message = f"expected at most {most:,} rows a request, got {rows:,}; send them in parts (--max-rows allows more)"
        raise Problem(413, "many_rows", message)
