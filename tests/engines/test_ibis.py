"""Tables of Ibis: read in batches, counted by the engine behind them, on DuckDB and on PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from tests.engines.required import required
from tests.engines.sql import execute, write
from tests.laws.arrays import assert_same_bits

import crake
from crake.errors import ReadError, SchemaError
from crake.statistics import ClassCounts, ValueCounts, gather
from crake.table.sources.scan import Scan

ibis = required("ibis", "ibis")
pytestmark = pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning")  # by Ibis


def rows() -> pa.Table:
    draw = np.random.default_rng(8)
    return pa.table(
        {
            "Colour": pa.array(np.array(["red", "Red", None], dtype=object)[draw.integers(0, 3, 300)]),
            "truth": pa.array(draw.random(300) < 0.5),
            "size": pa.array(np.round(draw.normal(0, 1, 300), 2), mask=draw.random(300) < 0.1),
            "y": np.array(["no", "yes"])[draw.integers(0, 2, 300)],
        }
    )


@pytest.fixture
def duckdb_table(tmp_path: Path) -> Any:
    with duckdb.connect(tmp_path / "t.duckdb") as connection:
        connection.register("given", rows())
        connection.execute("create table t as select *, 1.25::decimal(9, 2) as price from given")
    connection = ibis.duckdb.connect(tmp_path / "t.duckdb")
    yield connection.table("t")
    connection.disconnect()


@pytest.fixture
def postgres_table(postgres: str) -> Any:
    required("psycopg", "ibis")
    execute(postgres, "drop table if exists of_ibis", "drop table if exists of_ibis_rows")
    write(postgres, "of_ibis_rows", rows())
    execute(postgres, "create table of_ibis as select *, 1.25::numeric(9, 2) as price from of_ibis_rows")
    address = urlsplit(postgres)
    place = parse_qs(address.query)["host"][0]
    connection = ibis.postgres.connect(host=place, user=address.username, database="postgres")
    yield connection.table("of_ibis")
    connection.disconnect()


@pytest.fixture(params=["duckdb_table", "postgres_table"])
def table(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


def test_rows_and_counts_are_those_of_the_engine(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    held = crake.read(rows(), "y")
    scan = crake.read(table.drop("price"), "y")
    assert (scan.in_memory, scan.schema.names, len(scan)) == (False, held.schema.names, 300)
    expected = crake.NaiveBayesClassifier().fit(held)
    np.testing.assert_array_equal(
        crake.NaiveBayesClassifier().fit(scan).predict_proba(held), expected.predict_proba(held)
    )
    names = table.select("Colour", "truth", "y")
    with monkeypatch.context() as patched:
        patched.setattr(Scan, "batches", None)
        counted = gather(crake.read(names, "y"), [ClassCounts, ValueCounts])
    assert_same_bits(counted, gather(held.select(["Colour", "truth", "y"]), [ClassCounts, ValueCounts]))
    loaded = crake.read(table.filter(table.truth), "y", in_memory=True)
    assert loaded.in_memory
    assert len(loaded) == int(np.sum(rows()["truth"].to_numpy(zero_copy_only=False)))
    assert loaded.to_arrow()["price"].to_pylist()[:2] == [1.25, 1.25]


def test_what_cannot_be_read_is_said(table: Any) -> None:
    with pytest.raises(SchemaError, match=r"column 'list' is of type .*; expected text, truth values, numbers"):
        crake.read(table.mutate(list=ibis.array([1, 2])), "y")
    with pytest.raises(ReadError, match="no rows"):
        crake.read(table.filter(ibis.literal(False)), "y")
    with pytest.raises(ReadError, match="expected a table with an engine behind it"):
        crake.read(ibis.table({"a": "int64"}, name="nowhere"), "a")
    with pytest.raises(SchemaError, match="expected rows in memory, got a lazy Table; scan it"):
        crake.NaiveBayesClassifier().fit(table, ["a"])


def test_rows_that_are_loaded_are_capped(postgres_table: Any) -> None:
    with pytest.raises(ReadError, match="allowed by max_bytes="):
        crake.read(postgres_table.drop("price"), "y", in_memory=True, max_bytes=100)
