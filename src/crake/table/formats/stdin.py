"""A table from standard input, which has no name to tell its format."""

from __future__ import annotations

import sys

from crake.errors import ReadError
from crake.table.formats.choose import open_bytes, refuse_scan
from crake.table.read_options import ReadOptions
from crake.table.table import Table


def read_standard_input(options: ReadOptions) -> Table:
    """Read all of standard input; its format is the one asked for, or the one that its content tells."""
    name, limit = "stdin", options.max_bytes
    refuse_scan(options, "standard input", name)
    data = sys.stdin.buffer.read() if limit is None else sys.stdin.buffer.read(limit + 1)
    if limit is not None and len(data) > limit:
        raise ReadError(f"more than the {limit:,} bytes that max_bytes= allows", file=name)
    return open_bytes(data, name, options)
