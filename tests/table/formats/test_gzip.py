"""gzip: members are joined, and many small ones take time in proportion to their bytes."""

from __future__ import annotations

import gzip
import time

import pytest

from crake.errors import ReadError
from crake.table.formats.gzip import gunzip

EMPTY = gzip.compress(b"", mtime=0)


def test_many_empty_members_are_linear() -> None:
    """1.6 MB took 15 s: what followed each member was copied for the next."""
    start = time.process_time()
    assert gunzip(EMPTY * 80_000, "a.csv.gz") == b""
    assert time.process_time() - start < 3


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 5_000_000])
def test_members_of_any_size_are_joined(size: int) -> None:
    part = bytes(range(256)) * (size // 256 + 1)
    packed = gzip.compress(part[:size], compresslevel=1)
    assert gunzip(packed + EMPTY + packed + bytes(100), "a.csv.gz") == 2 * part[:size]


def test_zeros_between_members_and_cut_members_are_errors() -> None:
    packed = gzip.compress(b"a,b\n1,2\n" * 1000)
    for damaged in (packed + bytes(8) + packed, packed + b"x"):
        with pytest.raises(ReadError, match=r"no sound gzip file|ends too early"):
            gunzip(damaged, "a.csv.gz")
    for cut in (packed[:-9], packed[:20], packed + packed[:30]):
        with pytest.raises(ReadError, match="ends too early"):
            gunzip(cut, "a.csv.gz")
