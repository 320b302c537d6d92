"""The index of a project: tables and runs in SQLite, so that what is finished is there whatever ends the app."""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"
OPEN_STATES = (WAITING, RUNNING)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS tables (
  id TEXT PRIMARY KEY, request TEXT NOT NULL, fingerprint TEXT NOT NULL, opened REAL NOT NULL);
CREATE TABLE IF NOT EXISTS runs (
  id TEXT PRIMARY KEY, table_id TEXT NOT NULL, name TEXT NOT NULL, request TEXT NOT NULL, state TEXT NOT NULL,
  message TEXT NOT NULL DEFAULT '', created REAL NOT NULL, ended REAL, pinned INTEGER NOT NULL DEFAULT 0,
  deleted INTEGER NOT NULL DEFAULT 0, started REAL);
"""


@dataclass(frozen=True)
class TableEntry:
    """A table by reference: the request that reads it, and the fingerprint it had when it was opened."""

    id: str
    request: Mapping[str, Any]
    fingerprint: str
    opened: float


@dataclass(frozen=True)
class RunEntry:
    """A run: the request that was made, and how it ended."""

    id: str
    table_id: str
    name: str
    request: Mapping[str, Any]
    state: str
    message: str
    created: float
    ended: float | None
    pinned: bool
    deleted: bool
    started: float | None = None

    @property
    def is_open(self) -> bool:
        """True while the run waits or works."""
        return self.state in OPEN_STATES

    @property
    def seconds(self) -> float | None:
        """Return how long the run was worked on, without the time in which it waited; None if it never was."""
        return None if self.started is None or self.ended is None else self.ended - self.started

    def to_dict(self) -> dict[str, Any]:
        """Return the run for JSON."""
        return {
            "id": self.id,
            "table": self.table_id,
            "name": self.name,
            "request": dict(self.request),
            "state": self.state,
            "message": self.message,
            "created": self.created,
            "started": self.started,
            "ended": self.ended,
            "pinned": self.pinned,
            "deleted": self.deleted,
        }


class Index:
    """Tables and runs of a project, each change in one transaction."""

    def __init__(self, file: Path) -> None:
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False, timeout=10)
        self._connection.row_factory = sqlite3.Row
        # Readers never wait for a writer, and a process that is killed leaves the last whole transaction.
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=FULL")
        self._connection.executescript(_SCHEMA)
        if "started" not in {row["name"] for row in self._connection.execute("PRAGMA table_info(runs)")}:
            self._connection.execute("ALTER TABLE runs ADD COLUMN started REAL")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def add_table(self, request: Mapping[str, Any], fingerprint: str) -> str:
        """Return the id of a table: that of an equal request and content, or a new one."""
        text = json.dumps(request, sort_keys=True)
        with self._changing() as connection:
            known = connection.execute(
                "SELECT id FROM tables WHERE request = ? AND fingerprint = ?", (text, fingerprint)
            ).fetchone()
            if known is not None:
                connection.execute("UPDATE tables SET opened = ? WHERE id = ?", (time.time(), known["id"]))
                return str(known["id"])
            new = secrets.token_hex(8)
            connection.execute("INSERT INTO tables VALUES (?, ?, ?, ?)", (new, text, fingerprint, time.time()))
            return new

    def table(self, id: str) -> TableEntry | None:  # noqa: A002 (the word of the index)
        """Return a table; None if there is none of this id."""
        rows = self._rows("SELECT * FROM tables WHERE id = ?", id)
        return _table(rows[0]) if rows else None

    def tables(self) -> list[TableEntry]:
        """Return all tables, the one opened last first."""
        return [_table(row) for row in self._rows("SELECT * FROM tables ORDER BY opened DESC, rowid DESC")]

    def add_run(self, table_id: str, name: str, request: Mapping[str, Any]) -> str:
        """Add a run that waits; return its id."""
        new = secrets.token_hex(8)
        with self._changing() as connection:
            connection.execute(
                "INSERT INTO runs (id, table_id, name, request, state, created) VALUES (?, ?, ?, ?, ?, ?)",
                (new, table_id, name, json.dumps(request, sort_keys=True), WAITING, time.time()),
            )
        return new

    def run(self, id: str) -> RunEntry | None:  # noqa: A002 (the word of the index)
        """Return a run; None if there is none of this id."""
        rows = self._rows("SELECT * FROM runs WHERE id = ?", id)
        return _run(rows[0]) if rows else None

    def runs(self, *, deleted: bool = False) -> list[RunEntry]:
        """Return all runs, pinned ones first, then the latest first."""
        query = "SELECT * FROM runs WHERE deleted = ? ORDER BY pinned DESC, created DESC, rowid DESC"
        return [_run(row) for row in self._rows(query, int(deleted))]

    def set_state(self, id: str, state: str, message: str = "", request: Mapping[str, Any] | None = None) -> None:  # noqa: A002
        """Note that a run works or how it ended; `request` takes the place of the one that was made."""
        ended = None if state in OPEN_STATES else time.time()
        with self._changing() as connection:
            connection.execute(
                "UPDATE runs SET state = ?, message = ?, ended = ? WHERE id = ?", (state, message, ended, id)
            )
            if state == RUNNING:
                connection.execute("UPDATE runs SET started = ? WHERE id = ?", (time.time(), id))
            if request is not None:
                connection.execute(
                    "UPDATE runs SET request = ? WHERE id = ?", (json.dumps(request, sort_keys=True), id)
                )

    def rename(self, id: str, name: str) -> None:  # noqa: A002
        """Give a run another name."""
        with self._changing() as connection:
            connection.execute("UPDATE runs SET name = ? WHERE id = ?", (name, id))

    def pin(self, id: str, *, is_pinned: bool) -> None:  # noqa: A002
        """Put a run first in the list, or back."""
        with self._changing() as connection:
            connection.execute("UPDATE runs SET pinned = ? WHERE id = ?", (int(is_pinned), id))

    def delete(self, id: str, *, is_deleted: bool) -> None:  # noqa: A002
        """Take a run from the list, or bring it back; its files stay."""
        with self._changing() as connection:
            connection.execute("UPDATE runs SET deleted = ? WHERE id = ?", (int(is_deleted), id))

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def _rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        with self._lock:
            return self._connection.execute(query, values).fetchall()


def _table(row: sqlite3.Row) -> TableEntry:
    return TableEntry(row["id"], json.loads(row["request"]), row["fingerprint"], row["opened"])


def _run(row: sqlite3.Row) -> RunEntry:
    return RunEntry(
        row["id"], row["table_id"], row["name"], json.loads(row["request"]), row["state"], row["message"],
        row["created"], row["ended"], bool(row["pinned"]), bool(row["deleted"]), row["started"],
    )  # fmt: skip
