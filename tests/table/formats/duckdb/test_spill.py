"""Temporary files of a query are bounded by crake itself, whatever DuckDB allows."""

from __future__ import annotations

import threading
from pathlib import Path

import duckdb
import pytest

from crake.errors import ReadError
from crake.table.formats.duckdb import session
from crake.table.formats.duckdb.spill import Spill


class Connection:
    """A connection that only tells when it is interrupted."""

    def __init__(self) -> None:
        self.is_interrupted = threading.Event()

    def interrupt(self) -> None:
        self.is_interrupted.set()


def test_a_query_is_stopped_when_its_files_take_more_than_allowed(tmp_path: Path) -> None:
    connection, spill = Connection(), Spill(tmp_path, 1000, "shop.duckdb")
    (tmp_path / "below").mkdir()
    with spill.watched(connection):
        (tmp_path / "below" / "enough").write_bytes(b"x" * 1000)
        with pytest.raises(KeyError), spill.named((KeyError,)):
            raise KeyError
        (tmp_path / "more").write_bytes(b"x")
        assert connection.is_interrupted.wait(60)
        with (
            pytest.raises(ReadError, match=r"shop\.duckdb: a view or a query wrote more than 0 MB of temporary files"),
            spill.named((KeyError,)),
        ):
            raise KeyError


def test_a_view_that_spills_is_stopped_where_duckdb_allows_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("create view v as select a, hash(a) as h from range(1000000000) t(a) order by h")
    allowed = session._configuration
    monkeypatch.setattr(
        session,
        "_configuration",
        lambda *of: {**allowed(*of), "max_temp_directory_size": "1TB", "memory_limit": "64MiB"},
    )
    monkeypatch.setattr(session, "LEAST_TEMPORARY", 2**24)
    monkeypatch.setattr(session, "TEMPORARY_SHARE", 0)
    with (
        session.local_session(path, tmp_path, 1) as one,
        pytest.raises(ReadError, match="more than 16 MB of temporary"),
    ):
        list(one.run("select * from v", [], 1000).batches)
    assert [each.name for each in tmp_path.iterdir()] == ["t.duckdb"]
