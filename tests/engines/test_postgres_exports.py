"""Queries of every learner answer in PostgreSQL as the library does."""

from __future__ import annotations

import pytest
from tests.engines.sql import write
from tests.export.cases import exported_cases
from tests.export.test_sql import assert_query


def test_answers_as_the_library(postgres: str) -> None:
    dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi", reason="the driver of crake[postgres] is not installed")
    for at, rows in enumerate({id(case.rows): case.rows for case in exported_cases()}.values()):
        write(postgres, f"awkward_{at}", rows)
        with dbapi.connect(postgres) as connection, connection.cursor() as cursor:
            for case in exported_cases():
                if case.rows is rows:
                    cursor.execute(case.model.to_sql(f"awkward_{at}", dialect="postgres"))
                    found = cursor.fetch_arrow_table()
                    assert_query(case, found.column_names, [tuple(line.values()) for line in found.to_pylist()])
