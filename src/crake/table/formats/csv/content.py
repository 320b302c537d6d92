"""The bytes of a text as UTF-8, from a file or from memory, decoded where needed."""

from __future__ import annotations

import codecs
import threading
from pathlib import Path
from typing import IO, Protocol

from crake.errors import ReadError
from crake.table.formats.encoding import BYTE_ORDER_MARKS, decode, encoding_named


class Content(Protocol):
    """Bytes that can be read from any place, by several threads."""

    size: int

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes start … stop − 1, fewer at the end."""


class MemoryContent:
    """Bytes held in memory, but for the first `skip`."""

    def __init__(self, data: bytes | bytearray, skip: int = 0) -> None:
        self._view = memoryview(data)[skip:]
        self.size = len(self._view)

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes start … stop − 1, fewer at the end."""
        return bytes(self._view[start:stop])


class FileContent:
    """Bytes of an open file, read piece by piece so that memory stays bounded."""

    def __init__(self, file: IO[bytes], size: int, skip: int = 0) -> None:
        self._file, self._skip, self.size = file, skip, size - skip
        self._lock = threading.Lock()

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes start … stop − 1, fewer at the end."""
        with self._lock:
            self._file.seek(self._skip + start)
            return self._file.read(min(stop, self.size) - start)


def content_of_file(file: IO[bytes], path: Path, *, encoding: str | None = None) -> Content:
    """Return the file's content; it is loaded only if it is in another encoding than UTF-8."""
    head = file.read(4)
    if _foreign_encoding(head, encoding, path.name) is not None:
        file.seek(0)
        return content_of_bytes(file.read(), file=path.name, encoding=encoding)
    return FileContent(file, path.stat().st_size, _mark_length(head))


def plain_content(file: IO[bytes], path: Path, *, encoding: str | None = None) -> FileContent:
    """Return the content of a file that is read from any place; raise if it is in another encoding than UTF-8."""
    head = file.read(4)
    if _foreign_encoding(head, encoding, path.name) is not None:
        raise ReadError(
            "a text in another encoding than UTF-8 can be loaded but not scanned; convert it to UTF-8, or read it with "
            "in_memory=True (without --memory) if it fits",
            file=path.name,
        )
    return FileContent(file, path.stat().st_size, _mark_length(head))


def content_of_bytes(data: bytes | bytearray, *, file: str, encoding: str | None = None) -> Content:
    """Return the content of these bytes in UTF-8, without a byte order mark."""
    foreign = _foreign_encoding(bytes(data[:4]), encoding, file)
    if foreign is not None:
        data = _encoded(decode(data, file=file, encoding=foreign), file)
    return MemoryContent(data, _mark_length(bytes(data[:3])))


def _encoded(text: str, file: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise ReadError(
            "half of a surrogate pair, which is no text; try another --encoding", file=file, line=line
        ) from None


def _mark_length(head: bytes) -> int:
    return len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0


def _foreign_encoding(head: bytes, encoding: str | None, file: str) -> str | None:
    """Return the encoding to decode from, None for UTF-8. A byte order mark speaks if nobody else does."""
    marked = next((name for mark, name in BYTE_ORDER_MARKS.items() if head.startswith(mark)), "utf-8")
    name = encoding_named(encoding or marked, file)
    return None if name in ("utf-8", "utf-8-sig") else name
