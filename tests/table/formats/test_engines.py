"""One test body for all engines: hostile names, and the same model file from every one of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

import crake
from crake.kernels import threads
from crake.table.table import Table

HOSTILE = ('a" from t; drop table t; --', "/etc/passwd", "n" * 10_000, "💥", "c0", "'", "select", "x\ty")

Reader = Callable[..., Table]


def parquet(path: Path, rows: pa.Table) -> Reader:
    pq.write_table(rows, path.with_suffix(".parquet"), row_group_size=500)
    return lambda **options: crake.read(path.with_suffix(".parquet"), **options)


def folder(path: Path, rows: pa.Table) -> Reader:
    path.mkdir(exist_ok=True)
    pq.write_table(rows.slice(0, 700), path / "1.parquet")
    pq.write_table(rows.slice(700), path / "2.parquet")
    return lambda **options: crake.read(path, **options)


def text(path: Path, rows: pa.Table) -> Reader:
    pa_csv.write_csv(rows, path.with_suffix(".csv"))
    return lambda **options: crake.read(path.with_suffix(".csv"), **options)


def database(path: Path, rows: pa.Table) -> Reader:
    with duckdb.connect(path.with_suffix(".duckdb")) as connection:
        connection.register("given", rows)
        connection.execute("create table t as select * from given")
    return lambda **options: crake.read(path.with_suffix(".duckdb"), **options)


def query(path: Path, rows: pa.Table) -> Reader:
    database(path, rows)
    return lambda **options: crake.read(path.with_suffix(".duckdb"), query="select * from t -- all\n;", **options)


ENGINES = (parquet, folder, text, database, query)


def made(names: tuple[str, ...], rows: int = 1500) -> pa.Table:
    draw = np.random.default_rng(2)
    columns = {}
    for j, name in enumerate(names):
        if j % 2:
            columns[name] = pa.array(np.round(draw.normal(j, 1, rows), 3), mask=draw.random(rows) < 0.05)
        else:
            columns[name] = np.array(["low", "mid", "top"])[draw.integers(0, 3, rows)]
    columns["class; drop table t"] = np.array(["no", "yes"])[draw.integers(0, 2, rows)]
    return pa.table(columns)


@pytest.mark.parametrize("engine", ENGINES)
def test_names_are_only_names(engine: Callable[[Path, pa.Table], Reader], tmp_path: Path) -> None:
    rows = made(HOSTILE)
    read = engine(tmp_path / "hostile", rows)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    held, scan = (read(target="class; drop table t", in_memory=held) for held in (True, False))
    assert (held.in_memory, scan.in_memory) == (True, False)
    assert scan.schema.names == held.schema.names == tuple(rows.column_names)
    model = crake.NaiveBayesClassifier().fit(scan)
    np.testing.assert_array_equal(model.predict_proba(scan), crake.NaiveBayesClassifier().fit(held).predict_proba(held))
    assert model.schema_[HOSTILE[0]].levels == ("low", "mid", "top")
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


@pytest.mark.parametrize("learner", [crake.NaiveBayesClassifier, crake.OneRuleClassifier, crake.MajorityClassifier])
def test_the_same_model_file_from_every_engine(learner: Callable[[], object], tmp_path: Path) -> None:
    rows = made(("colour", "size", "shape", "weight"))
    files = set()
    for engine in ENGINES:
        read = engine(tmp_path / f"{engine.__name__}", rows)
        for in_memory in (True, False):
            for count in (1, 2):
                with threads.limited(count):
                    model = learner().fit(read(target="class; drop table t", in_memory=in_memory))  # type: ignore[attr-defined]
                crake.save(model, tmp_path / "model.crake")
                files.add((tmp_path / "model.crake").read_bytes())
    assert len(files) == 1
