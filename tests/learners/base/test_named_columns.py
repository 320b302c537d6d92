"""Columns by name in Python: other orders, more columns, mappings; arrays by position."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import crake

FRAME = pd.DataFrame(
    {"outlook": ["sun", "rain", "sun", "rain"], "degrees": [20.0, 10.0, 22.0, 9.0], "wind": [1, 5, 2, 4]}
)
Y = ["out", "in", "out", "in"]
MODEL = crake.NaiveBayesClassifier().fit(FRAME, Y)
EXPECTED = MODEL.predict_proba(FRAME)
LONGER = FRAME.assign(extra="x")[["extra", "outlook", "degrees", "wind"]]
SHUFFLED = FRAME.assign(extra="x")[["wind", "extra", "outlook", "degrees"]]


def mapped(frame: pd.DataFrame) -> dict[str, Any]:
    return {name: frame[name].tolist() for name in frame.columns}


@pytest.mark.parametrize(
    "X",
    [
        LONGER,
        pl.from_pandas(SHUFFLED),
        pa.Table.from_pandas(SHUFFLED),
        crake.read(SHUFFLED),
        mapped(SHUFFLED),
        {name: SHUFFLED[name] for name in SHUFFLED.columns},
        {name: SHUFFLED[name].to_numpy() for name in SHUFFLED.columns},
    ],
    ids=["longer", "polars", "arrow", "table", "lists", "series", "arrays"],
)
def test_columns_are_matched_by_name(X: Any) -> None:
    np.testing.assert_array_equal(MODEL.predict_proba(X), EXPECTED)
    assert MODEL.predict(X).tolist() == Y


def test_a_pandas_frame_in_another_order_is_an_error_that_names_the_mending() -> None:
    with pytest.raises(crake.CrakeError, match=r"same order as they were in fit.\nWrite X\[model.feature_names_in_\]"):
        MODEL.predict(SHUFFLED)
    np.testing.assert_array_equal(MODEL.predict_proba(SHUFFLED[MODEL.feature_names_in_]), EXPECTED)


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, pa.table, dict], ids=["pandas", "polars", "arrow", "dict"]
)
def test_missing_columns_are_named(make: Any) -> None:
    rest = make({name: values for name, values in mapped(SHUFFLED).items() if name != "degrees"})
    with pytest.raises(ValueError, match="yet now missing:\n- degrees"):
        MODEL.predict(rest)


def test_one_row() -> None:
    row = {"wind": 1, "outlook": "sun", "degrees": 20.0}
    np.testing.assert_array_equal(MODEL.predict_proba(row), EXPECTED[:1])
    part = {"outlook": "sun"}
    assert MODEL.predict_proba(part)[0, 1] == pytest.approx(MODEL.explain(part)["out"])
    with pytest.raises(crake.CrakeError, match="Did you mean 'outlook'"):
        MODEL.predict({"outlok": "sun"})


def test_fitting_on_a_mapping() -> None:
    model = crake.C45Classifier().fit(mapped(FRAME), Y)
    assert model.feature_names_in_.tolist() == list(FRAME.columns)
    assert model.predict(SHUFFLED[list(FRAME.columns)]).tolist() == Y
    regressor = crake.LinearRegressor().fit({"x": [1.0, 2.0, 3.0]}, [1.0, 2.0, 3.5])
    np.testing.assert_allclose(regressor.predict({"other": ["a"], "x": [2]}), regressor.predict({"x": [2.0]}))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ({}, "got an empty mapping"),
        ({"outlook": ["sun"], "degrees": 3, "wind": [1]}, "one value for 'degrees' and a column for others"),
        ({"outlook": ["sun"], "degrees": [3, 4], "wind": [1]}, "different lengths"),
        ({"outlook": ["sun", 3], "degrees": [3, 4], "wind": [1, 2]}, "column 'outlook' of the mapping cannot be read"),
    ],
)
def test_mappings_that_are_no_table(X: Any, message: str) -> None:
    with pytest.raises(crake.CrakeError, match=message):
        MODEL.predict(X)


def test_a_model_of_an_array_takes_columns_by_position() -> None:
    model = crake.NaiveBayesClassifier().fit(np.eye(4), Y)
    with pytest.raises(crake.CrakeError, match="expected an array, got dict"):
        model.predict({"a": [1], "b": [2], "c": [3], "d": [4]})
