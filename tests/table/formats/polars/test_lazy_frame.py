"""A lazy frame of polars is scanned: equal to the collected frame, never collected whole, and an error elsewhere."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
import pytest

import crake
from crake.errors import ReadError, SchemaError
from crake.table.column_options import ColumnOptions
from crake.table.convert.frames import from_frame
from crake.table.formats.polars.scan import LazyFrameRows, collected, sliced
from crake.table.sources.scanned_table import scanned

ROWS = 1000


def frame(rows: int = ROWS) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 90, rows),
            "city": pl.Series(rng.choice(["Bonn", "Jena", "Ulm"], rows)).cast(pl.Categorical),
            "size": pl.Series(rng.choice(["L", "S"], rows)).cast(pl.Enum(["S", "M", "L"])),
            "is_new": rng.random(rows) < 0.5,
            "since": [dt.date(2020, 1, 1) + dt.timedelta(days=int(day)) for day in rng.integers(0, 900, rows)],
            "income": [None if value < 0.1 else value for value in rng.random(rows).tolist()],
            "note": [None if i % 7 == 0 else f"n{i % 5}" for i in range(rows)],
            "plan": rng.choice(["a", "b", "c"], rows),
        }
    )


def portions_of(lazy: pl.LazyFrame, rows: int) -> crake.Table:
    return scanned(LazyFrameRows(lazy, "rows", rows_per_portion=rows), ColumnOptions(target="plan"))


def test_a_lazy_frame_is_scanned_and_equal_to_the_frame() -> None:
    held, scan = crake.read(frame(), "plan"), crake.read(frame().lazy(), "plan")
    assert not scan.in_memory
    assert len(scan) == ROWS
    loaded = scan.sample(ROWS)
    assert loaded.schema == held.schema
    assert loaded.notes == held.notes
    for column in held.schema.columns:
        np.testing.assert_array_equal(loaded.column(column.name), held.column(column.name))
    model = crake.NaiveBayesClassifier().fit(scan)
    np.testing.assert_array_equal(model.predict_proba(scan), crake.NaiveBayesClassifier().fit(held).predict_proba(held))


@pytest.mark.parametrize("rows", [1, 7, 300, 5000])
def test_no_more_than_a_portion_is_collected(rows: int) -> None:
    lazy = frame().lazy().filter(pl.col("age") > 20)
    batches = list(portions_of(lazy, rows).batches())
    kept = lazy.collect()
    assert max(batch.rows for batch in batches) <= rows
    assert sum(batch.rows for batch in batches) == kept.height
    assert [batch.start for batch in batches] == np.cumsum([0, *(batch.rows for batch in batches)])[:-1].tolist()
    values = np.concatenate([batch.values for batch in batches])
    np.testing.assert_array_equal(values[:, 0], kept["age"].to_numpy())


def test_both_ways_to_read_portions_agree() -> None:
    lazy = frame().lazy()
    for read in (collected, sliced):
        portions = list(read(lazy.select("age", "plan"), 64))
        assert pl.concat(portions).equals(frame().select("age", "plan"))
    assert max(portion.height for portion in sliced(lazy, 64)) == 64


def test_rows_come_from_the_file_as_often_as_they_are_scanned(tmp_path: Path) -> None:
    frame().write_parquet(tmp_path / "rows.parquet")
    scan = crake.read(pl.scan_parquet(tmp_path / "rows.parquet").with_columns(double=pl.col("age") * 2), "plan")
    held = crake.read(frame().with_columns(double=pl.col("age") * 2), "plan")
    assert scan.schema.names == held.schema.names
    found = crake.evaluate("naive-bayes", scan)
    assert found.out_of_fold.actual.tolist() == held.target.tolist()
    frame(10).write_parquet(tmp_path / "rows.parquet")
    with pytest.raises(ReadError, match=r"1,000 rows when they were counted, \d+ when read"):
        crake.NaiveBayesClassifier().fit(scan)


def test_options_reach_the_scan() -> None:
    scan = crake.read(frame().lazy(), "plan", ignore=["note", "city"], nominal="age")
    assert [column.name for column in scan.schema.features] == ["age", "size", "is_new", "since", "income"]
    assert scan.sample(ROWS).schema["age"].levels == tuple(sorted(set(frame()["age"].to_list())))
    with pytest.raises(SchemaError, match=r"no column 'plna' in table\. Did you mean 'plan'"):
        crake.read(frame().lazy(), "plna")
    with pytest.raises(ReadError, match="delimiter= is for CSV files, and this is a LazyFrame"):
        crake.read(frame().lazy(), delimiter=";")
    with pytest.raises(ReadError, match="no rows"):
        crake.read(frame().lazy().filter(pl.col("age") < 0), "plan")
    odd = frame().lazy().with_columns(wide=pl.col("age").cast(pl.Int128), pair=pl.concat_list("age", "age"))
    with pytest.raises(SchemaError, match=r"column 'wide' is of type .*ignore=\['wide'\]"):
        crake.read(odd, "plan")
    assert len(crake.read(odd, "plan", ignore=["wide", "pair"]).sample(5)) == 5


def test_rows_are_collected_only_if_asked_for() -> None:
    assert crake.read(frame().lazy(), "plan", in_memory=True).in_memory
    assert not crake.read(frame().lazy(), "plan", in_memory=False).in_memory
    assert not crake.read(nw.from_native(frame().lazy()), "plan").in_memory


@pytest.mark.parametrize("wrap", [lambda lazy: lazy, nw.from_native])
def test_elsewhere_a_lazy_frame_is_an_error_that_says_what_to_do(wrap: Any) -> None:
    lazy = wrap(frame().lazy().drop("plan"))
    model = crake.C45Classifier().fit(crake.read(frame(), "plan"))
    for work in (
        lambda: crake.C45Classifier().fit(lazy, frame()["plan"]),
        lambda: crake.NaiveBayesClassifier().fit(lazy, frame()["plan"]),
        lambda: crake.LinearRegressor().fit(lazy, frame()["age"]),
        lambda: model.predict(lazy),
        lambda: from_frame(lazy),
    ):
        with pytest.raises(SchemaError, match=r"got a lazy LazyFrame; scan it, crake\.read\(frame, target=…\)"):
            work()


def test_faults_of_a_query_are_one_line() -> None:
    with pytest.raises(ReadError, match=r"table: polars says: .*nothing"):
        crake.read(frame().lazy().select("nothing"), "plan")
    faulty = frame().lazy().with_columns(number=pl.col("plan").cast(pl.Int64, strict=True))
    with pytest.raises(ReadError, match="polars says"):
        crake.NaiveBayesClassifier().fit(crake.read(faulty, "plan"))
