"""Queries answer as the library in DuckDB, SQLite and PostgreSQL, and hostile names stay names."""

from __future__ import annotations

import sqlite3
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from tests.export.cases import Case, assert_same, exported_cases

import crake
from crake.export.sql import conditions


def in_duckdb(query: str, rows: pa.Table) -> tuple[list[str], list[tuple[Any, ...]]]:
    with duckdb.connect() as connection:
        connection.register("t", rows)
        result = connection.execute(query)
        return [column[0] for column in result.description], result.fetchall()


def in_sqlite(query: str, rows: pa.Table) -> tuple[list[str], list[tuple[Any, ...]]]:
    connection = sqlite3.connect(":memory:")
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in rows.column_names)
    connection.execute(f"CREATE TABLE t ({quoted})")
    marks = ", ".join("?" * rows.num_columns)
    connection.executemany(f"INSERT INTO t VALUES ({marks})", zip(*(c.to_pylist() for c in rows.columns), strict=True))
    result = connection.execute(query)
    answers = [column[0] for column in result.description], result.fetchall()
    connection.close()
    return answers


def assert_query(case: Case, names: list[str], lines: list[tuple[Any, ...]]) -> None:
    place = {name: at for at, name in enumerate(names)}
    wanted = [f"P({label})" for label in case.classes] or ["predicted y"]
    shares = [[line[place[name]] for name in wanted] for line in lines]
    assert_same(case, [line[place["predicted y"]] for line in lines], shares)


@pytest.mark.parametrize(("engine", "dialect"), [(in_duckdb, "duckdb"), (in_sqlite, "sqlite")])
def test_answers_as_the_library(engine: Any, dialect: str) -> None:
    for case in exported_cases():
        assert_query(case, *engine(case.model.to_sql(dialect=dialect), case.rows))


def test_a_member_whose_classes_are_equal_votes_for_the_first() -> None:
    rows = pa.table({"x0": [1.0, 1.0]})
    model = crake.AdaBoostClassifier().fit(np.ones((2, 1)), ["a", "b"])
    names, found = in_sqlite(model.to_sql(dialect="sqlite"), rows)
    assert [row[names.index("predicted target")] for row in found] == model.predict(np.ones((2, 1))).tolist()


@pytest.mark.parametrize("factors", [0, 10_000])
@pytest.mark.parametrize(("engine", "dialect"), [(in_duckdb, "duckdb"), (in_sqlite, "sqlite")])
def test_many_leaves(engine: Any, dialect: str, factors: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "MANY_FACTORS", factors)
    rng = np.random.default_rng(3)
    X = rng.integers(0, 20, (70, 2)).astype(float)
    X[:6, 0] = X[3:9, 1] = np.nan
    y = (np.nansum(X, axis=1) * 7 % 3).astype(int)
    rows = pa.table({f"x{at}": pa.array(column, from_pandas=True) for at, column in enumerate(X.T)})
    number = crake.CARTRegressor().fit(rows, rng.normal(size=70).round(2))
    names, lines = engine(number.to_sql(dialect=dialect), rows)
    np.testing.assert_allclose([line[names.index("predicted target")] for line in lines], number.predict(rows))
    assert ("[NULL" in number.to_sql(dialect=dialect)) == (dialect == "duckdb")
    model = crake.C45Classifier(1, pruning=None, correction=False).fit(rows, y)
    assert model.n_leaves_ > 20
    names, lines = engine(model.to_sql(dialect=dialect), rows)
    assert [line[names.index("predicted target")] for line in lines] == model.predict(rows).tolist()
    shares = [[line[names.index(f"P({label})")] for label in range(3)] for line in lines]
    np.testing.assert_allclose(shares, model.predict_proba(rows), atol=1e-12)
