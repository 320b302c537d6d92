"""A table from standard input, which has no name to go by: its first bytes say what it is."""

from __future__ import annotations

import re
import sys

from crake.errors import ReadError
from crake.table.formats.by_ending import read_as
from crake.table.read_options import Wishes
from crake.table.table import Table

_ARFF = re.compile(rb"(?:\s*+(?:%[^\r\n]*+)?+[\r\n])*+\s*+@relation\b", re.IGNORECASE)


def read_standard_input(wishes: Wishes) -> Table:
    """All that comes, read as what it looks like."""
    name, limit = "stdin", wishes.max_bytes
    wishes.only_loaded(name, "standard input")
    data = sys.stdin.buffer.read() if limit is None else sys.stdin.buffer.read(limit + 1)
    if limit is not None and len(data) > limit:
        raise ReadError(f"more than the {limit:,} bytes that max_bytes= allows", file=name)
    from crake.table.formats.gzip import gunzip, is_gzip  # noqa: PLC0415

    if is_gzip(data):
        data = bytes(gunzip(data, file=name, max_bytes=limit))
    return read_as(sniffed_ending(data), data, name, wishes)


def sniffed_ending(data: bytes) -> str:
    r"""The ending a file of this content would have.

    >>> sniffed_ending(b"% 1. Title: Iris\n\n@RELATION iris\n"), sniffed_ending(b"outlook,play\n")
    ('.arff', '.csv')
    """
    from crake.table.formats.encoding import BYTE_ORDER_MARKS  # noqa: PLC0415

    if data.startswith(b"PAR1"):
        return ".parquet"
    encoding = next((name for mark, name in BYTE_ORDER_MARKS.items() if data.startswith(mark)), None)
    if encoding is not None:
        data = data.decode(encoding, "replace").encode("utf-8", "replace")
    return ".arff" if _ARFF.match(data) else ".csv"
