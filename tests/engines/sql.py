"""Statements on the PostgreSQL server of the tests."""

from __future__ import annotations

from typing import Any

import pyarrow as pa


def execute(address: str, *statements: str) -> list[Any]:
    """Run statements, each at once, and return the rows of the last."""
    import adbc_driver_postgresql.dbapi as driver  # noqa: PLC0415 (an extra)

    rows: list[Any] = []
    with driver.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
            rows = cursor.fetchall() if cursor.description else []
    return rows


def write(address: str, name: str, rows: pa.Table) -> None:
    """Write rows into a new table, in their order."""
    import adbc_driver_postgresql.dbapi as driver  # noqa: PLC0415 (an extra)

    with driver.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest(name, rows, mode="create")
