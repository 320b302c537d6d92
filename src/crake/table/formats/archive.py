"""Zip archives, unpacked only up to a cap, and the XML in them, read without entities."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self
from xml.parsers import expat

from crake.errors import ReadError
from crake.table.formats.gzip import LEAST_CAP, MOST_EXPANSION

_STEP = 1 << 18
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, NotImplementedError, RuntimeError, OSError, ValueError, LookupError),
)
"""Errors of Python's modules for a damaged archive; zipfile raises NotImplementedError for an unknown packing."""


def is_zip(data: bytes | bytearray) -> bool:
    r"""Return True if the bytes begin as a zip archive does.

    >>> is_zip(b"PK\x03\x04")
    True
    """
    return data[:4] == b"PK\x03\x04"


def holds(data: bytes | bytearray, member: str) -> bool:
    """Return True if the bytes are a zip archive with this member."""
    if not is_zip(data):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return member in archive.namelist()
    except _BROKEN:
        return False


class Archive:
    """A zip archive whose members together unpack to at most max(64 MB, 200 × its size), or `max_bytes`."""

    def __init__(self, source: Path | bytes | bytearray, name: str, max_bytes: int | None = None) -> None:
        self.name = name
        try:
            size = source.stat().st_size if isinstance(source, Path) else len(source)
            self._zip = zipfile.ZipFile(source if isinstance(source, Path) else io.BytesIO(source))
            self.members = {info.filename: info for info in self._zip.infolist() if not info.is_dir()}
        except _BROKEN as error:
            raise self._damaged(error) from None
        self._cap = max(LEAST_CAP, MOST_EXPANSION * size) if max_bytes is None else max_bytes
        self._unpacked = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def pieces(self, member: str) -> Iterator[bytes]:
        """Yield the bytes of a member, piece by piece; raise before they are more than the cap."""
        if member not in self.members:
            raise ReadError(f"the archive has no {member!r}; is the file whole?", file=self.name)
        try:
            with self._zip.open(self.members[member]) as file:
                while piece := file.read(_STEP):
                    self._count(piece)
                    yield piece
        except ReadError:
            raise
        except _BROKEN as error:
            raise self._damaged(error) from None

    def read(self, member: str) -> bytearray:
        """Return the bytes of a member."""
        whole = bytearray()
        for piece in self.pieces(member):
            whole += piece
        return whole

    def parse(self, member: str, handlers: Any) -> None:
        """Read the XML of a member: `handlers` has `start(tag, attributes)`, `end(tag)` and `text(characters)`."""
        parser = expat.ParserCreate(namespace_separator=None)
        parser.buffer_text = True
        parser.StartElementHandler = handlers.start
        parser.EndElementHandler = handlers.end
        parser.CharacterDataHandler = handlers.text
        parser.StartDoctypeDeclHandler = self._refuse_declarations
        parser.EntityDeclHandler = self._refuse_declarations
        try:
            for piece in self.pieces(member):
                parser.Parse(piece, False)  # noqa: FBT003
            parser.Parse(b"", True)  # noqa: FBT003
        except expat.ExpatError as error:
            raise ReadError(f"{member} is no sound XML ({error}); save the file again", file=self.name) from None

    def _count(self, piece: bytes) -> None:
        self._unpacked += len(piece)
        if self._unpacked > self._cap:
            raise ReadError(
                f"the archive unpacks to more than {self._cap:,} bytes; if you trust it, allow more with --max-bytes, "
                "or max_bytes= in Python",
                file=self.name,
            )

    def _refuse_declarations(self, *_: object) -> None:
        raise ReadError("its XML declares a document type or entities, which no spreadsheet needs", file=self.name)

    def _damaged(self, error: Exception) -> ReadError:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        return ReadError(f"not a whole archive: {reason}; save or copy it again", file=self.name)
