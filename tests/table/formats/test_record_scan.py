"""JSON lines, Arrow files and SQLite tables are scanned with the kinds, notes and models of memory."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import crake
from crake.errors import ReadError
from crake.table.formats.arrow.scan import ArrowFile
from crake.table.formats.csv import chunks
from crake.table.formats.record_scan import StreamContent

ROWS = 500


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    rng = np.random.default_rng(5)
    rows = [
        {
            "day": f"{1 + i % 28:02}.{1 + i % 12:02}.2024",
            "price": f"{rng.integers(1, 9)},{i % 10}0 €",
            "age": None if i % 7 == 0 else int(rng.integers(18, 80)),
            "code": i if i < 400 else f"x{i}",  # numbers at first
            "y": "ab"[int(rng.integers(2))],
        }
        for i in range(ROWS)
    ]
    rows[300]["late"] = "z"
    return rows


@pytest.fixture(params=["jsonl", "sqlite", "feather", "arrows"])
def path(request: pytest.FixtureRequest, records: list[dict[str, Any]], tmp_path: Path) -> Path:
    file = tmp_path / f"t.{request.param}"
    names = ["day", "price", "age", "code", "y", "late"]
    if request.param == "jsonl":
        file.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    elif request.param == "sqlite":
        with sqlite3.connect(file) as connection:
            connection.execute(f"create table t ({', '.join(names)})")
            rows = [[record.get(name) for name in names] for record in records]
            connection.executemany("insert into t values (?, ?, ?, ?, ?, ?)", rows)
        connection.close()
    else:
        columns = {name: [record.get(name) for record in records] for name in names}
        columns["code"] = list(map(str, columns["code"]))
        table = pa.table(columns)
        table = table.set_column(4, "y", table["y"].combine_chunks().dictionary_encode())
        writer = pa.ipc.new_file if request.param == "feather" else pa.ipc.new_stream
        with pa.OSFile(str(file), "wb") as sink, writer(sink, table.schema) as out:
            out.write_table(table, max_chunksize=60)
    return file


@pytest.fixture
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 700)


@pytest.mark.usefixtures("_small_chunks")
def test_a_scan_gives_what_memory_gives(path: Path) -> None:
    loaded, scanned = crake.read(path, "y", in_memory=True), crake.read(path, "y", in_memory=False)
    assert not scanned.in_memory
    assert len(scanned) == len(loaded) == ROWS
    assert [(c.name, c.kind, c.notation) for c in scanned.schema.columns] == [
        (c.name, c.kind, c.notation) for c in loaded.schema.columns
    ]
    assert scanned.notes == loaded.notes
    sample = scanned.sample(ROWS)
    for column in sample.schema.features:
        assert column.levels == loaded.schema[column.name].levels
        assert np.array_equal(
            sample.column(column.name), loaded.column(column.name), equal_nan=column.kind == "numeric"
        )
    ahead = crake.NaiveBayesClassifier().fit(scanned).predict_proba(loaded)
    assert np.array_equal(ahead, crake.NaiveBayesClassifier().fit(loaded).predict_proba(loaded))


@pytest.mark.usefixtures("_small_chunks")
def test_a_scan_tells_how_far_it_is(path: Path) -> None:
    seen: list[tuple[int, int, int, int]] = []
    table = crake.read(path, "y", in_memory=False).with_progress(lambda *numbers: seen.append(numbers))
    assert sum(batch.rows for batch in table.batches()) == ROWS
    assert seen[-1] == (ROWS, ROWS, path.stat().st_size, path.stat().st_size)


def test_a_file_that_changes_between_scans_is_noticed(path: Path) -> None:
    table = crake.read(path, "y", in_memory=False)
    if path.suffix == ".jsonl":
        path.write_text("\n".join(path.read_text().split("\n")[:-5]))
    elif path.suffix == ".sqlite":
        with sqlite3.connect(path) as connection:
            connection.execute("delete from t where rowid > 490")
        connection.close()
    else:
        small = pa.table({name: ["1.1.2024"] * 3 for name in table.schema.names})
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, small.schema) as out:
            out.write_table(small)
    with pytest.raises(ReadError, match="the file was changed"):
        list(table.batches())


def test_a_large_sqlite_table_is_scanned_of_itself(records: list[dict[str, Any]], tmp_path: Path) -> None:
    from crake.table.formats.sqlite import reader  # noqa: PLC0415

    file = tmp_path / "t.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("create table t (a, y)")
        connection.executemany("insert into t values (?, ?)", [(i, "ab"[i % 2]) for i in range(100)])
    connection.close()
    before = reader.LARGEST_LOADED
    try:
        reader.LARGEST_LOADED = 200
        assert not crake.read(file, "y").in_memory
        with pytest.raises(ReadError, match=r"more than 200 bytes of cells; choose columns"):
            crake.read(file, "y", in_memory=True)
    finally:
        reader.LARGEST_LOADED = before
    with pytest.raises(ReadError, match="more than 50 bytes of cells"):
        crake.read(file, "y", max_bytes=50)


def test_json_lines_in_another_encoding_are_loaded_only(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_bytes('{"a": "ä"}\n{"a": "ö"}\n'.encode("utf-16"))
    assert len(crake.read(file)) == 2
    with pytest.raises(ReadError, match="can be loaded but not scanned"):
        crake.read(file, in_memory=False)
    file.write_bytes(b'{"a": "x"}\n{"a": "\xe4"}\n')
    with pytest.raises(ReadError, match=r"line 2.*the byte 0xe4 is not UTF-8"):
        crake.read(file, in_memory=False)
    file.write_bytes(b'\xef\xbb\xbf{"a": 1}\n\n{"a": 2\n')
    with pytest.raises(ReadError, match=r"line 3.*no sound JSON"):
        crake.read(file, in_memory=False)


def test_bytes_that_come_in_pieces_can_be_read_again_from_the_start() -> None:
    opened: list[int] = []

    def begin() -> Iterator[bytes]:
        opened.append(1)
        yield from (b"abc", b"", b"defg", b"h")

    content = StreamContent(begin)
    assert [content.read(*span) for span in ((0, 2), (2, 5), (5, 20))] == [b"ab", b"cde", b"fgh"]
    assert content.size == 8
    assert (content.read(0, 3), content.read(8, 9), len(opened)) == (b"abc", b"", 2)
    content.close()


def test_a_large_batch_of_arrow_is_cut(tmp_path: Path) -> None:
    table = pa.table({"a": list(range(100))})
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as out:
        out.write_table(table)
    file = ArrowFile(tmp_path / "t.arrow", "t", rows_per_portion=30)
    assert [(portion.start, portion.rows) for portion in file.portions(["a"])] == [
        (0, 30),
        (30, 30),
        (60, 30),
        (90, 10),
    ]
    with pytest.raises(ReadError, match="a batch of more than 100 bytes"):
        ArrowFile(tmp_path / "t.arrow", "t", 100)
