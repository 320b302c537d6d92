"""The child process that opens a DuckDB file, started before the libraries of this process are loaded."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import pytest

import crake
from crake.errors import ReadError
from crake.table.formats.duckdb import isolated, launch
from crake.table.untrusted import limits


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files, as in a process that has not read a DuckDB file before."""
    own = tmp_path / "temporary"
    own.mkdir()
    isolated._idle.clear()
    monkeypatch.setattr(tempfile, "tempdir", str(own))
    monkeypatch.setattr(launch, "_LATE", "a module that nobody has loaded")
    return own


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "t.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("create table t as select i as n, i % 2 as k from range(20) r(i)")
    return path


def test_the_child_started_early_is_the_one_that_reads(
    folder: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[launch.Launched] = []
    original = launch.launch

    def counted() -> launch.Launched:
        started.append(original())
        return started[-1]

    monkeypatch.setattr(launch, "launch", counted)
    monkeypatch.setattr(isolated, "launch", counted)
    assert len(crake.read(file)) == 20
    assert len({each.process.pid for each in started}) == 1
    isolated._idle.clear()
    assert not list(folder.iterdir())


def test_a_child_that_nobody_needed_is_ended(folder: Path, file: Path) -> None:
    with pytest.raises(ReadError, match="table= and query= are both given"):
        crake.read(file, table="t", query="select 1")
    assert not launch._early
    assert not list(folder.iterdir())


def test_no_child_is_started_early_inside_a_child_or_once_all_is_loaded(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as limited:
        limited.setattr(limits, "_limited", [True])
        with launch.launched_early():
            assert not launch._early
    monkeypatch.setattr(launch, "_LATE", "sys")
    with launch.launched_early():
        assert not launch._early
    assert not list(folder.iterdir())


def test_a_file_is_read_without_duckdb_in_this_process(file: Path) -> None:
    code = (
        f"import crake, sys; table = crake.read({str(file)!r}, target='k', in_memory=False); "
        "crake.NaiveBayesClassifier().fit(table); print(len(table), 'duckdb' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["20", "False"]
