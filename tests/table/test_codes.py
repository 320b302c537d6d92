"""Nominal values and codes: types kept, missing told apart from unseen, cost by distinct values."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crake.table.batch import MISSING, UNSEEN
from crake.table.codes import Coded, encode, is_missing, observe
from crake.table.convert import matrices
from crake.table.schema import sorted_levels

cells = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_infinity=False),
    st.text(max_size=3),
)


def plain_observe(values: list[object]) -> tuple[list[object], list[int]]:
    """The slow and obvious twin: levels by type name and value, codes by a search."""

    def same(a: object, b: object) -> bool:
        return a == b and isinstance(a, bool) == isinstance(b, bool)

    present = [v for v in values if v is not None and not (isinstance(v, float) and np.isnan(v))]
    levels: list[object] = []
    for value in sorted(present, key=lambda v: (type(v).__name__, v)):
        if not any(same(value, level) for level in levels):
            levels.append(value)
    codes = [next((i for i, level in enumerate(levels) if same(value, level)), MISSING) for value in values]
    return levels, codes


@given(st.lists(cells, max_size=12))
@settings(max_examples=200, deadline=None)
def test_observe_equals_its_plain_twin(values: list[object]) -> None:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    levels, codes = observe(array)
    expected_levels, expected_codes = plain_observe(values)
    assert list(levels) == expected_levels
    assert codes.tolist() == expected_codes
    assert encode(array, levels).tolist() == codes.tolist()


@pytest.mark.parametrize(
    ("values", "levels", "codes"),
    [
        (np.array([True, False, True]), (False, True), [1, 0, 1]),
        (np.array([3, -1, 3], np.int8), (-1, 3), [1, 0, 1]),
        (np.array([2**63 + 1, 0], np.uint64), (0, 2**63 + 1), [1, 0]),
        (np.array([2.5, np.nan, 0.5], np.float32), (0.5, 2.5), [1, -1, 0]),
        (np.array([1.5, np.nan], np.float16), (1.5,), [0, -1]),
        (np.array([0.0, -0.0]), (0.0,), [0, 0]),
        (np.array([2.5, np.nan], ">f8"), (2.5,), [0, -1]),
        (np.array(["b", "a"]), ("a", "b"), [1, 0]),
        (np.array([b"b", b"a"]), ("a", "b"), [1, 0]),
        (np.array(["b", None, np.nan, pd.NA, "a"], dtype=object), ("a", "b"), [1, -1, -1, -1, 0]),
        (np.array([True, 1, "1"], dtype=object), (True, 1, "1"), [0, 1, 2]),
        (np.array([1, 2.5], dtype=object), (2.5, 1), [1, 0]),
        (pa.array(["b", None, "a"], pa.large_string()), ("a", "b"), [1, -1, 0]),
        (pa.array(["b", None, "a"], pa.string_view()), ("a", "b"), [1, -1, 0]),
        (pa.array([1.5, None, float("nan")]), (1.5,), [0, -1, -1]),
        (pa.array([True, None]), (True,), [0, -1]),
        (pa.array([None, None]), (), [-1, -1]),
        (pa.chunked_array([["b"], [], ["a", "b"]]), ("a", "b"), [1, 0, 1]),
        (pa.chunked_array([], pa.string()), (), []),
        (pa.chunked_array([["b"], ["a"]]).dictionary_encode(), ("a", "b"), [1, 0]),
        (pa.chunked_array([pa.array([t]).dictionary_encode() for t in "ba"]), ("a", "b"), [1, 0]),
        (pa.array(["ü", "z", "𝄞", "\uffff"]), ("z", "ü", "\uffff", "𝄞"), [1, 0, 3, 2]),
    ],
)
def test_observe(values: object, levels: tuple[object, ...], codes: list[int]) -> None:
    found, coded = observe(values)
    assert found == levels
    assert [type(level) for level in found] == [type(level) for level in levels]
    assert coded.tolist() == codes
    assert coded.dtype == np.int32


def test_levels_of_a_dictionary_that_no_row_has_are_not_observed() -> None:
    values = pa.DictionaryArray.from_arrays(pa.array([2, None, 0]), pa.array(["c", "b", "a"]))
    assert observe(values)[0] == ("a", "c")


def test_encode_matches_by_python_equality_then_as_a_file_would_write_it() -> None:
    assert encode(np.array([1, 2]), (1.0, 2.0)).tolist() == [0, 1]
    assert encode(np.array([1.0, np.nan, 3.0]), (1, 2)).tolist() == [0, MISSING, UNSEEN]
    assert encode(np.array(["1", "1.5"]), (1, 2)).tolist() == [0, UNSEEN]
    assert encode(np.array([1, 2]), ("1 ", "x")).tolist() == [0, UNSEEN]
    assert encode(np.array([" 1"]), (1, "1")).tolist() == [1]
    assert encode(np.array([True]), (0, 1)).tolist() == [1]


def test_true_is_not_one_where_the_levels_hold_both() -> None:
    assert encode(np.array([True, 1, 1.0], dtype=object), (True, 1)).tolist() == [0, 1, 1]


def test_codes_of_another_level_list_are_translated() -> None:
    column = Coded(("no", "yes"), np.array([1, 0, MISSING, UNSEEN], np.int32))
    assert encode(column, ("yes", "maybe")).tolist() == [0, UNSEEN, MISSING, UNSEEN]


def test_sorted_levels_does_not_depend_on_the_order_of_rows() -> None:
    assert sorted_levels([1, 1.0, True]) == sorted_levels([True, 1.0, 1])
    assert [type(level) for level in sorted_levels([1, 1.0, True])] == [bool, float]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array([1, 2]), [False, False]),
        (np.array(["nan", ""]), [False, False]),
        (np.array([1.0, np.nan]), [False, True]),
        (np.array(["a", None, pd.NaT], dtype=object), [False, True, True]),
        (pa.array(["a", None]), [False, True]),
    ],
)
def test_is_missing(values: object, expected: list[bool]) -> None:
    assert is_missing(values).tolist() == expected


def test_a_code_of_a_billion_costs_no_more_than_its_rows() -> None:
    values = np.array([[10**9, 5], [0, 5], [-(2**63), 2**63 - 1]])
    matrices.observe_integers(values)  # what compiling takes is not the question
    tracemalloc.start()
    levels, codes = matrices.observe_integers(values)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert levels == [(-(2**63), 0, 10**9), (5, 2**63 - 1)]
    assert codes.tolist() == [[2, 0], [1, 0], [0, 1]]
    assert peak < 10_000_000


def test_a_hundred_thousand_distinct_values_are_cheap() -> None:
    values = np.random.default_rng(0).permutation(100_000) * 10_007
    start = time.process_time()
    levels, codes = observe(values)
    assert time.process_time() - start < 2
    assert np.array_equal(np.array(levels)[codes], values)
