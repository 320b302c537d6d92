"""DuckDB files: tables and queries, and nothing beyond them."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from tests.table.sources.rows import arrow_table

import crake
from crake.errors import CrakeError, ReadError, SchemaError
from crake.table.convert.frames import from_frame
from crake.table.schema import Kind


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("duckdb") / "shop.duckdb"
    orders = arrow_table(2000)
    with duckdb.connect(path) as connection:
        connection.register("given", orders)
        connection.execute("create table orders as select * from given")
        connection.execute("create schema old")
        connection.execute("create table old.orders as select 1 as a, 'x' as b")
        connection.execute("create view adults as select * from orders where age >= 21")
        connection.execute("create view secrets as select * from read_csv('/etc/hosts', header=false)")
    return path


@pytest.mark.parametrize("in_memory", [True, False])
def test_tables_views_and_queries(shop: Path, in_memory: bool) -> None:
    table = crake.read(shop, "plan", table="orders", in_memory=in_memory)
    assert table.in_memory is in_memory
    assert (len(table), table.name) == (2000, "shop.duckdb, orders")
    held = from_frame(arrow_table(2000), target="plan")
    assert [c.kind for c in table.schema.columns] == [c.kind for c in held.schema.columns]
    fitted, expected = (crake.NaiveBayesClassifier().fit(t) for t in (table, held))
    assert fitted.schema_ == expected.schema_
    assert fitted.statistics_.value_counts.counts.tobytes() == expected.statistics_.value_counts.counts.tobytes()
    assert fitted.statistics_.class_moments.moments.tobytes() == expected.statistics_.class_moments.moments.tobytes()
    assert fitted.left_out_ == expected.left_out_ > 0
    adults = crake.read(shop, "plan", query="select plan, city from adults -- of age\n;", in_memory=in_memory)
    assert 0 < len(adults) < 2000
    assert adults.schema.names == ("plan", "city")
    assert len(crake.read(shop, table="adults", in_memory=in_memory)) == len(adults)
    assert len(crake.read(shop, table="old.orders", in_memory=in_memory)) == 1


def test_which_table(shop: Path, tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"shop\.duckdb: 4 tables: adults, orders, secrets, old\.orders; name one"):
        crake.read(shop)
    with pytest.raises(ReadError, match="there is no table 'ordres'"):
        crake.read(shop, table="ordres")
    with pytest.raises(ReadError, match="both given"):
        crake.read(shop, table="orders", query="select 1")
    with pytest.raises(ReadError, match="is for SQLite, DuckDB and PostgreSQL files, and this is a bundled example"):
        crake.read("golf", table="orders")
    alone = tmp_path / "alone.duckdb"
    with duckdb.connect(alone) as connection:
        connection.execute("create table t as select * from (values (1, 'x'), (2, 'y')) v(a, b)")
        connection.execute("create table empty_later as select 1")
        connection.execute("drop table empty_later")
    assert len(crake.read(alone)) == 2
    with pytest.raises(ReadError, match="no rows"):
        crake.read(alone, query="select * from t where a > 7")


@pytest.mark.parametrize(
    "query",
    [
        "select * from read_csv('/etc/hosts')",
        "select * from '/etc/hosts'",
        "select * from secrets",
        "select * from read_text('/etc/hosts')",
        "select * from glob('/*')",
        "drop table orders",
        "select 1; drop table orders",
        "insert into orders select * from orders",
        "create table new as select 1",
        "copy orders to 'stolen.csv'",
        "attach 'other.duckdb'",
        "set enable_external_access = true",
        "install httpfs",
        "load httpfs",
        "pragma database_list",
        "select 1) as t(c0), (select 2",
        "select",
        "",
    ],
)
def test_a_query_reads_this_file_and_nothing_else(shop: Path, query: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = shop.read_bytes()
    with pytest.raises(ReadError, match=r"shop\.duckdb: "):
        crake.read(shop, query=query)
    assert shop.read_bytes() == before
    assert list(tmp_path.iterdir()) == []
    assert [file.name for file in shop.parent.iterdir()] == [shop.name]


def test_types(tmp_path: Path) -> None:
    path = tmp_path / "types.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(
            "create table t as select (range % 3)::hugeint as h, 'b'::enum('c', 'b', 'a') as e, uuid() as u, "
            "1.5::decimal(9, 2) as d, date '2024-01-01' as day, 'x'::blob as blob, time '10:00' as clock, "
            "[1, 2] as list, range % 2 as y from range(100)"
        )
    with pytest.raises(SchemaError, match=r"column 'blob' is of type binary.*ignore=\['blob'\]"):
        crake.read(path, in_memory=False)
    for in_memory in (True, False):
        table = crake.read(path, "y", ignore=["blob", "clock", "list"], in_memory=in_memory)
        kinds = {column.name: column.kind for column in table.schema.columns}
        assert [kinds[name] for name in "heud"] == [Kind.NUMERIC, Kind.NOMINAL, Kind.NOMINAL, Kind.NUMERIC]
        model = crake.NaiveBayesClassifier().fit(table)
        assert model.schema_["e"].levels == ("c", "b", "a")
        assert model.schema_["e"].declared
        assert model.classes_.tolist() == [0, 1]
        assert any("'day' holds dates" in note for note in table.notes)


def test_a_query_that_fails_half_way_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "late.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("create table t as select range as i, (range % 2)::varchar as y from range(300000)")
    query = "select case when i = 299999 then error('boom') else i end as i, y from t"
    table = crake.read(path, "y", query=query, in_memory=False)
    with pytest.raises(ReadError, match="boom"):
        crake.NaiveBayesClassifier().fit(table)


def test_broken_files(tmp_path: Path, shop: Path) -> None:
    path = tmp_path / "broken.duckdb"
    data = shop.read_bytes()
    path.write_bytes(b"no database at all")
    with pytest.raises(ReadError, match=r"broken\.duckdb: DuckDB says: "):
        crake.read(path)
    for cut in (100, 5000, len(data) // 2):
        path.write_bytes(data[:cut])
        with pytest.raises(CrakeError):
            crake.NaiveBayesClassifier().fit(crake.read(path, "plan", table="orders"))


@pytest.mark.parametrize("in_memory", [True, False])
def test_names_of_a_query_are_made_different_as_in_every_file(shop: Path, in_memory: bool) -> None:
    query = 'select a, a + 1 as a, a + 2 as a_2, a + 3 as "A" from old.orders'
    table = crake.read(shop, query=query, in_memory=in_memory)
    assert table.schema.names == ("a", "a_3", "a_2", "A")
    assert [table.sample(9).column(name).tolist() for name in table.schema.names] == [[1], [2], [3], [4]]
    assert table.notes[0] == "column 2 is a second 'a'; it is called 'a_3'"
