"""bzip2, xz and Zstandard, unpacked only up to a cap, as gzip is."""

from __future__ import annotations

import bz2
import lzma
from collections.abc import Callable
from typing import Any

from crake.errors import ReadError
from crake.table.formats.gzip import LEAST_CAP, MOST_EXPANSION

_STEP = 4_000_000
_MEMORY = 256 * 2**20
"""Bytes that the dictionary of an xz file may take."""


def unpack_bzip2(data: bytes, file: str, max_bytes: int | None = None) -> bytearray:
    """Return the unpacked bytes of a bzip2 file."""
    return _unpack(data, file, "bzip2", bz2.BZ2Decompressor, max_bytes)


def unpack_xz(data: bytes, file: str, max_bytes: int | None = None) -> bytearray:
    """Return the unpacked bytes of an xz file."""
    return _unpack(data, file, "xz", lambda: lzma.LZMADecompressor(memlimit=_MEMORY), max_bytes)


def unpack_zstandard(data: bytes, file: str, max_bytes: int | None = None) -> bytearray:
    """Return the unpacked bytes of a Zstandard file, by Arrow's codec."""
    import pyarrow as pa  # noqa: PLC0415  # only these files need it

    cap, unpacked = _cap(data, max_bytes), bytearray()
    try:
        with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
            while piece := stream.read(_STEP):
                _add(unpacked, piece, cap, file, "Zstandard")
    except (pa.ArrowException, OSError) as error:
        raise _damaged(error, file, "Zstandard") from None
    return unpacked


def _unpack(data: bytes, file: str, title: str, make: Callable[[], Any], max_bytes: int | None) -> bytearray:
    """Unpack all members, which are joined; zeros after the last one are passed over."""
    cap, unpacked, rest = _cap(data, max_bytes), bytearray(), data.rstrip(b"\0")
    while rest:
        member, packed = make(), rest
        try:
            while not member.eof:
                piece = member.decompress(packed, _STEP)
                packed = b""
                if not piece and member.needs_input and not member.eof:
                    raise ReadError(f"the {title} file ends too early; fetch it again", file=file)
                _add(unpacked, piece, cap, file, title)
        except (OSError, lzma.LZMAError, EOFError) as error:
            raise _damaged(error, file, title) from None
        rest = member.unused_data.lstrip(b"\0")
    return unpacked


def _cap(data: bytes, max_bytes: int | None) -> int:
    return max(LEAST_CAP, MOST_EXPANSION * len(data)) if max_bytes is None else max_bytes


def _add(unpacked: bytearray, piece: bytes, cap: int, file: str, title: str) -> None:
    unpacked += piece
    if len(unpacked) > cap:
        raise ReadError(
            f"the {title} file unpacks to more than {cap:,} bytes; if you trust it, unpack it first or allow more with "
            "--max-bytes (max_bytes=)",
            file=file,
        )


def _damaged(error: Exception, file: str, title: str) -> ReadError:
    return ReadError(f"this is no sound {title} file ({error}); pack or fetch it again", file=file)
