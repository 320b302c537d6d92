"""WEKA's ARFF files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from crake.table.formats.encoding import BYTE_ORDER_MARKS
from crake.table.formats.format import Format

if TYPE_CHECKING:
    from crake.table.read_options import ReadOptions
    from crake.table.table import Table

_BEGINNING = re.compile(rb"(?:\s*+(?:%[^\r\n]*+)?+[\r\n])*+\s*+@relation\b", re.IGNORECASE)


def _open(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    from crake.table.formats.arff.reader import open_arff  # noqa: PLC0415  # each format loads only what it needs

    return open_arff(source, name, options)


def is_arff(data: bytes | bytearray) -> bool:
    r"""Return True if the bytes begin as an ARFF file does: comments, then @relation.

    >>> is_arff(b"% 1. Title: Iris\n\n@RELATION iris\n"), is_arff(b"outlook,play\n")
    (True, False)
    """
    encoding = next((name for mark, name in BYTE_ORDER_MARKS.items() if data.startswith(mark)), None)
    if encoding is not None:
        data = data.decode(encoding, "replace").encode("utf-8", "replace")
    return _BEGINNING.match(data) is not None


FORMAT = Format(
    "arff",
    "ARFF",
    _open,
    endings=(".arff",),
    sniff=is_arff,
    options=frozenset({"encoding"}),
    from_bytes=True,
    can_be_packed=True,
)
