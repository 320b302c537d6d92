"""A network from a file or a text: BIF or XMLBIF, told apart by their first sign."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from stat import S_ISREG
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
    if isinstance(source, str) and not is_text and not source.strip():
        raise ReadError("expected a path or the text of a network, got an empty text")
    if is_text:
        data, file = str(source).encode("utf-8", "surrogatepass"), None
    else:
        path = Path(source)
        file = shown(path, LONGEST_NAME)
        data = _bytes_of(path, file)
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


def _bytes_of(path: Path, file: str) -> bytes:
    """Return what is in a file, up to one byte more than is allowed; raise for a pipe, which may never end."""
    try:
        found = path.stat()
        if S_ISREG(found.st_mode) and found.st_size <= MOST_BYTES:
            with path.open("rb") as opened:
                return opened.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise ReadError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=file) from error
    if not S_ISREG(found.st_mode):
        raise ReadError("expected a file, got a folder, a pipe or a device", file=file)
    raise ReadError(f"expected a network of at most {MOST_BYTES:,} bytes, got {found.st_size:,}", file=file)
