"""gzip, unpacked only up to a cap: a small file must not become a large amount of memory."""

from __future__ import annotations

import zlib

from crake.errors import ReadError

LEAST_CAP = 64_000_000
MOST_EXPANSION = 200
_STEP = 4_000_000


def is_gzip(data: bytes) -> bool:
    r"""Return True if the bytes begin as a gzip file does.

    >>> is_gzip(b"\x1f\x8b\x08")
    True
    """
    return data[:3] == b"\x1f\x8b\x08"


def gunzip(data: bytes, file: str, max_bytes: int | None = None) -> bytearray:
    """Return the unpacked bytes: at most `max_bytes`, by default max(64 MB, 200 × the packed size).

    Files of several members are joined; zeros after the last one are passed over, as gzip does.
    """
    cap = max(LEAST_CAP, MOST_EXPANSION * len(data)) if max_bytes is None else max_bytes
    unpacked = bytearray()
    rest = data
    while rest.strip(b"\0"):
        rest = _member(rest, unpacked, cap, file)
    return unpacked


def _member(data: bytes, unpacked: bytearray, cap: int, file: str) -> bytes:
    """Unpack one member onto `unpacked`; what follows it."""
    member = zlib.decompressobj(wbits=31)
    while not member.eof:
        try:
            piece = member.decompress(data, _STEP)
        except zlib.error as error:
            raise ReadError(f"this is no sound gzip file ({error}); pack or fetch it again", file=file) from None
        if not piece and not member.eof:
            raise ReadError("the gzip file ends too early; fetch it again", file=file)
        unpacked += piece
        if len(unpacked) > cap:
            raise ReadError(
                f"the gzip file unpacks to more than {cap:,} bytes; "
                "if you trust it, unpack it first or allow more with max_bytes=",
                file=file,
            )
        data = member.unconsumed_tail
    return member.unused_data
