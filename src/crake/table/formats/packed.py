"""Packed files, which may hold a file of any format that can be read from bytes; a packing is one line of PACKINGS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from crake.errors import ReadError
from crake.table.formats.gzip import gunzip, is_gzip
from crake.table.formats.unpackers import unpack_bzip2, unpack_xz, unpack_zstandard

HEAD = 16
"""Bytes at the start of a file that tell whether it is packed."""

Unpacker = Callable[[bytes, str, int | None], bytearray]
"""Called with the packed bytes, the file's name and the most bytes it may unpack to (None: the default)."""


@dataclass(frozen=True)
class Packing:
    """A way of packing one file: its ending, its first bytes, and the function that unpacks it."""

    ending: str
    begins: Callable[[bytes], bool]
    unpack: Unpacker


PACKINGS: tuple[Packing, ...] = (
    Packing(".gz", is_gzip, gunzip),
    Packing(".bz2", lambda head: head[:3] == b"BZh", unpack_bzip2),
    Packing(".xz", lambda head: head[:6] == b"\xfd7zXZ\0", unpack_xz),
    Packing(".zst", lambda head: head[:4] == b"\x28\xb5\x2f\xfd", unpack_zstandard),
)


def without_packing(name: str) -> str:
    """Return the name of a file in lower case, without the ending of a packing.

    >>> without_packing("Loans.CSV.gz")
    'loans.csv'
    """
    lower = name.lower()
    return next((lower.removesuffix(p.ending) for p in PACKINGS if lower.endswith(p.ending)), lower)


def unpacked_bytes(data: bytes, name: str, max_bytes: int | None) -> bytes | bytearray:
    """Return the unpacked bytes of a packed file, and any others as they are."""
    packing = _packing_of(data[:HEAD])
    return data if packing is None else packing.unpack(data, name, max_bytes)


def unpacked_file(path: Path, name: str, max_bytes: int | None) -> Path | bytes | bytearray:
    """Return the unpacked bytes of a packed file, and the path of any other."""
    try:
        with path.open("rb") as file:
            if _packing_of(file.read(HEAD)) is None:
                return path
            file.seek(0)
            data = file.read()
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror or error}", file=str(path)) from None
    return unpacked_bytes(data, name, max_bytes)


def _packing_of(head: bytes) -> Packing | None:
    return next((packing for packing in PACKINGS if packing.begins(head)), None)
