"""Tables of a PostgreSQL server: the rows that are there, the counts that it takes, and errors in words."""

from __future__ import annotations

import datetime as dt
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.engines.sql import execute, write
from tests.laws.arrays import assert_same_bits

import crake
from crake.errors import CellError, ReadError, SchemaError
from crake.statistics import ClassCounts, PairCounts, Statistics, ValueCounts, gather
from crake.table.formats.postgres import session
from crake.table.formats.postgres.scan import PostgresRows
from crake.table.sources.scan import Scan
from crake.table.table import Table

PITFALLS = (
    "create type mood as enum ('sad', 'ok', 'happy')",
    "create domain small as int check (value < 100)",
    """create table pitfalls (id bigint, price numeric, money money, ratio float8, code char(5), "Name" text,
    name varchar(9), mood mood, small small, day date, at timestamp, at_zone timestamptz, key uuid, y text)""",
    """insert into pitfalls values
    (1, 0.1, '12.34', 'NaN', 'ab', 'a', 'ab ', 'ok', 4, '2024-01-02', '2024-01-02 03:04:05', '2024-01-02 03:04:05+02',
        gen_random_uuid(), 'p'),
    (2, 'NaN', null, null, 'ab   ', 'A', 'ab', 'sad', null, '2024-01-03', '2024-01-02 03:04:05',
        '2024-01-01 20:04:05-05', null, 'q'),
    (3, 1e-300, '-1', -0.0, null, 'ä', null, 'ok', 5, null, null, null, null, 'p'),
    (4, 3, '0', 0.0, 'b', 'z', 'ab', null, 6, '2024-01-03', '2024-01-02 03:04:05', null, null, null)""",
    "create table endless_dates as select 'infinity'::date as day, '-infinity'::timestamptz as at, 'p' as y",
    "create table long_keys as select 9007199254740993 as key, 'p' as y union all select 9007199254740992, 'q'",
    'create table "Orders; drop" as select 1 as a, 2 as "A", \'x\' as "select", \'p\' as y',
    "create view endless as with recursive n(i) as (select 1 union all select i + 1 from n) select i, 'p' as y from n",
    "create role guarded login password 'geheim'",
    "grant select on long_keys to guarded",
    "create table secrets as select 1 as a, 'p' as y",
)


@pytest.fixture(scope="module")
def address(postgres: str) -> str:
    execute(postgres, *PITFALLS)
    return postgres


def both(table: Table, monkeypatch: pytest.MonkeyPatch) -> tuple[Statistics, Statistics]:
    """Counted on the server without a row read, and scanned without a count."""
    members = [ClassCounts, ValueCounts, PairCounts]
    with monkeypatch.context() as patched:
        patched.setattr(PostgresRows, "portions", None)
        counted = gather(table, members)
    with monkeypatch.context() as patched:
        patched.setattr(Scan, "count", lambda *_: None)
        scanned = gather(table, members)
    return counted, scanned


@pytest.mark.parametrize("in_memory", [True, False])
def test_types_arrive_as_they_are(address: str, in_memory: bool) -> None:
    table = crake.read(address, "y", table="pitfalls", ignore=["key"], in_memory=in_memory)
    assert (table.in_memory, len(table)) == (in_memory, 4)
    cells = table.sample(10).to_arrow().to_pydict()
    assert cells["price"] == [0.1, None, 1e-300, 3.0]
    assert cells["money"] == [12.34, None, -1.0, 0.0]
    assert cells["ratio"] == [None, None, 0.0, 0.0]
    assert cells["code"] == ["ab", "ab", None, "b"]  # char(5) is filled up with blanks, which are no part of a value
    assert cells["name"] == ["ab ", "ab", None, "ab"]  # those of a varchar are
    assert cells["Name"] == ["a", "A", "ä", "z"]
    assert cells["small"] == [4.0, None, 5.0, 6.0]
    assert cells["day"][:2] == [dt.datetime(2024, 1, 2), dt.datetime(2024, 1, 3)]  # noqa: DTZ001
    # Points in time are those of UTC, wherever the server is (its zone is that of Kolkata).
    assert cells["at"][0] == dt.datetime(2024, 1, 2, 3, 4, 5)  # noqa: DTZ001
    zoned = dt.datetime(2024, 1, 2, 1, 4, 5)  # noqa: DTZ001
    assert [cell and cell.replace(tzinfo=None) for cell in cells["at_zone"]] == [zoned, zoned, None, None]
    assert (table.sample(10).schema["mood"].levels, table.schema["mood"].declared) == (("sad", "ok", "happy"), True)


