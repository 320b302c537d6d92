"""The shortest decimal between two scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crake.metrics.cutoffs.decimals import separating_decimals

ANY = st.one_of(
    st.floats(0, 1),
    st.floats(allow_nan=False, allow_infinity=False, width=64),
    st.integers(-3, 3).map(float),
    st.floats(0, 1e-300),
)


@given(st.lists(ANY, min_size=1, max_size=20, unique=True))
def test_it_parts_the_rows_as_the_score_does(scores):
    upper = np.array(sorted(scores, reverse=True))
    lower = np.append(upper[1:], -np.inf)
    found = separating_decimals(upper, lower)
    assert np.all(found <= upper)
    assert np.all(found > lower)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12, unique=True))
def test_no_shorter_decimal_lies_between(scores):
    upper = np.array(sorted(scores, reverse=True))
    lower = np.append(upper[1:], -np.inf)
    for high, low, value in zip(upper[:-1], lower[:-1], separating_decimals(upper, lower), strict=False):
        digits = (
            len(f"{value:.17g}".rstrip("0")) if value == 0 else len(np.format_float_scientific(value).split("e")[0])
        )
        for shorter in range(max(0, digits - 2)):
            rounded = float(f"{value:.{shorter}e}")
            assert rounded == value or not low < rounded <= high


@pytest.mark.parametrize(
    ("upper", "lower", "expected"),
    [(0.8, 0.2, 0.5), (0.61, 0.6, 0.61), (1.0, 0.9999, 1.0), (3e-31, 1e-31, 2e-31), (-0.5, -2.2, -1.0)],
)
def test_what_a_person_would_say(upper, lower, expected):
    found = separating_decimals(np.array([upper]), np.array([lower]), (0.5,))[0]
    assert lower < found <= upper
    assert found == pytest.approx(expected)
