"""One test body for all engines: the same rows give the same model file, wherever they are.

The files are equal byte for byte, of names and of numbers, whatever the order of the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from tests.engines.required import required
from tests.engines.sql import execute, write
from tests.learners.tree.scanned_rows import count_rows_alone, keep_in_files

import crake
from crake.kernels import threads
from crake.table.table import Table

pytestmark = pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning")  # Ibis calls older methods

Reader = Callable[..., Table]

ROWS = 1500
LEARNERS = (crake.NaiveBayesClassifier, crake.OneRuleClassifier, crake.MajorityClassifier)


def made() -> pa.Table:
    draw = np.random.default_rng(2)
    missing = draw.random((2, ROWS)) < 0.05
    return pa.table(
        {
            "Colour": pa.array(np.array(["red", "Red", "größer"])[draw.integers(0, 3, ROWS)], mask=missing[0]),
            "colour": np.array(["low ", "low", "it's"])[draw.integers(0, 3, ROWS)],
            "place": [f"place {number}" for number in draw.integers(0, 40, ROWS)],
            "size": pa.array(np.round(draw.normal(1e6, 1, ROWS), 3), mask=missing[1]),
            "weight": pa.array(draw.integers(-5, 5, ROWS)),
            "y": np.array(["no", "yes"])[draw.integers(0, 2, ROWS)],
        }
    )


NAMES = ("Colour", "colour", "place", "y")


def csv(rows: pa.Table, folder: Path, request: pytest.FixtureRequest) -> Reader:
    pa_csv.write_csv(rows, folder / "rows.csv")
    return lambda **options: crake.read(folder / "rows.csv", **options)


def one_file(rows: pa.Table, folder: Path, request: pytest.FixtureRequest) -> Reader:
    pq.write_table(rows, folder / "rows.parquet")
    return lambda **options: crake.read(folder / "rows.parquet", **options)


def many_files(rows: pa.Table, folder: Path, request: pytest.FixtureRequest) -> Reader:
    edges = np.linspace(0, ROWS, 38).astype(int)
    (folder / "many").mkdir()
    for number, (start, stop) in enumerate(pairwise(edges)):
        pq.write_table(rows.slice(start, stop - start), folder / "many" / f"{number:02}.parquet")
    return lambda **options: crake.read(folder / "many", **options)


def postgres(rows: pa.Table, folder: Path, request: pytest.FixtureRequest) -> Reader:
    address = request.getfixturevalue("postgres")
    name = f"rows_{folder.name}"
    execute(address, f'drop table if exists "{name}"')
    write(address, name, rows)
    return lambda **options: crake.read(address, table=name, **options)


def ibis_duckdb(rows: pa.Table, folder: Path, request: pytest.FixtureRequest) -> Reader:
    ibis = required("ibis", "ibis")
    connection = ibis.duckdb.connect()
    # DuckDB takes names that differ in case for one.
    names = ["Kind" if name == "Colour" else name for name in rows.column_names]
    connection.con.register("given", rows.rename_columns(names))
    connection.con.execute("create table rows as select * from given")
    table = connection.table("rows").select(*names)
    return lambda **options: crake.read(table.rename(Colour="Kind") if "Kind" in names else table, **options)


def ibis_postgres(rows: pa.Table, folder: Path, request: pytest.FixtureRequest) -> Reader:
    ibis = required("ibis", "ibis")
    required("psycopg", "ibis")
    postgres(rows, folder, request)
    address = urlsplit(request.getfixturevalue("postgres"))
    connection = ibis.postgres.connect(
        host=parse_qs(address.query)["host"][0], user=address.username, database="postgres"
    )
    request.addfinalizer(connection.disconnect)
    table = connection.table(f"rows_{folder.name}")
    return lambda **options: crake.read(table, **options)


IN_ORDER = (csv, one_file, many_files, postgres, ibis_duckdb, ibis_postgres)
"""Engines whose rows come in one order."""


def bytes_of(model: Any, folder: Path) -> bytes:
    crake.save(model, folder / "model.crake")
    return (folder / "model.crake").read_bytes()


@pytest.fixture(scope="module")
def rows() -> pa.Table:
    return made()


@pytest.mark.parametrize("engine", IN_ORDER, ids=lambda engine: engine.__name__)
def test_names_give_the_same_file(
    engine: Callable[..., Reader], rows: pa.Table, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    read = engine(rows.select(NAMES), tmp_path, request)
    shuffled = rows.select(NAMES).take(pa.array(np.random.default_rng(1).permutation(ROWS)))
    for learner in LEARNERS:
        expected = bytes_of(learner().fit(crake.read(rows.select(NAMES), "y")), tmp_path)
        assert bytes_of(learner().fit(crake.read(shuffled, "y")), tmp_path) == expected
        for in_memory in (True, False):
            assert bytes_of(learner().fit(read(target="y", in_memory=in_memory)), tmp_path) == expected


@pytest.mark.parametrize("engine", IN_ORDER, ids=lambda engine: engine.__name__)
def test_numbers_give_the_same_file(
    engine: Callable[..., Reader], rows: pa.Table, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    read = engine(rows, tmp_path, request)
    shuffled = rows.take(pa.array(np.random.default_rng(1).permutation(ROWS)))
    for learner in LEARNERS:
        expected = bytes_of(learner().fit(crake.read(rows, "y")), tmp_path)
        assert bytes_of(learner().fit(crake.read(shuffled, "y")), tmp_path) == expected
        for count in (1, 2, 4):
            with threads.limited(count):
                assert bytes_of(learner().fit(read(target="y", in_memory=False)), tmp_path) == expected


def test_a_file_of_duckdb_gives_the_same_file(rows: pa.Table, tmp_path: Path) -> None:
    """To DuckDB, names that differ in case are one: both tables have another name."""
    rows = rows.rename_columns(["Kind" if name == "Colour" else name for name in rows.column_names])
    with duckdb.connect(tmp_path / "rows.duckdb") as connection:
        connection.register("given", rows)
        connection.execute("create table rows as select * from given")
    scan = crake.read(tmp_path / "rows.duckdb", "y", table="rows", in_memory=False)
    for names in (["Kind", "place", "y"], rows.column_names):
        for learner in LEARNERS:
            expected = bytes_of(learner().fit(crake.read(rows.select(names), "y")), tmp_path)
            assert bytes_of(learner().fit(scan.select(names)), tmp_path) == expected
    for learner in (BOOSTED[0], TREES[0], crake.LogisticClassifier()):
        expected = bytes_of(clone(learner).fit(crake.read(rows, "y")), tmp_path)
        assert bytes_of(clone(learner).fit(scan), tmp_path) == expected
    expected = bytes_of(crake.LinearRegressor().fit(crake.read(rows, "size")), tmp_path)
    numbers = crake.read(tmp_path / "rows.duckdb", "size", table="rows", in_memory=False)
    assert bytes_of(crake.LinearRegressor().fit(numbers), tmp_path) == expected


TREES = (
    crake.C45Classifier(max_depth=4),
    crake.C45Classifier(max_depth=3, class_weight={"no": 0.3}),
    crake.CARTClassifier(max_depth=4),
    crake.CARTClassifier("entropy", max_depth=3, missing="fractional", class_weight={"no": 0.3, "yes": 1.7}),
)
NUMBERS = (
    crake.CARTRegressor(max_depth=4),
    crake.CARTRegressor(max_depth=3, missing="fractional", ccp_alpha=1e-6),
)


@pytest.mark.parametrize("engine", IN_ORDER, ids=lambda engine: engine.__name__)
def test_trees_give_the_same_file(
    engine: Callable[..., Reader],
    rows: pa.Table,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Parts of rows, weights of classes and means are added up the same in any order, in memory and in files."""
    read = engine(rows, tmp_path, request)
    shuffled = rows.take(pa.array(np.random.default_rng(1).permutation(ROWS)))
    for learners, options in ((TREES, {"target": "y"}), (NUMBERS, {"target": "size", "numeric": ["size"]})):
        for learner in learners:
            expected = bytes_of(clone(learner).fit(crake.read(rows, **options)), tmp_path)
            assert bytes_of(clone(learner).fit(crake.read(shuffled, **options)), tmp_path) == expected
            for count in (1, 2, 4):
                with threads.limited(count):
                    found = clone(learner).fit(read(**options, in_memory=False))
                assert bytes_of(found, tmp_path) == expected
            with monkeypatch.context() as patch:
                count_rows_alone(patch)
                keep_in_files(patch)
                found = clone(learner).fit(read(**options, in_memory=False).with_memory(10**9))
            assert bytes_of(found, tmp_path) == expected