def test_counts_of_the_server_are_those_of_a_scan(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["code", "Name", "name", "mood", "ratio", "y"]
    columns = 'code, "Name", name, mood, ratio, y'
    table = crake.read(
        address, "y", query=f"select {columns} from pitfalls -- all\n;", nominal=["ratio"], in_memory=False
    )
    counted, scanned = both(table, monkeypatch)
    assert counted.schema == scanned.schema
    assert counted.schema.names == tuple(names)
    assert (counted.schema["ratio"].levels, counted.schema["Name"].levels) == ((0.0,), ("A", "a", "z", "ä"))
    assert_same_bits(counted, scanned)


def test_many_columns_take_several_statements(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = ", ".join(f"'v' || i % {2 + j % 5} as c{j}" for j in range(40))
    query = f"select {columns}, 'k' || i % 2 as y from generate_series(1, 99) as i"
    table = crake.read(address, "y", query=query, in_memory=False)
    with monkeypatch.context() as patched:
        patched.setattr(PostgresRows, "portions", None)
        counted = gather(table, [ClassCounts, ValueCounts])
    assert_same_bits(counted, gather(crake.read(address, "y", query=query, in_memory=True), [ClassCounts, ValueCounts]))


def test_names_that_differ_in_case_are_only_names(address: str) -> None:
    table = crake.read(address, "y", table="Orders; drop")
    assert table.schema.names == ("a", "A", "select", "y")
    with pytest.raises(ReadError, match=r"there is no table 'orders'\..* Tables: Orders; drop, endless"):
        crake.read(address, "y", table="orders")
    with pytest.raises(ReadError, match=r"\d+ tables: .*name one with table= \(--table\)"):
        crake.read(address, "y")
    assert len(crake.read(address, "y", table="public.Orders; drop")) == 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"table": "pitfalls"}, SchemaError, "column 'key' is of type uuid; expected text, truth values, numbers"),
        ({"query": "select '{}'::json as a, 1 as b"}, SchemaError, "column 'a' is of type json"),
        ({"query": "select 1 as b, interval '1 day' as a"}, SchemaError, "column 'a' is of type interval"),
        ({"query": "select array[1, 2] as a, 1 as b"}, SchemaError, "column 'a' is of type _int4"),
        ({"table": "endless_dates"}, CellError, "column 'day' holds infinity; expected dates"),
        ({"table": "endless_dates", "ignore": ["day"]}, CellError, "column 'at' holds infinity"),
        ({"table": "long_keys"}, CellError, "column 'key' holds 9007199254740993; whole numbers beyond"),
        ({"query": "select 1 as a where false"}, ReadError, "no rows"),
        ({"query": "delete from pitfalls"}, ReadError, "syntax error .*; expected one SELECT as the query"),
        ({"query": "select 1 as a; drop table pitfalls"}, ReadError, "PostgreSQL says: syntax error"),
        ({"query": "select a, b from nowhere"}, ReadError, 'PostgreSQL says: relation "nowhere" does not exist'),
        ({"query": "select 1 / (i - 3) as a from generate_series(1, 5) as i"}, ReadError, "division by zero"),
        ({"query": "select 1", "table": "pitfalls"}, ReadError, "both given"),
        ({"table": "pitfalls", "untrusted": True}, ReadError, "untrusted= is for files"),
        ({"table": "pitfalls", "delimiter": ";"}, ReadError, "delimiter= is for"),
    ],
)
def test_what_cannot_be_read_is_said(address: str, options: Any, error: type[Exception], message: str) -> None:
    for in_memory in (True, None):
        with pytest.raises(error, match=message):
            crake.read(address, in_memory=in_memory, **options)


def test_whole_numbers_beyond_floats_are_names(address: str) -> None:
    table = crake.read(address, "y", table="long_keys", nominal=["key"])
    assert table.schema["key"].levels == (9007199254740992, 9007199254740993)


