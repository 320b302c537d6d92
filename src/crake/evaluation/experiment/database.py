"""The DuckDB file of experiments: its tables, how it is opened, how a new one comes to be."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import crake
from crake.errors import CrakeError
from crake.files import replace_file

if TYPE_CHECKING:
    import duckdb

FORMAT, WITH_MEASURES = 1, 2
"""A file has the second format once a measure was added that folds do not keep by themselves."""
COLUMNS = {
    "crake_experiment": {"format": "INTEGER", "written_by": "VARCHAR"},
    "cells": {
        "cell": "VARCHAR",
        "table_name": "VARCHAR",
        "learner_name": "VARCHAR",
        "seed": "BIGINT",
        "table_fingerprint": "VARCHAR",
        "learner": "VARCHAR",
        "plan": "VARCHAR",
        "crake": "VARCHAR",
        "classes": "INTEGER",
        "folds": "INTEGER",
        "fit_seconds": "DOUBLE",
        "predict_seconds": "DOUBLE",
        "notes": "VARCHAR",
    },
    "folds": {
        "cell": "VARCHAR",
        "fold": "INTEGER",
        "training_rows": "BIGINT",
        "test_rows": "BIGINT",
        "confusion": "DOUBLE[]",
        "auc": "DOUBLE",
        "log_loss": "DOUBLE",
    },
}
EXTRA = {"measures": {"cell": "VARCHAR", "fold": "INTEGER", "measure": "VARCHAR", "value": "DOUBLE"}}
FORMATS = {FORMAT: COLUMNS, WITH_MEASURES: {**COLUMNS, **EXTRA}}
"""The tables of the file; `confusion` holds K × K numbers row by row, `auc` and `log_loss` are null where undefined."""


def connected(path: Path, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """The database, closed to all that is outside of it: no other file is read or written, whatever stands in it."""
    import duckdb  # noqa: PLC0415  # half a second, and only this needs it

    return duckdb.connect(
        path,
        read_only=read_only,
        config={
            "enable_external_access": "false",
            "autoload_known_extensions": "false",
            "autoinstall_known_extensions": "false",
            "allow_community_extensions": "false",
            "python_enable_replacements": "false",
            "memory_limit": "1GiB",
            "threads": "1",
        },
    )


def create_table(table: str) -> str:
    """Return the statement that makes one of the tables."""
    fields = ", ".join(f"{name} {kind}" for name, kind in FORMATS[WITH_MEASURES][table].items())
    return f"create table {table}({fields})"


def make_if_missing(path: Path) -> None:
    """A new file takes its place complete, so that a kill leaves none or one that opens; two makers do not collide."""
    if path.is_dir() or not path.parent.is_dir():
        raise CrakeError(f"cannot write {path}: it is a folder, or there is none to hold it; give the name of a file")
    with _folder_locked(path.parent):
        if path.exists() and path.stat().st_size:
            return
        with tempfile.TemporaryDirectory(prefix="crake-experiment-") as folder:
            empty = Path(folder) / "empty.duckdb"
            connection = connected(empty)
            for table in COLUMNS:
                connection.execute(create_table(table))
            connection.execute("insert into crake_experiment values (?, ?)", (FORMAT, f"crake {crake.__version__}"))
            connection.close()
            replace_file(path, empty.read_bytes())


@contextmanager
def _folder_locked(folder: Path) -> Iterator[None]:
    if find_spec("fcntl") is None:  # Windows
        yield
        return
    import fcntl  # noqa: PLC0415  # Windows has none

    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a disk that knows no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
