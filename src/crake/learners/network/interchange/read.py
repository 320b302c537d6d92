"""A network from a file or a text: BIF or XMLBIF, told apart by their first sign."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from crake.errors import ReadError
from crake.learners.network.interchange.bif import read_bif
from crake.learners.network.interchange.xmlbif import read_xmlbif
from crake.learners.network.model import NetworkModel
from crake.render.plain_text import shown

MOST_BYTES = 2**24
"""Size of a file: 16 MB. The largest networks that are exchanged have 5."""

LONGEST_NAME = 300
"""Letters of a path that an error shows."""


def read_model(source: Any) -> NetworkModel:
    """Return the network of a file; a string with a bracket in it is the text itself."""
    if not isinstance(source, str | PathLike):
        raise ReadError(f"expected a path or the text of a network, got {type(source).__name__}")
    is_text = isinstance(source, str) and ("{" in source or "<" in source or "\n" in source)
    if is_text:
        data, file = str(source).encode("utf-8", "surrogatepass"), None
    else:
        path = Path(source)
        file = shown(path, LONGEST_NAME)
        try:
            size = path.stat().st_size
            if size > MOST_BYTES:
                raise ReadError(f"expected a network of at most {MOST_BYTES:,} bytes, got {size:,}", file=file)
            with path.open("rb") as opened:
                data = opened.read(MOST_BYTES + 1)
        except (OSError, ValueError) as error:
            if isinstance(error, ReadError):
                raise
            raise ReadError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=file) from error
    if len(data) > MOST_BYTES:
        raise ReadError(f"expected a network of at most {MOST_BYTES:,} bytes, got {len(data):,}", file=file)
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return read_xmlbif(data, file)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(
            f"expected UTF-8, got {error.reason} at byte {error.start}; save it as UTF-8", file=file
        ) from error
    return read_bif(text, file)