def test_settings_of_the_server_do_not_round_floats(address: str) -> None:
    """Texts of floats have as many digits as extra_float_digits says; crake reads their bits."""
    short = f"{address}&options=-c%20extra_float_digits%3D-10"
    query = "select 0.1::float8 + 0.2::float8 as a, current_setting('extra_float_digits') as digits"
    for source in (address, short):
        for in_memory in (True, False):
            table = crake.read(source, query=query, nominal=["a"], in_memory=in_memory).sample(1)
            assert table.schema["a"].levels == (0.1 + 0.2,)
    assert table.schema["digits"].levels == ("-10",)


def test_all_scans_see_one_snapshot(address: str) -> None:
    execute(address, "create table moving as select i as x, 'k' || i % 2 as y from generate_series(1, 500) as i")
    table = crake.read(address, "y", table="moving", in_memory=False)
    expected = crake.NaiveBayesClassifier().fit(table.sample(500))
    execute(address, "delete from moving where x > 100", "insert into moving values (1, 'other')")
    model = crake.NaiveBayesClassifier().fit(table)
    assert len(table) == 500
    assert model.statistics_.class_moments.moments.tobytes() == expected.statistics_.class_moments.moments.tobytes()
    assert len(crake.read(address, "y", table="moving")) == 101


def test_a_view_that_never_ends_is_stopped(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "SECONDS", 0.3)
    with pytest.raises(ReadError, match="no row came for 0 s and reading was stopped: the view or query may never end"):
        crake.read(address, "y", table="endless")


def test_ctrl_c_while_the_server_works_is_ctrl_c(address: str) -> None:
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        crake.read(address, "y", table="endless")
    timer.join()


def test_the_server_looks_whether_the_process_is_still_there(address: str) -> None:
    query = "select current_setting('client_connection_check_interval') as often, 'p' as y"
    assert crake.read(address, "y", query=query, nominal=["often"]).schema["often"].levels == ("10s",)


def test_a_connection_that_drops_is_an_error(address: str) -> None:
    rows = PostgresRows(address, query="select i, repeat('x', 1000) as t from generate_series(1, 300000) as i")
    portions = rows.portions(["i", "t"])
    assert next(portions).rows > 0
    assert rows.rows == 300000
    execute(address, "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()")
    with pytest.raises(ReadError, match="PostgreSQL says: "):
        list(portions)
    with pytest.raises(ReadError, match=r"PostgreSQL says: .*read the table again"):
        list(rows.portions(["i"]))


