"""Regressors on a table that is scanned: the folds and the numbers of rows in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake
from crake.errors import CrakeError
from crake.evaluation.protocol import collector, scan_together

ROWS = 3000
PLAN = crake.HashedFolds(5)


def test_a_numeric_target_of_a_scan_needs_no_option(file: Path) -> None:
    plain, asked = (
        crake.read(file, "price", in_memory=False),
        crake.read(file, "price", in_memory=False, numeric=["price"]),
    )
    model = crake.LinearRegressor().fit(plain)
    assert model.coefficient_.tobytes() == crake.LinearRegressor().fit(asked).coefficient_.tobytes()
    result = crake.evaluate(crake.LinearRegressor(), plain, plan=PLAN)
    assert result.rmse == crake.evaluate(crake.LinearRegressor(), asked, plan=PLAN).rmse


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(5)
    area, city = rng.uniform(50, 200, ROWS), rng.choice(["a", "b", "c"], ROWS)
    price = 1000 * area + np.where(city == "a", 20000, 0) + rng.normal(0, 8000, ROWS)
    price[::500] = np.nan
    path = tmp_path_factory.mktemp("scan") / "houses.parquet"
    frame = pd.DataFrame({"area": area, "city": city, "price": price})
    pq.write_table(pa.Table.from_pandas(frame), path, row_group_size=700)
    return path


@pytest.fixture
def scanned(file: Path) -> crake.Table:
    return crake.read(file, target="price", numeric=["price"], in_memory=False)


@pytest.fixture
def held(file: Path) -> crake.Table:
    return crake.read(file, target="price", in_memory=True)


def test_linear_regression_has_the_numbers_of_rows_in_memory(scanned: crake.Table, held: crake.Table) -> None:
    found = crake.evaluate("linear", scanned, plan=PLAN)
    expected = crake.evaluate("linear", held, plan=PLAN)
    order = np.argsort(expected.out_of_fold.rows)
    np.testing.assert_array_equal(found.out_of_fold.rows, expected.out_of_fold.rows[order])
    np.testing.assert_array_equal(found.out_of_fold.fold, expected.out_of_fold.fold[order])
    np.testing.assert_array_equal(found.out_of_fold.predicted, expected.out_of_fold.predicted[order])
    assert found.out_of_fold.training_rows is not None
    np.testing.assert_array_equal(found.out_of_fold.training_rows, expected.out_of_fold.training_rows)
    assert found.notes == expected.notes == ("6 rows without a known price are left out",)


def test_regressors_that_need_rows_learn_from_a_sample(scanned: crake.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_together, "SAMPLE_ROWS", 600)
    comparison = crake.compare(scanned, plan=PLAN)
    names = [evaluation.name for evaluation in comparison.evaluations]
    assert names == [
        "mean, on a sample",
        "linear regression",
        "k nearest neighbours, on a sample",
        "CART regression tree, on a sample",
        "bagging, on a sample",
        "random forest, on a sample",
        "gradient boosting, on a sample",
    ]
    assert comparison.best.name == "linear regression"
    assert any("learned from a random sample of 600 of 3,000 rows" in note for note in comparison.notes)
    assert str(comparison).startswith("Linear regression is best")


def test_a_sample_as_large_as_the_table_is_the_table(scanned: crake.Table, held: crake.Table) -> None:
    comparison = crake.compare(scanned, learners=["cart"], plan=PLAN)
    expected = crake.evaluate("cart", held, plan=PLAN)
    assert comparison.evaluations[0].name == expected.name
    order = np.argsort(expected.out_of_fold.rows)
    predicted = comparison.evaluations[0].out_of_fold.predicted
    np.testing.assert_array_equal(predicted, expected.out_of_fold.predicted[order])


def test_of_many_rows_some_are_tested(scanned: crake.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "LARGEST_OUT_OF_FOLD", 48 * 1000)
    found = crake.evaluate("linear", scanned, plan=PLAN)
    assert 900 < len(found.out_of_fold.rows) <= 1000
    assert any("rows are tested, drawn by a hash" in note for note in found.notes)


def test_one_regressor_that_needs_rows_is_refused(scanned: crake.Table) -> None:
    with pytest.raises(CrakeError, match="k nearest neighbours needs rows in memory"):
        crake.evaluate("knn", scanned)


def test_a_target_read_as_classes_is_refused(file: Path) -> None:
    with pytest.raises(CrakeError, match="no number; a regressor predicts a number"):
        crake.evaluate("linear", crake.read(file, target="city", in_memory=False))
