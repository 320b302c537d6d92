"""DuckDB files that were made to do harm: the child process bears it, and nothing stays behind."""

from __future__ import annotations

import contextlib
import gzip
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest

import crake
from crake.errors import CrakeError, ReadError
from crake.table.formats import database as database_reader
from crake.table.formats.duckdb import isolated, scan
from crake.table.untrusted.reader import Limits

FILES = Path(__file__).parent / "hostile"


@pytest.fixture(autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of temporary files, this test's own: it is empty at the end."""
    own = tmp_path_factory.mktemp("temporary")
    isolated._idle.clear()
    monkeypatch.setenv("TMPDIR", str(own))
    monkeypatch.setattr(tempfile, "tempdir", str(own))
    yield own
    isolated._idle.clear()
    assert not list(own.iterdir())


def unpacked(name: str, folder: Path) -> Path:
    path = folder / f"{name}.duckdb"
    path.write_bytes(gzip.decompress((FILES / f"{name}.duckdb.gz").read_bytes()))
    return path


def database(folder: Path, *statements: str) -> Path:
    path = folder / "t.duckdb"
    with duckdb.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


@pytest.mark.parametrize("name", ["out-of-bounds", "segfault-776", "decode-error"])
@pytest.mark.parametrize("options", [{}, {"in_memory": False}], ids=["loaded", "scanned"])
def test_a_code_beyond_its_dictionary_harms_the_child_only(name: str, options: dict, tmp_path: Path) -> None:
    path = unpacked(name, tmp_path)
    for _ in range(2):
        try:
            for batch in crake.read(path, **options).batches():
                batch.codes.sum()
        except CrakeError as error:
            assert path.name in str(error)  # noqa: PT017 (a table is right, too)


@pytest.mark.parametrize("name", ["view-hangs", "view-recursive"])
def test_a_view_that_never_ends_is_stopped(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "SECONDS", 1)
    with pytest.raises(ReadError, match=rf"{name}\.duckdb: (no row came for 1 s|DuckDB says: Out of Memory)"):
        crake.read(unpacked(name, tmp_path))


@pytest.mark.parametrize("untrusted", [False, Limits(seconds=2)])
def test_what_a_view_spills_is_bounded_and_removed(
    untrusted: Limits | bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "SECONDS", 2)
    with pytest.raises(ReadError, match=r"view-spills\.duckdb"):
        crake.read(unpacked("view-spills", tmp_path), untrusted=untrusted)


def test_a_good_file_leaves_no_folder_when_it_is_read_apart(tmp_path: Path, temporary: Path) -> None:
    path = database(tmp_path, "create table t as select range as a, 'x' || range % 3 as b from range(1000)")
    assert len(crake.read(path, untrusted=True)) == 1000
    assert not list(temporary.iterdir())
    with contextlib.suppress(CrakeError):
        crake.read(unpacked("out-of-bounds", tmp_path), untrusted=True)
    assert not list(temporary.iterdir())


def test_texts_count_before_a_file_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three texts of 2,000 letters, a million times, are a file of 1 MB."""
    path = database(tmp_path, "create table t as select repeat('abc'[1 + range % 3], 2000) as a from range(20000)")
    monkeypatch.setattr(database_reader, "LARGEST_LOADED", 2**20)
    table = crake.read(path)
    assert not table.in_memory
    assert len(table) == 20000
    with pytest.raises(ReadError, match="more than the 900,000 bytes that are allowed by max_bytes="):
        crake.read(path, max_bytes=900_000)
    assert crake.read(path, in_memory=True).in_memory


def test_a_file_that_is_open_for_writing_says_so(tmp_path: Path) -> None:
    path = database(tmp_path, "create table t as select 1 as a")
    with duckdb.connect(path), pytest.raises(ReadError, match=r"open for writing.*crake\.read\(connection\.table"):
        crake.read(path)
    with duckdb.connect(path, read_only=True):
        assert len(crake.read(path)) == 1
    with duckdb.connect(path) as connection:  # nobody holds it once it is read
        connection.execute("insert into t values (2)")
    assert len(crake.read(path)) == 2


def test_declared_levels_come_in_many_batches(tmp_path: Path) -> None:
    path = database(
        tmp_path,
        "create table t as select (['c', 'b'])[1 + range % 2]::enum('c', 'b', 'a') as e, range::double as x, "
        "range % 2 as y from range(300000)",
    )
    loaded, scanned = crake.read(path, "y", in_memory=True), crake.read(path, "y", in_memory=False)
    assert loaded.schema["e"].levels == ("c", "b", "a")
    assert loaded.column("x").sum() == np.arange(300000.0).sum()
    one, other = (crake.NaiveBayesClassifier().fit(table) for table in (loaded, scanned))
    np.testing.assert_array_equal(one.predict_proba(loaded), other.predict_proba(loaded))


def test_a_child_that_dies_in_the_midst_of_rows_is_an_error(tmp_path: Path) -> None:
    path = database(tmp_path, "create table t as select range as a, range % 2 as y from range(600000)")
    table = crake.read(path, "y", in_memory=False)
    portions = table.source.file.portions(["a"])
    next(portions)
    child = portions.gi_frame.f_locals["session"]._child
    child.process.kill()
    with pytest.raises(ReadError, match="the process that read it"):
        list(portions)
    assert sum(batch.rows for batch in table.batches()) == 600000


def test_a_scan_that_is_given_up_ends_its_child(tmp_path: Path, temporary: Path) -> None:
    path = database(tmp_path, "create table t as select range as a, range % 2 as y from range(600000)")
    table = crake.read(path, "y", in_memory=False)
    isolated._idle.clear()
    portions = table.source.file.portions(["a"])
    next(portions)
    child = portions.gi_frame.f_locals["session"]._child
    portions.close()
    assert not child.is_alive
    assert not list(temporary.iterdir())


def test_the_child_does_without_numpy(tmp_path: Path) -> None:
    """It starts in two thirds of the time; every type of column still comes through."""
    path = database(
        tmp_path,
        "create table t as select i::hugeint as h, i::decimal(9, 2) as d, uuid() as u, i::varchar as text, "
        "i % 2 = 0 as b, timestamp '2020-01-01' as s, 'a'::blob as bytes, i as n from range(20) r(i)",
    )
    with isolated.isolated_session(path, 60) as session:
        pid = session._child.process.pid
        maps = Path(f"/proc/{pid}/maps")
        if maps.exists():
            assert "numpy" not in maps.read_text()
        rows = session.run("select * exclude (u) from t", (), 100)
        assert [batch.num_rows for batch in rows.batches] == [20]
    table = crake.read(path, ignore=["bytes", "u"])
    assert table.column("d").tolist() == list(range(20))
