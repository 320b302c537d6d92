"""gzip, unpacked only up to a cap: a small file must not become a large amount of memory."""

from __future__ import annotations

import zlib

from crake.errors import ReadError

LEAST_CAP = 64_000_000
MOST_EXPANSION = 200
_FIRST_STEP = 512
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
    view, at, end = memoryview(data), 0, len(data.rstrip(b"\0"))
    while at < end:
        at = _member(view, at, unpacked, cap, file)
    return unpacked


def _member(data: memoryview, at: int, unpacked: bytearray, cap: int, file: str) -> int:
    """Unpack the member at this place onto `unpacked`, and return the place after it.

    A step hands back what it did not use, which is a copy: short first steps keep many small members linear.
    """
    member, step = zlib.decompressobj(wbits=31), _FIRST_STEP
    while not member.eof:
        packed = data[at : at + step]
        try:
            piece = member.decompress(packed, _STEP)
        except zlib.error as error:
            raise ReadError(f"this is no sound gzip file ({error}); pack or fetch it again", file=file) from None
        used = len(packed) - len(member.unconsumed_tail) - len(member.unused_data)
        if not piece and not used and not member.eof:
            raise ReadError("the gzip file ends too early; fetch it again", file=file)
        unpacked += piece
        if len(unpacked) > cap:
            raise ReadError(
                f"the gzip file unpacks to more than {cap:,} bytes; "
                "if you trust it, unpack it first or allow more with --max-bytes (max_bytes=)",
                file=file,
            )
        at, step = at + used, min(2 * step, _STEP)
    return at
