"""Frames of every library, and X and y."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from crake.errors import ColumnNotFound, CrakeError, SchemaError, TargetNotFound
from crake.kernels import threads
from crake.table.batch import MISSING, UNSEEN
from crake.table.codes import observe
from crake.table.convert import matrices
from crake.table.convert.frames import encode, from_frame, from_xy, is_frame
from crake.table.schema import Column, Kind, Schema

DATA: dict[str, list[Any]] = {
    "outlook": ["sunny", None, "rainy"],
    "temp": [21, 5, None],
    "wind": [1.5, None, 2.0],
    "raining": [False, True, None],
    "day": [dt.date(1970, 1, 2), None, dt.date(1970, 1, 1)],
}
MAKERS: list[Callable[[dict[str, list[Any]]], Any]] = [
    pa.table,
    lambda data: pa.table(data).to_batches()[0],
    pl.DataFrame,
    lambda data: pl.LazyFrame(data).collect(),
    pd.DataFrame,
    lambda data: pa.table(data).to_pandas(types_mapper=pd.ArrowDtype),
    lambda data: pd.DataFrame(data).convert_dtypes(),
]


@pytest.mark.parametrize("make", MAKERS)
def test_the_same_table_from_every_library(make: Callable[[dict[str, list[Any]]], Any]) -> None:
    table = from_frame(make(DATA), name="days", target="raining")
    assert table.schema.columns == (
        Column("outlook", Kind.NOMINAL, ("rainy", "sunny")),
        Column("temp", Kind.NUMERIC),
        Column("wind", Kind.NUMERIC),
        Column("raining", Kind.NOMINAL, (False, True)),
        Column("day", Kind.NUMERIC, notation="time"),
    )
    assert table.name == "days"
    assert table.target.tolist() == [0, 1, MISSING]
    (batch,) = table.batches()
    assert batch.codes.tolist() == [[1], [MISSING], [0]]
    np.testing.assert_array_equal(batch.values, [[21, 1.5, 1], [5, np.nan, np.nan], [np.nan, 2, 0]])
    assert table.notes == ("column 'day' holds dates: learners see days since 1970",)


def test_timestamps_of_any_unit_and_zone_are_days() -> None:
    moment = pd.Timestamp("1970-01-01T00:00:01.5", tz="UTC")
    frame = pd.DataFrame({"a": [moment, pd.NaT], "b": pd.array([np.datetime64("1970-01-01T00:00:02"), None])})
    (batch,) = from_frame(frame).batches()
    np.testing.assert_array_equal(batch.values, np.array([[1500, 2000], [np.nan, np.nan]]) / 86_400_000)


@pytest.mark.parametrize(
    ("column", "levels"),
    [
        (pd.Categorical(["b", None], categories=["c", "b", "a"]), ("c", "b", "a")),
        (pd.Categorical([2, 1], categories=[2, 1, 9]), (2, 1, 9)),
        (pd.cut([1, 5], [0, 2, 6]), ("(0, 2]", "(2, 6]")),
    ],
)
def test_categories_of_pandas_are_declared_levels(column: Any, levels: tuple[object, ...]) -> None:
    schema = from_frame(pd.DataFrame({"c": column})).schema
    assert schema["c"] == Column("c", Kind.NOMINAL, levels, declared=True)


def test_arrow_dictionaries_and_polars_enums_are_declared_polars_categoricals_are_not() -> None:
    dictionary = pa.DictionaryArray.from_arrays(pa.array([1, None]), pa.array(["c", "b", "a"]))
    assert from_frame(pa.table({"c": dictionary})).schema["c"].levels == ("c", "b", "a")
    frame = pl.DataFrame(
        {
            "enum": pl.Series(["a", None], dtype=pl.Enum(["c", "a"])),
            "pool": pl.Series(["z", "a"], dtype=pl.Categorical),
        }
    )
    schema = from_frame(frame).schema
    assert schema["enum"] == Column("enum", Kind.NOMINAL, ("c", "a"), declared=True)
    assert schema["pool"] == Column("pool", Kind.NOMINAL, ("a", "z"))


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([1, 2.5, None], Kind.NUMERIC),
        ([1, np.nan, pd.NA], Kind.NUMERIC),
        ([decimal.Decimal("1.5"), None], Kind.NUMERIC),
        ([np.float32(1), 2], Kind.NUMERIC),
        ([None, None], Kind.NUMERIC),
        ([True, None], Kind.NOMINAL),
        ([True, 2], Kind.NOMINAL),
        (["1", "2"], Kind.NOMINAL),
        ([1, "a"], Kind.NOMINAL),
    ],
)
def test_objects_are_numeric_only_if_all_are_real_numbers(cells: list[object], kind: Kind) -> None:
    frame = pd.DataFrame({"c": pd.Series(cells, dtype=object)})
    assert from_frame(frame).schema["c"].kind is kind
    assert from_xy(frame.to_numpy()).schema["x0"].kind is kind


def test_kinds_asked_for() -> None:
    frame = pa.table({"zip": [1234, 99], "size": ["1.5", " 2 "], "note": ["a b", None], "id": [[1], [2]]})
    table = from_frame(frame, nominal=["zip"], numeric=["size"], text=["note"], ignore=["id"])
    assert [column.kind.value for column in table.schema.columns] == ["nominal", "numeric", "text", "ignored"]
    assert table.schema["zip"].levels == (99, 1234)
    assert table.column("size").tolist() == [1.5, 2.0]
    assert table.column("note").tolist() == ["a b", None]
    assert [column.name for column in table.schema.features] == ["zip", "size"]


def test_names_that_are_not_text_or_not_unique() -> None:
    frame = pd.DataFrame([[1, 2, 3]], columns=[0, "0", "b"])
    table = from_frame(frame)
    assert len(set(table.schema.names)) == 3
    assert table.schema.names[0] == "0"
    assert table.notes
    assert from_frame(pd.DataFrame([[1, 2]])).schema.names == ("0", "1")


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: from_frame(pa.table({"tags": [[1], [2]]})), SchemaError, ["'tags'", "list", "ignore=['tags']"]),
        (lambda: from_frame(pa.table({"a": [1.0, float("-inf")]})), SchemaError, ["'a'", "-inf", "row 1"]),
        (lambda: from_frame(pa.table({"a": [2**53 + 1]})), SchemaError, ["9007199254740993", "nominal=['a']"]),
        (lambda: from_frame(pd.DataFrame({"a": [2**60]})), SchemaError, ["2^53", "nominal=['a']"]),
        (lambda: from_frame(pa.table({"a": ["x"]}), numeric=["a"]), SchemaError, ["'a'", "'x'", "not a number"]),
        (lambda: from_frame(pa.table({"play": ["x"]}), target="plya"), TargetNotFound, ["Did you mean 'play'"]),
        (lambda: from_frame(pa.table({"play": ["x"]}), nominal=["plya"]), ColumnNotFound, ["'plya'", "'play'"]),
        (lambda: from_frame(object()), SchemaError, ["object", "data frame"]),
        (lambda: from_xy(np.array([[1.0, np.inf]])), SchemaError, ["'x1'", "row 0"]),
        (lambda: from_xy(np.array([[1.0, np.inf]], np.float32)), SchemaError, ["'x1'", "inf"]),
        (lambda: from_xy(np.array([[2**53 + 1]])), SchemaError, ["'x0'", "nominal"]),
        (lambda: from_xy(np.array([[1j]])), SchemaError, ["Complex data not supported"]),
        (lambda: from_xy(np.zeros(3)), SchemaError, ["1 dimensions", "reshape"]),
        (lambda: from_xy(np.zeros((2, 1)), nominal=["x1"]), ColumnNotFound, ["'x1'", "x0"]),
        (lambda: from_xy(np.zeros((2, 1)), nominal=[1]), ColumnNotFound, ["'1'"]),
        (lambda: from_xy(np.zeros((2, 1)), nominal="x0"), SchemaError, ["'auto'", "['x0']"]),
        (lambda: from_xy(np.zeros((2, 1)), [1]), SchemaError, ["2 rows", "1 labels"]),
        (lambda: from_xy(np.zeros((2, 1)), sample_weight=[1, -1]), SchemaError, ["negative"]),
        (lambda: from_xy(np.zeros((2, 1)), sample_weight=[1]), SchemaError, ["(1,)", "(2,)"]),
    ],
)
def test_refusals_say_what_and_where(call: Callable[[], object], error: type[CrakeError], words: list[str]) -> None:
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def test_integers_beyond_the_exact_range_are_kept_as_names() -> None:
    table = from_frame(pa.table({"id": [2**53 + 1, 2**53]}), nominal=["id"])
    assert table.schema["id"].levels == (2**53, 2**53 + 1)


def test_a_float_matrix_is_read_in_place() -> None:
    X = np.arange(6.0).reshape(3, 2)
    X[0, 0] = np.nan
    table = from_xy(X, [0, 1, 0])
    (batch,) = table.batches()
    assert np.shares_memory(batch.values, X)
    assert np.shares_memory(next(encode(X, table.schema).batches()).values, X)
    X.setflags(write=False)
    assert np.shares_memory(next(from_xy(X).batches()).values, X)


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        ([1, 0, 1], (0, 1), [1, 0, 1]),
        (np.array([2.0, np.nan, 1.0]), (1.0, 2.0), [1, -1, 0]),
        (np.array(["b", None, "a"], dtype=object), ("a", "b"), [1, -1, 0]),
        (np.array([True, False, True]), (False, True), [1, 0, 1]),
        (pd.Series(["b", None, "a"]), ("a", "b"), [1, -1, 0]),
        (pd.Series(pd.Categorical(["b", "a", "a"], categories=["c", "b", "a"])), ("a", "b"), [1, 0, 0]),
        (pl.Series(["b", None, "a"]), ("a", "b"), [1, -1, 0]),
        (pa.array(["b", None, "a"]), ("a", "b"), [1, -1, 0]),
        (["b", "a", 1], (1, "a", "b"), [2, 1, 0]),
    ],
)
def test_labels_keep_their_type(y: Any, classes: tuple[object, ...], codes: list[int]) -> None:
    table = from_xy(np.zeros((3, 1)), y)
    assert table.schema.classes == classes
    assert [type(label) for label in table.schema.classes] == [type(label) for label in classes]
    assert table.target.tolist() == codes


def test_the_target_never_takes_the_name_of_a_feature() -> None:
    table = from_xy(pd.DataFrame({"target": [1.0], "_target": [2.0]}), ["a"])
    assert table.schema.names == ("target", "_target", "__target")
    assert table.schema.target == "__target"


def test_nominal_by_name_and_position() -> None:
    X = np.array([[0.0, 1.5, 3.0], [np.nan, 2.5, 4.0]])
    schema = from_xy(X, nominal=["x0", -1]).schema
    assert schema.columns == (
        Column("x0", Kind.NOMINAL, (0.0,)),
        Column("x1", Kind.NUMERIC),
        Column("x2", Kind.NOMINAL, (3.0, 4.0)),
    )
    assert len(from_xy(pd.DataFrame(X), nominal="all").schema.nominal) == 3


def test_a_list_keeps_numbers_beside_text() -> None:
    schema = from_xy([["a", 1.5], ["b", 2.5]]).schema
    assert [column.kind for column in schema.columns] == [Kind.NOMINAL, Kind.NUMERIC]


def test_weights_travel() -> None:
    table = from_xy(np.zeros((2, 1)), [0, 1], sample_weight=[0, 2])
    assert next(table.batches()).weights.tolist() == [0.0, 2.0]


@given(
    hnp.arrays(
        hnp.integer_dtypes() | hnp.unsigned_integer_dtypes(),
        hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=8),
    ),
    st.booleans(),
    st.sampled_from([1, 2, 3]),
)
@settings(max_examples=150, deadline=None)
def test_integer_matrices_are_coded_as_column_by_column(X: Any, fortran: bool, count: int) -> None:
    X = np.asfortranarray(X) if fortran else X
    with threads.limited(count):
        levels, codes = matrices.observe_integers(X)
        again = encode(X, Schema(tuple(Column(f"x{j}", Kind.NOMINAL, found) for j, found in enumerate(levels))))
    for j in range(X.shape[1]):
        expected_levels, expected_codes = observe(np.ascontiguousarray(X[:, j]))
        assert levels[j] == expected_levels
        assert codes[:, j].tolist() == expected_codes.tolist()
    assert next(again.batches()).codes.tolist() == codes.tolist()
    assert codes.flags.c_contiguous


@pytest.mark.parametrize(
    "column",
    [
        np.arange(3000) % 7 * 5 - 20,  # negative, with gaps
        np.r_[np.zeros(2000, int), 5000],  # leaves the window after the first rows
        np.r_[np.zeros(2000, int), 60_000],
        np.r_[np.zeros(2000, int), -1],
        np.r_[np.full(2000, 10**12), 10**12 + 3],
    ],
)
def test_windows_guessed_wrong_cost_time_not_truth(column: Any) -> None:
    X = np.column_stack([column, np.arange(len(column)) % 3])
    levels, codes = matrices.observe_integers(X)
    assert levels == [tuple(np.unique(column).tolist()), (0, 1, 2)]
    assert np.array_equal(np.array(levels[0])[codes[:, 0]], column)
    assert np.array_equal(codes[:, 1], X[:, 1])


def test_taking_rows_keeps_matrices_together() -> None:
    X = np.arange(6.0).reshape(3, 2)
    taken = from_xy(X, ["a", "b", "c"]).take(np.array([2, 0]))
    (batch,) = taken.batches()
    assert batch.values.tolist() == [[4.0, 5.0], [0.0, 1.0]]
    assert taken.target.tolist() == [2, 0]
    assert taken.column("x1").tolist() == [5.0, 1.0]
    assert np.shares_memory(taken.column("x1"), batch.values)


@pytest.mark.parametrize("wish", ["nominal", "numeric", "text"])
def test_lists_stay_refused_whatever_is_asked(wish: str) -> None:
    with pytest.raises(SchemaError, match="column 'tags' is of type list"):
        from_frame(pa.table({"tags": [[1], [2]]}), **{wish: ["tags"]})


def test_one_stray_object_among_numbers_makes_the_column_nominal() -> None:
    X = np.array([[{"a": 1}, 1.0], [0.5, 2.0]], dtype=object)
    schema = from_xy(X).schema
    assert schema["x0"].levels == (0.5, "{'a': 1}")
    assert schema["x1"].kind is Kind.NUMERIC


def test_twenty_thousand_columns() -> None:
    frame = pa.table({f"c{j}": [0.0] for j in range(20_000)})
    table = from_frame(frame, nominal=["c7"], target="c7")
    X, _ = table.to_xy()
    assert X.num_columns == 19_999
    assert len(encode(frame, table.schema, by_name=True).schema.features) == 19_999


def test_a_table_whose_file_held_only_numbers_matches_levels_that_are_text() -> None:
    fitted = from_frame(pa.table({"grade": ["1", "2", "x", "2.5"]})).schema
    assert encode(from_frame(pa.table({"grade": [2.0, 2.5, 9.0, None]})), fitted).column("grade").tolist() == [
        1,
        2,
        UNSEEN,
        MISSING,
    ]


@pytest.mark.parametrize("make", MAKERS)
def test_frames_are_known_as_frames(make: Callable[[dict[str, list[Any]]], Any]) -> None:
    assert is_frame(make({"a": [1]}))


@pytest.mark.parametrize("X", [np.zeros((1, 1)), [[1]], ((1,),), "text", None])
def test_arrays_and_lists_are_not_frames(X: Any) -> None:
    assert not is_frame(X)


def test_no_rows_and_no_columns() -> None:
    assert len(from_xy(np.zeros((0, 2)), np.zeros(0))) == 0
    assert len(from_xy(np.zeros((0, 2), int), nominal="all")) == 0
    assert len(from_frame(pa.table({"a": pa.array([], pa.string())}))) == 0
    assert len(from_xy(np.zeros((3, 0)))) == 3


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "10s"])
def test_times_of_every_unit_are_milliseconds(unit: str) -> None:
    table = from_xy(np.array([["1970-01-01"], ["NaT"]], f"M8[{unit}]"))
    assert table.column("x0").tolist() == pytest.approx([0.0, np.nan], nan_ok=True)


def test_numbers_of_two_bytes_can_be_names() -> None:
    frame = pa.table({"a": pa.array([np.float16(2), np.float16(1), None], pa.float16())})
    table = from_frame(frame, nominal=["a"])
    assert (table.schema["a"].levels, table.column("a").tolist()) == ((1.0, 2.0), [1, 0, MISSING])


def test_a_type_that_arrow_does_not_know_is_named() -> None:
    with pytest.raises(SchemaError, match="column 'a' is of type Int128"):
        from_frame(pl.DataFrame({"a": pl.Series([1, 2], dtype=pl.Int128)}))
