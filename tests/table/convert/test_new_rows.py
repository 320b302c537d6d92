"""New rows under a fitted schema: by position, by name, and of another table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from crake.errors import ColumnNotFound, CrakeError, SchemaError
from crake.table.batch import MISSING, UNSEEN
from crake.table.convert.frames import encode, from_frame, from_xy

FITTED = from_xy(pd.DataFrame({"outlook": ["sunny", "rainy"], "temp": [1.0, 2.0]}), ["no", "yes"]).schema


@pytest.mark.parametrize(
    "X",
    [
        np.array([["rainy", 3.5], ["foggy", None], [None, 1]], dtype=object),
        [["rainy", 3.5], ["foggy", None], [None, 1]],
        pd.DataFrame({"a": ["rainy", "foggy", None], "b": ["3.5", None, "1"]}),
        pl.DataFrame({"a": ["rainy", "foggy", None], "b": [3.5, None, 1.0]}),
        pd.DataFrame({"a": pd.Categorical(["rainy", "foggy", None]), "b": [3.5, None, 1]}),
    ],
)
def test_new_rows_by_position(X: Any) -> None:
    (batch,) = encode(X, FITTED).batches()
    assert batch.codes.tolist() == [[0], [UNSEEN], [MISSING]]
    np.testing.assert_array_equal(batch.values, [[3.5], [np.nan], [1.0]])


def test_a_number_that_is_none_is_named() -> None:
    with pytest.raises(CrakeError, match=r"column 'temp' holds 'warm', which is not a number"):
        encode(np.array([["rainy", "warm"]], dtype=object), FITTED)
    with pytest.raises(CrakeError, match="X has 1 columns; the model was fitted with 2"):
        encode(np.array([["rainy"]], dtype=object), FITTED)
    with pytest.raises(CrakeError, match="infinity"):
        encode(np.array([["rainy", np.inf]], dtype=object), FITTED)


def test_whole_numbers_match_float_levels_and_back() -> None:
    floats = from_xy(np.array([[0.0], [1.0]]), nominal="all").schema
    assert encode(np.array([[1], [2]]), floats).column("x0").tolist() == [1, UNSEEN]
    wholes = from_xy(np.array([[0], [1]]), nominal="all").schema
    assert encode(np.array([[1.0], [np.nan]]), wholes).column("x0").tolist() == [1, MISSING]
    assert encode(np.array([["1"], ["1.5"]]), wholes).column("x0").tolist() == [1, UNSEEN]


def test_columns_by_name_in_any_order_extra_ones_noted() -> None:
    frame = pd.DataFrame({"temp": [5], "note": ["x"], "target": ["yes"], "outlook": ["sunny"]})
    table = encode(frame, FITTED, by_name=True)
    assert table.schema.names == ("outlook", "temp", "target")
    assert table.target.tolist() == [1]
    assert next(table.batches()).codes.tolist() == [[1]]
    assert table.notes == ("columns the model does not know, not used: note",)


def test_a_missing_column_is_named_with_the_nearest() -> None:
    with pytest.raises(ColumnNotFound, match=r"'outlook', which the model reads. Did you mean 'outlok'"):
        encode(pd.DataFrame({"outlok": ["a"], "temp": [1]}), FITTED, by_name=True)
    with pytest.raises(SchemaError, match="outlook, temp"):
        encode(from_frame(pa.table({"wind": ["a"]})), FITTED)


def test_a_table_is_matched_by_name_and_its_codes_translated() -> None:
    other = from_frame(pa.table({"temp": ["7", None], "outlook": ["sunny", "foggy"]}))
    table = encode(other, FITTED)
    (batch,) = table.batches()
    assert batch.codes.tolist() == [[1], [UNSEEN]]
    np.testing.assert_array_equal(batch.values, [[7.0], [np.nan]])
    assert encode(table, FITTED).column("outlook").tolist() == [1, UNSEEN]


def test_a_table_under_its_own_schema_is_not_coded_again() -> None:
    table = from_xy(np.array([[0, 7], [1, 7]]), ["no", "yes"], nominal="all")
    taken = table.take(np.array([1]))
    assert np.shares_memory(next(encode(taken, table.schema).batches()).codes, next(taken.batches()).codes)
    without = table.with_target(None)
    assert encode(without, table.schema).schema.target == "target"
