"""A relation of a DuckDB connection is scanned through that connection, and equal to its rows."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest

import crake
from crake.errors import ReadError, SchemaError
from crake.table.column_options import ColumnOptions
from crake.table.formats.duckdb.relation import RelationRows
from crake.table.sources.scanned_table import scanned

ROWS = 5000
QUERY = """
select i % 90 as age, 'c' || i % 3 as city, i / 7.0 as income,
       case when i % 11 = 0 then null else i % 2 = 0 end as "is.new",
       'p' || (i * 7919) % 3 as "plan"
from range(5000) t(i) order by i
"""


@pytest.fixture
def relation() -> duckdb.DuckDBPyRelation:
    return duckdb.connect().sql(QUERY)


def test_a_relation_is_scanned_and_equal_to_its_rows(relation: duckdb.DuckDBPyRelation) -> None:
    held, scan = crake.read(relation.to_arrow_table(), "plan"), crake.read(relation, "plan")
    assert not scan.in_memory
    loaded = scan.sample(ROWS)
    assert loaded.schema == held.schema
    for column in held.schema.columns:
        np.testing.assert_array_equal(loaded.column(column.name), held.column(column.name))
    model = crake.NaiveBayesClassifier().fit(scan)
    np.testing.assert_array_equal(model.predict_proba(scan), crake.NaiveBayesClassifier().fit(held).predict_proba(held))
    assert crake.read(relation, "plan", in_memory=True).schema == held.schema


def test_no_more_than_a_portion_is_in_memory(relation: duckdb.DuckDBPyRelation) -> None:
    table = scanned(RelationRows(relation, "rows", rows_per_portion=2048), ColumnOptions(target="plan"))
    batches = list(table.batches())
    assert max(batch.rows for batch in batches) <= 2048
    assert sum(batch.rows for batch in batches) == ROWS


def test_a_scan_that_is_given_up_frees_the_connection(relation: duckdb.DuckDBPyRelation) -> None:
    portions = RelationRows(relation, "rows", rows_per_portion=100).portions(["age"])
    assert next(portions).rows == 100
    portions.close()
    assert relation.aggregate("count(*)").fetchall() == [(ROWS,)]


def test_hostile_and_doubled_names_are_no_sql() -> None:
    relation = duckdb.connect().sql("""select 1 as "a""b; drop", 2 as x, 3 as x, 'u' as y""")
    table = crake.read(relation, "y").sample(10)
    assert table.schema.names == ('a"b; drop', "x", "x_2", "y")
    assert [table.column(name).tolist() for name in table.schema.names[:3]] == [[1.0], [2.0], [3.0]]


def test_options_and_faults(relation: duckdb.DuckDBPyRelation) -> None:
    assert crake.read(relation, "plan", ignore="city").schema["city"].kind == "ignored"
    with pytest.raises(ReadError, match="table= and query= are for DuckDB files, and this is a relation"):
        crake.read(relation, table="t")
    with pytest.raises(ReadError, match="no rows"):
        crake.read(relation.filter("age < 0"), "plan")
    with pytest.raises(SchemaError, match="got a lazy DuckDBPyRelation; scan it"):
        crake.C45Classifier().fit(relation, np.zeros(ROWS))
    faulty = relation.project("age, plan, cast(city as integer) as number")
    with pytest.raises(ReadError, match="DuckDB says: Conversion Error"):
        crake.NaiveBayesClassifier().fit(crake.read(faulty, "plan"))


def test_a_file_that_this_process_has_open_says_what_to_do(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "rows.duckdb") as connection:
        connection.execute(f'create table "rows" as {QUERY}')
        with pytest.raises(ReadError, match=r"the file is open for writing.*crake\.read\(connection\.table"):
            crake.read(tmp_path / "rows.duckdb", "plan")
        assert len(crake.read(connection.table("rows"), "plan")) == ROWS
    assert len(crake.read(tmp_path / "rows.duckdb", "plan")) == ROWS


def test_names_are_counted_in_duckdb(relation: duckdb.DuckDBPyRelation, monkeypatch: pytest.MonkeyPatch) -> None:
    query = 'select city, "is.new", city as City, \'A\' || age % 2 as "a; drop", "plan" from relation'
    names = duckdb.connect().from_arrow(relation.to_arrow_table()).query("relation", query)
    scanned_model = crake.NaiveBayesClassifier().fit(crake.read(names, "plan", in_memory=True))
    monkeypatch.setattr(RelationRows, "portions", None)
    counted = crake.NaiveBayesClassifier().fit(crake.read(names, "plan"))
    assert counted.schema_ == scanned_model.schema_
    np.testing.assert_array_equal(
        counted.statistics_.value_counts.counts, scanned_model.statistics_.value_counts.counts
    )


def test_a_limit_of_bytes_holds_for_relations(relation: duckdb.DuckDBPyRelation) -> None:
    with pytest.raises(ReadError, match="are allowed by max_bytes="):
        crake.read(relation, "plan", in_memory=True, max_bytes=100)
    assert not crake.read(relation, "plan", max_bytes=100).in_memory
