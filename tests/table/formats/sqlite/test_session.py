"""SQLite files from strangers: nothing is written, what a file would run is run apart, and nothing runs for ever."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest

import crake
from crake.errors import ReadError
from crake.table.formats.sqlite import apart, session

FOREVER = "with recursive n(i) as (select 1 union all select i + 1 from n) select i as a, i as y from n where i < 0"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("sqlite") / "t.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("create table t (a, y)")
        connection.executemany("insert into t values (?, ?)", [(i, "ab"[i % 2]) for i in range(10)])
        connection.execute("create view v as select a + 1 as a, y from t")
        connection.execute(f"create view forever as {FOREVER}")
        connection.execute(f"create view endless as {FOREVER.replace('< 0', '> 0')}")
        connection.execute("create view bytes as select a, x'00' as b from t")
        connection.execute("create table g (a, y, b as (a * 2))")
        connection.execute("insert into g values (1, 'x'), (2, 'y')")
        connection.execute("create virtual table words using fts5(a)")
    connection.close()
    return file


@pytest.mark.parametrize(
    ("query", "runs"),
    [
        ("select * from t", ""),
        ("select a from v", "v"),
        ("select count(*) from v", "v"),
        ("select * from (select 1 as x) where x in (select a from v)", "v"),
        ("select y from g", "g"),
        ("select count(*) from t where a > 3", ""),
    ],
)
def test_what_a_query_runs_of_the_file(query: str, runs: str, path: Path) -> None:
    with session.session(path, "t", is_query=True) as connection:
        assert connection.own_sql(query) == runs


@pytest.mark.parametrize("in_memory", [None, False])
def test_a_view_is_read_by_a_process_of_its_own(in_memory: bool | None, path: Path) -> None:
    table = crake.read(path, "y", table="v", in_memory=in_memory)
    assert table.in_memory is (in_memory is None)
    assert table.with_target(None).sample(20).column("a").tolist() == [i + 1 for i in range(10)]
    assert table.notes[0] == "'v' runs SQL of the file: a process with limits on memory and time reads it"
    assert crake.read(path, "y", table="t").notes == ()


def test_an_error_in_the_other_process_is_the_same_error(path: Path) -> None:
    with pytest.raises(ReadError, match=r"^t.sqlite: column 'b': expected texts and numbers, got bytes; leave the col"):
        crake.read(path, table="bytes")


@pytest.mark.skipif(sys.platform == "win32", reason="the limit is that of a child process")
def test_a_view_that_never_gives_a_row_is_stopped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart.RowsApart, "processor_seconds", 600.0)  # the clock alone stops it, also on a busy machine
    monkeypatch.setattr(session, "SECONDS", 0.5)
    monkeypatch.setattr(apart, "START_SECONDS", 0.5)
    with pytest.raises(ReadError, match="no row came for 1 s and reading was stopped: a view of the file"):
        crake.read(path, "y", table="forever", in_memory=False)


@pytest.mark.skipif(sys.platform == "win32", reason="the limit is that of a child process")
def test_a_view_that_gives_rows_without_end_is_stopped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart.RowsApart, "processor_seconds", 0.5)  # the clock never stops it: 60 s for each portion
    message = "the query took more time or memory than its limits allow and reading was stopped"
    with pytest.raises(ReadError, match=message):
        crake.read(path, "y", table="endless", in_memory=False)


def test_a_query_that_never_gives_a_row_is_stopped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "SECONDS_OF_QUERY", 0.2)
    with pytest.raises(ReadError, match=r"no row came for 0 s and reading was stopped; choose fewer rows"):
        crake.read(path, query=FOREVER)


def test_an_interrupt_is_no_error_of_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter(range(100))

    def interrupted(self: session.Session) -> bool:
        del self
        if next(looks) == 0:
            raise KeyboardInterrupt
        return False

    monkeypatch.setattr(session.Session, "_is_late", interrupted)
    with pytest.raises(KeyboardInterrupt):
        crake.read(path, query=FOREVER)


@pytest.mark.parametrize(
    "query",
    [
        *("delete from t", "attach 'x' as y", "pragma journal_mode = wal", "select load_extension('x')", "vacuum"),
        *("select * from words", "select value from json_each('[1]')"),
        *("select 1; select 2", "explain select 1", "select readfile('/etc/passwd')", "begin"),
    ],
)
def test_a_query_reads_and_does_nothing_else(query: str, path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(ReadError, match=r"SQLite says|expected a query that gives rows"):
        crake.read(path, query=query)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["t.sqlite"]


def test_changes_beside_the_file_are_named(tmp_path: Path) -> None:
    file = tmp_path / "t.sqlite"
    connection = sqlite3.connect(file)
    connection.execute("pragma journal_mode = wal")
    connection.execute("create table t (a)")
    connection.executemany("insert into t values (?)", [(1,), (2,)])
    connection.commit()
    connection.execute("pragma wal_checkpoint")
    connection.execute("insert into t values (3)")
    connection.commit()
    table = crake.read(file)
    assert table.notes[0] == "changes in t.sqlite-wal are not read; close the program that writes them"
    connection.close()
    (tmp_path / "t.sqlite-journal").write_bytes(b"x")
    with pytest.raises(ReadError, match=r"a transaction is unfinished \(t.sqlite-journal\); let it end"):
        crake.read(file)
