"""Codes in fewer bytes: the same levels and codes, whatever the values are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from crake.table.convert.frames import from_xy
from crake.table.convert.matrices import observe_integers

WHOLE = st.one_of(st.integers(0, 5), st.integers(-40, 140), st.integers(-(2**62), 2**62))


@given(hnp.arrays(np.int64, st.tuples(st.integers(1, 30), st.integers(1, 4)), elements=WHOLE))
def test_whole_numbers(matrix: np.ndarray) -> None:
    levels, codes = observe_integers(matrix)
    narrow_levels, narrow_codes = observe_integers(matrix, narrow=True)
    assert narrow_levels == levels
    np.testing.assert_array_equal(narrow_codes, codes)


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        (np.arange(128), np.int8),
        (np.arange(129), np.int32),
        (np.arange(-30, 60), np.int8),
        (np.array([0] * 2000 + [200]), np.int32),  # the first rows promise less
        (np.array([5, 2**63], np.uint64), np.int32),
    ],
)
def test_the_width_follows_from_the_values(values: np.ndarray, type_: type) -> None:
    levels, codes = observe_integers(values[:, None], narrow=True)
    assert codes.dtype == type_
    np.testing.assert_array_equal(np.array(levels[0], values.dtype)[codes[:, 0]], values)


def test_columns_of_a_frame() -> None:
    frame = pd.DataFrame(
        {
            "few": pd.Categorical(["a", None, "b"] * 200),
            "many": [f"n{i}" for i in range(600)],
            "size": np.arange(600.0),
        }
    )
    wide, narrow = from_xy(frame, narrow=False), from_xy(frame, narrow=True)
    assert narrow.schema == wide.schema
    assert [narrow.column(name).dtype for name in frame] == [np.int8, np.int16, np.float64]
    for name in frame:
        np.testing.assert_array_equal(narrow.column(name), wide.source.column(name))
    # Who asks for a matrix gets the type it asks for, and so does who asks afterwards.
    for _ in range(2):
        np.testing.assert_array_equal(
            narrow.matrix(["few", "many"], np.int32), wide.source.matrix(["few", "many"], np.int32), strict=True
        )


def test_a_matrix_held_narrow_is_widened_for_who_asks() -> None:
    X = np.array([[0, 3], [1, 5], [0, 4]])
    source = from_xy(X, nominal="all", narrow=True).source
    assert source.column("x0").dtype == np.int8
    np.testing.assert_array_equal(
        source.matrix(["x0", "x1"], np.int32), np.array([[0, 0], [1, 2], [0, 1]], np.int32), strict=True
    )
    assert source.column("x0").dtype == np.int32
