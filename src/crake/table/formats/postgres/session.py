"""Connections to a PostgreSQL server that all see one snapshot, read only."""

from __future__ import annotations

import contextlib
import re
import threading
import weakref
from collections.abc import Iterator
from typing import Any, Self

import pyarrow as pa

from crake.errors import ReadError

SECONDS = 1800
"""Seconds in which the next rows must come: a view may never end."""
SETTINGS = (
    "set local timezone = 'UTC'",
    "set local synchronize_seqscans = off",
    "set local idle_in_transaction_session_timeout = 0",
    # A process that is killed cancels nothing: a server that can looks whether it is still there.
    """do $$ begin perform pg_catalog.set_config('client_connection_check_interval', '10s', true);
    exception when others then null; end $$""",
)
"""Rows come in the same order in every scan, and dates do not depend on where the server is."""
CANCELLED = "57014"
"""The state of a statement that was cancelled."""
ONE_BY_ONE = "set local max_parallel_workers_per_gather = 0"
"""Rows of parallel workers would come in another order each time."""
DETAIL = b"PG_DIAG_MESSAGE_PRIMARY"
_FIRST = "begin isolation level repeatable read read only"


class Snapshot:
    """One state of the database. It lasts as long as the connection that holds it is open."""

    def __init__(self, address: str, name: str) -> None:
        self._address, self.name = address, name
        driver = _driver(name)
        with self.one_line():
            self._holder = driver.connect(address, autocommit=True)
            weakref.finalize(self, _closed, self._holder)
            with self._holder.cursor() as cursor:
                for statement in (_FIRST, *SETTINGS):
                    cursor.execute(statement)
                cursor.execute("select pg_catalog.pg_export_snapshot()")
                ((self._snapshot,),) = cursor.fetchall()

    @contextlib.contextmanager
    def connected(self, *, in_order: bool = True) -> Iterator[Any]:
        """Open a connection to this state and yield its cursor; in_order=False lets the server use several workers."""
        with self.one_line(), _driver(self.name).connect(self._address, autocommit=True) as connection:
            cursor = connection.cursor()
            try:
                cursor.execute(_FIRST)
                cursor.execute(f"set transaction snapshot '{self._snapshot}'")
                for statement in (*SETTINGS, *([ONE_BY_ONE] if in_order else [])):
                    cursor.execute(statement)
                yield cursor
            finally:
                cursor.close()

    def batches(self, cursor: Any, statement: str) -> Iterator[pa.RecordBatch]:
        """Run a statement and yield its rows as they come; raise if none comes for SECONDS."""
        with Clock(cursor, self.name) as clock:
            cursor.execute(statement)
            with contextlib.closing(cursor.fetch_record_batch()) as reader:
                while True:
                    try:
                        batch = reader.read_next_batch()
                    except StopIteration:
                        return
                    clock.stop()
                    yield batch
                    clock.start()

    def fetched(self, cursor: Any, statement: str) -> pa.Table:
        """Return the few rows of a statement."""
        with Clock(cursor, self.name):
            cursor.execute(statement)
            return cursor.fetch_arrow_table()

    @contextlib.contextmanager
    def one_line(self) -> Iterator[None]:
        """Turn an error of the driver into a ReadError of one line."""
        from adbc_driver_manager import Error  # noqa: PLC0415 (it is there if the driver is)

        try:
            yield
        except (Error, pa.ArrowException, OSError) as error:
            if _is_ctrl_c(error):
                raise KeyboardInterrupt from None
            raise ReadError(reason_of(error), file=self.name) from None


class Clock:
    """Cancels a statement whose next rows do not come in time."""

    def __init__(self, cursor: Any, name: str) -> None:
        self._cursor, self._name = cursor, name
        self._timer: threading.Timer | None = None
        self._is_late = False

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self.stop()
        if self._is_late and kind is not None and kind is not GeneratorExit:
            raise ReadError(
                f"no row came for {SECONDS:,.0f} s and reading was stopped: the view or query may never end. Limit its "
                "rows, or read a table",
                file=self._name,
            ) from None

    def start(self) -> None:
        """Begin to wait for rows."""
        self._timer = threading.Timer(SECONDS, self._cancel)
        self._timer.daemon = True
        self._timer.start()

    def stop(self) -> None:
        """Stop waiting: rows have come."""
        if self._timer is not None:
            self._timer.cancel()

    def _cancel(self) -> None:
        self._is_late = True
        self._cursor.adbc_cancel()


def reason_of(error: Exception) -> str:
    """Return an error of the driver as one line, without the statement."""
    details = dict(getattr(error, "details", None) or ())
    text = details[DETAIL].decode(errors="replace") if DETAIL in details else str(error).split("\nQuery was:")[0]
    text = " ".join(re.sub(r"^[A-Z_]+: (\[libpq\] )?", "", text).split())[:300] or type(error).__name__
    lost = ("server closed the connection", "terminating connection", "connection to server was lost", "no connection")
    if "invalid snapshot" in text or any(words in text for words in lost):
        return f"PostgreSQL says: {text}; the connection is gone: read the table again"
    if "password" in text:
        from crake.table.formats.postgres.address import HINT  # noqa: PLC0415 (only for this error)

        return f"PostgreSQL says: {text}; {HINT}"
    return f"PostgreSQL says: {text}"


def _is_ctrl_c(error: Exception) -> bool:
    """Return whether Ctrl-C has cancelled a statement: the driver does so in the main thread, and then raises this."""
    is_cancelled = getattr(error, "sqlstate", None) == CANCELLED and "user request" in reason_of(error)
    return is_cancelled and threading.current_thread() is threading.main_thread()


def _driver(name: str) -> Any:
    try:
        import adbc_driver_postgresql.dbapi as driver  # noqa: PLC0415 (an extra)
    except ImportError:
        raise ReadError(
            "PostgreSQL is read with a driver that is not installed; pip install 'crake[postgres]'", file=name
        ) from None
    return driver


def _closed(connection: Any) -> None:
    with contextlib.suppress(Exception):
        connection.close()