BOOSTED = (
    crake.BoostedTreesClassifier(5, max_bins=32),
    crake.BoostedTreesClassifier(12, n_iter_no_change=2, class_weight={"no": 2.0}),
)


@pytest.mark.parametrize("engine", IN_ORDER, ids=lambda engine: engine.__name__)
def test_boosted_trees_give_the_same_file(
    engine: Callable[..., Reader], rows: pa.Table, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    read = engine(rows, tmp_path, request)
    shuffled = rows.take(pa.array(np.random.default_rng(1).permutation(ROWS)))
    for learner in BOOSTED:
        expected = bytes_of(clone(learner).fit(crake.read(rows, "y")), tmp_path)
        if learner.n_iter_no_change is None:
            assert bytes_of(clone(learner).fit(crake.read(shuffled, "y")), tmp_path) == expected
        for count in (1, 2):
            with threads.limited(count):
                assert bytes_of(clone(learner).fit(read(target="y", in_memory=False)), tmp_path) == expected
    numbers = crake.BoostedTreesRegressor(5, loss="absolute_error")
    expected = bytes_of(clone(numbers).fit(crake.read(rows, "weight", numeric=["weight"])), tmp_path)
    found = clone(numbers).fit(read(target="weight", numeric=["weight"], in_memory=False))
    assert bytes_of(found, tmp_path) == expected


LINES = (
    crake.LinearRegressor(),
    crake.LinearRegressor(missing="mean", fit_intercept=False, reference="frequent"),
    crake.LinearRegressor(missing="drop"),
)


@pytest.mark.parametrize("engine", IN_ORDER, ids=lambda engine: engine.__name__)
def test_linear_regression_gives_the_same_file(
    engine: Callable[..., Reader], rows: pa.Table, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Compare model files: floats refine many terms, whole numbers solve few. Target or columns have gaps."""
    read = engine(rows, tmp_path, request)
    shuffled = rows.take(pa.array(np.random.default_rng(1).permutation(ROWS)))
    for target, ignored in (("size", []), ("weight", ["place"])):
        options = {"target": target, "ignore": ignored, "numeric": ["weight"]}
        for learner in LINES:
            expected = bytes_of(clone(learner).fit(crake.read(rows, **options)), tmp_path)
            assert bytes_of(clone(learner).fit(crake.read(shuffled, **options)), tmp_path) == expected
            for count in (1, 2, 4):
                with threads.limited(count):
                    assert bytes_of(clone(learner).fit(read(in_memory=False, **options)), tmp_path) == expected


LOGISTIC = (
    (crake.LogisticClassifier(), "y"),
    (crake.LogisticClassifier("ridge", missing="mean", contrasts="all"), "colour"),
    (crake.LogisticClassifier("firth", missing="drop"), "y"),
)
"""Two and three classes, names and numbers, gaps as terms of their own, as means and left out."""


@pytest.mark.parametrize("engine", IN_ORDER, ids=lambda engine: engine.__name__)
def test_logistic_regression_gives_the_same_file(
    engine: Callable[..., Reader], rows: pa.Table, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    read = engine(rows, tmp_path, request)
    shuffled = rows.take(pa.array(np.random.default_rng(1).permutation(ROWS)))
    for learner, target in LOGISTIC:
        expected = bytes_of(clone(learner).fit(crake.read(rows, target)), tmp_path)
        assert bytes_of(clone(learner).fit(crake.read(shuffled, target)), tmp_path) == expected
        for count in (1, 4):
            with threads.limited(count):
                assert bytes_of(clone(learner).fit(read(target=target, in_memory=False)), tmp_path) == expected


@pytest.mark.parametrize("engine", IN_ORDER, ids=lambda engine: engine.__name__)
def test_estimates_are_the_same(
    engine: Callable[..., Reader], rows: pa.Table, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    read = engine(rows, tmp_path, request)
    held = crake.evaluate("naive-bayes", crake.read(rows, "y"), plan=crake.HashedFolds(5))
    scan = read(target="y", in_memory=False)
    found = crake.evaluate("naive-bayes", scan, plan=crake.HashedFolds(5))
    np.testing.assert_array_equal(found.out_of_fold.probabilities, held.out_of_fold.probabilities)
    described = scan.describe()
    assert (described.rows, [column.missing for column in described.columns][3] > 0) == (ROWS, True)
