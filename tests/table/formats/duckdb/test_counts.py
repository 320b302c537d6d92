"""Counts taken by DuckDB are those of a scan, bit for bit, whatever the columns are called and hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from tests.laws.arrays import assert_same_bits

import crake
from crake.errors import DataError, ReadError, SchemaError
from crake.statistics import MEMBERS, ClassCounts, ClassMoments, PairCounts, Statistics, ValueCounts, gather
from crake.table.formats.duckdb import scan as duckdb_scan
from crake.table.formats.duckdb.scan import DuckDBRows
from crake.table.sources.scan import Scan
from crake.table.sources.scanned_table import encode_scan, known_only
from crake.table.table import Table

NOMINAL = (ClassCounts, ValueCounts, PairCounts, ClassMoments)


def database(folder: Path, create: str, **frames: pa.Table) -> Path:
    path = folder / "t.duckdb"
    with duckdb.connect(path) as connection:
        for name, frame in frames.items():
            connection.register(name, frame)
        connection.execute(create)
    return path


def both(table: Table, monkeypatch: pytest.MonkeyPatch, members: Any = NOMINAL) -> tuple[Statistics, Statistics]:
    """Counted by DuckDB without a row read, and scanned without a count."""
    with monkeypatch.context() as patched:
        patched.setattr(DuckDBRows, "portions", _never)
        counted = gather(table, members)
    with monkeypatch.context() as patched:
        patched.setattr(Scan, "count", lambda *_: None)
        scanned = gather(table, members)
    return counted, scanned


def _never(*_: Any) -> Any:
    raise AssertionError("this must not be called")


def mixed(rows: int = 5000) -> pa.Table:
    random = np.random.default_rng(3)
    colours = np.array(["red", "Red", "größer", "a'b\"c", "", None], dtype=object)
    return pa.table(
        {
            'na"me': pa.array(colours[random.integers(0, 6, rows)]),
            "Colour": pa.array(colours[random.integers(0, 3, rows)]),
            "colour": pa.array(random.integers(0, 4, rows)),
            "truth": pa.array([None, True, False] * rows)[:rows],
            "select": pa.array(random.choice([0.0, -0.0, 1.5, np.nan], rows)),
            "y": pa.array(np.array(["p", "q", None], dtype=object)[random.integers(0, 3, rows)]),
        }
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # DuckDB's own tables cannot have two names that differ in case alone; a query can.
    create = 'create table t as select "na""me" as a, "Colour" as b, colour_2 as c, truth as d, "select" as e, y from f'
    frame = mixed().rename_columns(['na"me', "Colour", "colour_2", "truth", "select", "y"])
    return database(tmp_path_factory.mktemp("counts"), create, f=frame)


QUERY = 'select a as "na""me", b as "Colour", c as colour, d as truth, e as "select; drop table t", y from t'


def table(file: Path) -> Table:
    return crake.read(file, "y", query=QUERY, nominal=["colour", "select; drop table t"], in_memory=False)


def test_names_gaps_and_types(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted, scanned = both(table(file), monkeypatch)
    assert counted.schema == scanned.schema
    assert_same_bits(counted, scanned)
    assert counted.schema.names[1:3] == ("Colour", "colour")
    assert counted.schema["select; drop table t"].levels == (0.0, 1.5)
    assert counted[ClassCounts].integral
    held = crake.read(file, "y", query=QUERY, nominal=["colour", "select; drop table t"], in_memory=True)
    assert_same_bits(counted, gather(held, NOMINAL))


def test_members_that_need_rows_scan_only_if_they_have_columns(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = [member.empty(table(file).schema) for member in MEMBERS]
    countable = [member for member, part in zip(MEMBERS, empty, strict=True) if part.count_keys() is not None]
    assert len(countable) > len(NOMINAL)
    counted, scanned = both(table(file), monkeypatch, countable)
    assert_same_bits(counted, scanned)
    numeric = crake.read(file, "y", query="select a, e, y from t where not isnan(e)", in_memory=False)
    monkeypatch.setattr(Scan, "count", _never)
    assert gather(numeric, NOMINAL)[ClassMoments].weight.sum() > 0


def test_a_model_learned_from_counts(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = crake.read(file, "y", query=QUERY, nominal=["colour", "select; drop table t"], in_memory=True)
    expected = crake.NaiveBayesClassifier().fit(held)
    monkeypatch.setattr(DuckDBRows, "portions", _never)
    for learner in (crake.NaiveBayesClassifier(), crake.OneRuleClassifier(), crake.MajorityClassifier()):
        assert learner.fit(table(file)).left_out_ == expected.left_out_ > 0
    model = crake.NaiveBayesClassifier().fit(table(file))
    np.testing.assert_array_equal(model.predict_proba(held), expected.predict_proba(held))


def test_known_rows_and_fixed_levels(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for some in (known_only(table(file)), encode_scan(table(file), gather(table(file), NOMINAL).schema)):
        assert_same_bits(*both(some, monkeypatch))
    nominal = ["colour", "select; drop table t"]
    narrow = gather(crake.read(file, "y", query=f"{QUERY} where c < 2", nominal=nominal, in_memory=True), NOMINAL)
    counted, scanned = both(encode_scan(table(file), narrow.schema), monkeypatch, [ClassCounts, ValueCounts])
    assert_same_bits(counted, scanned)


def test_groups_are_scanned(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scan, "count", _never)
    group = np.arange(5000, dtype=np.int32) % 3
    assert gather(table(file), NOMINAL, group=group, groups=3)[ClassCounts].groups == 3


def test_a_collation_joins_no_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = database(
        tmp_path,
        "create table t (a varchar collate nocase, y varchar); "
        "insert into t values ('a', 'p'), ('A', 'q'), ('a', 'q'), ('b', 'p'), (null, 'p')",
    )
    counted, scanned = both(crake.read(path, "y", in_memory=False), monkeypatch)
    assert counted.schema["a"].levels == ("A", "a", "b")
    assert_same_bits(counted, scanned)


def test_declared_levels_and_whole_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = database(
        tmp_path,
        "create table t as select (['c', 'b'])[1 + range % 2]::enum('c', 'b', 'a') as e, uuid() as u, "
        "(range % 3)::hugeint as h, 1.5::decimal(9, 2) as d, range % 2 as y from range(100)",
    )
    scan = crake.read(path, "y", nominal=["h", "d"], in_memory=False)
    counted, scanned = both(scan, monkeypatch)
    assert (counted.schema["e"].levels, counted.schema["e"].declared) == (("c", "b", "a"), True)
    assert counted.classes == (0, 1)
    assert_same_bits(counted, scanned)
    fractions = crake.read(path, "d", ignore=["u", "y", "h"], in_memory=False)
    with pytest.raises(SchemaError, match="fractions"):
        gather(fractions, [ClassCounts])


def test_many_columns_take_several_statements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = ", ".join(f"'v' || (range % {2 + j % 5}) as c{j}" for j in range(70))
    path = database(tmp_path, f"create table t as select {columns}, 'k' || (range % 2) as y from range(300)")
    scan = crake.read(path, "y", in_memory=False)
    assert_same_bits(*both(scan, monkeypatch, [ClassCounts, ValueCounts]))
    few = crake.read(path, "y", query="select y, c1, c2, c3, c4, c5, c6, c7, c8, c9 from t", in_memory=False)
    monkeypatch.setattr(duckdb_scan, "MOST_COLUMNS", 5)
    assert_same_bits(*both(few, monkeypatch))


def test_types_that_cannot_be_compared_are_scanned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = database(tmp_path, "create table t as select '2024-02-03'::timestamp_s as a, 'p' as y")
    monkeypatch.setattr(DuckDBRows, "_groups", _never)
    scan = crake.read(path, "y", nominal=["a"], in_memory=False)
    assert gather(scan, [ClassCounts])[ClassCounts].counts.tolist() == [[1.0]]


def test_a_column_of_identifiers_is_not_counted_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = database(tmp_path, "create table t as select 'i' || range as id, 'p' as y from range(5000)")
    monkeypatch.setattr("crake.table.sources.levels.MOST_LEVELS", 1000)
    with pytest.raises(DataError, match="'id' has more than 1,000 distinct values"):
        gather(crake.read(path, "y", in_memory=False), [ClassCounts, ValueCounts])


def test_rows_that_come_and_go_are_noticed(tmp_path: Path) -> None:
    path = database(tmp_path, "create table t as select 'x' || (range % 3) as a, 'p' as y from range(50)")
    scan = crake.read(path, "y", in_memory=False)
    assert len(scan) == 50
    with duckdb.connect(path) as connection:
        connection.execute("insert into t values ('x1', 'q')")
    with pytest.raises(ReadError, match="50 rows when they were counted, 51 by value"):
        gather(scan, [ClassCounts, ValueCounts])


def test_progress_is_told(file: Path) -> None:
    calls: list[tuple[int, ...]] = []
    gather(table(file).with_progress(lambda *numbers: calls.append(numbers)), NOMINAL)
    assert calls[-1][:2] == (5000, 5000)
