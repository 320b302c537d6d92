"""DuckDB files changed at random inside their blocks, with right checksums: an error of one line or a sound table.

A file has three headers of 4 kB, then blocks of 256 kB, each with a checksum in its first eight bytes. DuckDB looks at
what a block says only if its checksum is right. What this finds is kept as a fixed case in `test_hostile.py`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest

import crake
from crake.errors import CrakeError
from crake.table.formats.duckdb import isolated, scan
from crake.table.schema import Kind

HEADER, BLOCK, START = 4096, 262144, 3 * 4096
FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SEED = np.uint64(5381)
NUMBERS = (0, 1, 2, 7, 8, 9, 15, 16, 63, 64, 100, 101, 127, 128, 129, 200, 254, 255)
WIDE = (0, 1, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)
TABLES = (
    (
        "create table t as select i as n, i % 3 as k, 'level ' || (i % 5) as text, i / 7.0 as x, i % 2 = 0 as b "
        "from range(3000) r(i)"
    ),
    (
        "create type mood as enum ('sad', 'ok', 'happy'); "
        "create table t as select ['sad', 'ok', 'happy'][1 + i % 3]::mood "
        "as m, case when i % 4 > 0 then i end as gap, date '2020-01-01' + i::int as d from range(2000) r(i)"
    ),
    (
        "create table u as select i as n, repeat('x', (i % 40)::int) as text from range(500) r(i); "
        "create view v as select n, text from u where n % 2 = 0; create table t as select * from v"
    ),
)


def checksum(data: bytes) -> int:
    """Return DuckDB's checksum of a block without its first eight bytes, or of a header without those."""
    words = np.frombuffer(data, np.uint64)
    with np.errstate(over="ignore"):
        return int(np.bitwise_xor.reduce(words * FACTOR) ^ SEED)


def spans(data: bytes) -> list[tuple[int, int]]:
    """Return begin and end of the second and third header, and of each block."""
    blocks = [(at, at + BLOCK) for at in range(START, len(data) - BLOCK + 1, BLOCK)]
    return [(HEADER, 2 * HEADER), (2 * HEADER, START), *blocks]


def repair(data: bytearray) -> None:
    """Write the checksums anew."""
    for begin, end in spans(bytes(data)):
        data[begin : begin + 8] = checksum(bytes(data[begin + 8 : end])).to_bytes(8, "little")


class Fuzzer:
    """A few changes to one block, from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def pick(self, among: tuple[int, ...] | list[int] | list[tuple[int, int]] | np.ndarray) -> int:
        return among[int(self.random.integers(len(among)))]

    def changed(self, original: bytes) -> bytes:
        data = bytearray(original)
        for _ in range(int(self.random.integers(1, 4))):
            # Blocks more often than headers; places that hold something, and those beside them.
            begin, end = self.pick(spans(original)[2:] * 4 + spans(original)[:2])
            used = begin + 8 + np.flatnonzero(np.frombuffer(original[begin + 8 : end], np.uint8))
            if len(used):
                self._change(data, int(self.pick(used)) + int(self.random.integers(0, 3)), end)
        repair(data)
        return bytes(data)

    def _change(self, data: bytearray, at: int, end: int) -> None:
        kind = int(self.random.integers(6))
        at = min(at, end - 8)
        if kind <= 1:
            data[at] = self.pick(NUMBERS)
        elif kind == 2:
            data[at] ^= 1 << int(self.random.integers(8))
        elif kind == 3:
            width = self.pick((2, 4, 8))
            data[at : at + width] = (self.pick(WIDE) % 256**width).to_bytes(width, "little")
        elif kind == 4:  # a piece from another place of the block
            length = min(int(self.random.integers(2, 40)), end - at)
            source = max(at - int(self.random.integers(1, 200)), 0)
            data[at : at + length] = data[source : source + length]
        else:
            data[at] = (data[at] + self.pick((1, 255))) % 256


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of temporary files, empty at the end, and a clock for statements that never end."""
    own = tmp_path / "temporary"
    own.mkdir()
    isolated._idle.clear()
    monkeypatch.setenv("TMPDIR", str(own))
    monkeypatch.setattr(tempfile, "tempdir", str(own))
    monkeypatch.setattr(scan, "SECONDS", 10)
    yield own
    isolated._idle.clear()
    assert not list(own.iterdir())


def originals(folder: Path) -> list[bytes]:
    files = []
    for number, statements in enumerate(TABLES):
        path = folder / f"{number}.duckdb"
        with duckdb.connect(path) as connection:
            connection.execute(statements)
        files.append(path.read_bytes())
    return files


def check(path: Path) -> bool:
    """Read the file: True if it gives a table, whose codes are levels; an error must be crake's, of one line."""
    try:
        table = crake.read(path, table="t", in_memory=True)
    except CrakeError as error:
        assert "\n" not in str(error)  # noqa: PT017
        return False
    for column in table.schema.columns:
        values = table.column(column.name) if column.kind in (Kind.NOMINAL, Kind.NUMERIC) else np.zeros(0)
        if column.kind is Kind.NOMINAL and len(values):
            assert -1 <= values.min() <= values.max() < len(column.levels)
    return True


def fuzz(folder: Path, cases: int, seed: int) -> int:
    """Try this many changed files; the number of those that are read."""
    files, path, tables = originals(folder), folder / "t.duckdb", 0
    fuzzer = Fuzzer(seed)
    for case in range(cases):
        path.write_bytes(fuzzer.changed(files[case % len(files)]))
        try:
            tables += check(path)
        except Exception as error:
            raise AssertionError(f"seed {seed}, case {case}: {error!r}") from error
    return tables


def test_the_checksums_are_those_that_duckdb_writes(tmp_path: Path) -> None:
    for data in originals(tmp_path):
        again = bytearray(data)
        repair(again)
        assert bytes(again) == data


def test_files_changed_at_random_give_an_error_or_a_sound_table(tmp_path: Path) -> None:
    assert 0 < fuzz(tmp_path, cases=45, seed=1) < 45


@pytest.mark.long
def test_a_hundred_thousand_files_changed_at_random(tmp_path: Path) -> None:
    seed = int(np.random.default_rng().integers(2**31))  # named by the message of a failure
    fuzz(tmp_path, cases=100_000, seed=seed)