def test_passwords_are_never_shown(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    guarded = address.replace("crake@", "guarded@")
    with pytest.raises(ReadError, match=r"no password supplied; give the password in PGPASSWORD"):
        crake.read(guarded, "y", table="long_keys")
    for given in (guarded.replace("guarded@", "guarded:geheim@"), f"{guarded}&password=geheim"):
        with pytest.raises(ReadError, match="without a password") as refused:
            crake.read(given, "y", table="long_keys")
        assert "geheim" not in str(refused.value)
    monkeypatch.setenv("PGPASSWORD", "falsch")
    with pytest.raises(ReadError, match="password authentication failed") as failed:
        crake.read(guarded, "y", table="long_keys")
    assert "falsch" not in str(failed.value)
    monkeypatch.setenv("PGPASSWORD", "geheim")
    table = crake.read(guarded, "y", table="long_keys", nominal=["key"], in_memory=False)
    with pytest.raises(ReadError, match="permission denied for table secrets"):
        crake.read(guarded, "y", table="secrets")
    model = crake.NaiveBayesClassifier().fit(table)
    crake.save(model, tmp_path / "model.crake")
    shown = [repr(table), str(table), repr(table.source), *table.notes, repr(model), str(model), str(table.describe())]
    assert not any("geheim" in text for text in shown)
    assert b"geheim" not in (tmp_path / "model.crake").read_bytes()


def test_passwords_of_a_file(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "pgpass"
    file.write_text("*:*:*:guarded:geheim\n")
    file.chmod(0o600)
    monkeypatch.delenv("PGPASSWORD", raising=False)
    monkeypatch.setenv("PGPASSFILE", str(file))
    assert len(crake.read(address.replace("crake@", "guarded@"), "y", table="long_keys", nominal=["key"])) == 2


def mixed_rows(rows: int = 400) -> pa.Table:
    draw = np.random.default_rng(4)
    numbers = np.round(draw.normal(0, 2, rows), 2)
    numbers[::17] = np.nan
    days = np.datetime64("2024-01-01", "us") + draw.integers(0, 400 * 86_400_000, rows).astype("m8[ms]")
    return pa.table(
        {
            "size": pa.array(numbers, mask=draw.random(rows) < 0.1),
            "Weight": pa.array(draw.integers(0, 50, rows), pa.int32()),
            "colour": pa.array(np.array(["red", "it's", None], dtype=object)[draw.integers(0, 3, rows)]),
            "at": pa.array(days, pa.timestamp("us", "UTC")),
            "y": pa.array(
                np.array(["no", "yes"])[((np.nan_to_num(numbers) > 0) ^ (draw.random(rows) < 0.2)).astype(int)]
            ),
        }
    )


def models() -> list[tuple[Any, dict[str, str]]]:
    return [
        (crake.CARTClassifier(max_depth=4), {"missing": "heaviest"}),
        (crake.C45Classifier(), {}),
        (crake.NaiveBayesClassifier(), {}),
        (crake.LogisticClassifier(), {}),
        (crake.BoostedTreesClassifier(n_estimators=5), {}),
        (crake.AdaBoostClassifier(n_estimators=4), {}),
        (crake.PARTClassifier(), {}),
    ]


def test_a_view_predicts_as_the_model_does(address: str) -> None:
    rows = mixed_rows()
    write(address, "scored", rows)
    table = crake.read(address, "y", table="scored")
    for number, (learner, options) in enumerate(models()):
        model = learner.fit(table)
        statement = model.to_sql("scored", dialect="postgres", **options)
        execute(address, f"create view view_{number} as {statement}")
        # A zone of the session must not move the dates.
        found = crake.read(address, query=f'select "predicted y" as p, "P(no)" as no from view_{number}').to_arrow()
        if options.get("missing") == "heaviest":  # rows without gaps: predict has surrogates for the others
            whole = np.flatnonzero(
                [None not in row.values() and row["size"] == row["size"] for row in rows.to_pylist()]
            )
        else:
            whole = np.arange(len(rows))
        expected = model.predict_proba(table)[whole, 0]
        np.testing.assert_allclose(np.array(found["no"].to_pylist())[whole], expected, atol=1e-12)
        assert np.array(found["p"].to_pylist())[whole].tolist() == model.predict(table)[whole].tolist()
    regression = crake.CARTRegressor(max_depth=3).fit(crake.read(address, "Weight", table="scored", numeric=["Weight"]))
    execute(address, f"create view view_r as {regression.to_sql('scored', dialect='postgres')}")
    found = crake.read(address, query='select "predicted Weight" as p from view_r', numeric=["p"]).column("p")
    whole_table = crake.read(address, "Weight", table="scored", numeric=["Weight"])
    np.testing.assert_allclose(found, regression.predict(whole_table), atol=1e-9)
    with pytest.raises(crake.errors.CrakeError, match="dialect='mysql'; expected one of 'standard', 'duckdb'"):
        model.to_sql("scored", dialect="mysql")


def test_commands_read_a_server(address: str, crake_command: Callable[..., Any], tmp_path: Path) -> None:
    write(address, "clicks", mixed_rows())
    ended = crake_command(
        "train", address, "--table", "clicks", "-t", "y", "-l", "naive-bayes", "-o", tmp_path / "m.crake"
    )
    assert (ended.code, "accuracy" in ended.out) == (0, True), ended.err
    ended = crake_command("predict", tmp_path / "m.crake", address, "--table", "clicks", "-o", tmp_path / "p.csv")
    assert ended.code == 0, ended.err
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 401
    ended = crake_command("describe", address.replace("crake@", "crake:geheim@"), "--table", "clicks")
    assert (ended.code, "geheim" in ended.out + ended.err) == (2, False)


def test_two_scans_at_once_see_the_same_rows(address: str) -> None:
    rows = PostgresRows(address, query="select i from generate_series(1, 5000) as i")
    found: list[int] = []
    one = rows.portions(["i"])
    first = next(one)
    thread = threading.Thread(target=lambda: found.append(sum(each.rows for each in rows.portions(["i"]))))
    thread.start()
    thread.join()
    assert found == [5000]
    assert first.rows + sum(each.rows for each in one) == 5000
