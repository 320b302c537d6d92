"""A column drawn: rows of weight 0 are not there, and what has no value is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import crake
from crake.errors import CrakeError
from crake.table.convert.frames import from_frame


def table(**columns: object) -> crake.Table:
    return from_frame(pa.table({**columns, "y": ["a", "b", "a", "b"]}), target="y")


@pytest.mark.parametrize("empty", [pa.nulls(4), pa.nulls(4, pa.string()), pa.nulls(4, pa.float64())])
def test_a_column_without_values_is_refused(empty: pa.Array) -> None:
    with pytest.raises(CrakeError, match="no known value"):
        table(x=empty).draw("x")


def test_a_class_without_values_has_no_most_frequent_one() -> None:
    assert table(x=["u", None, "v", None]).draw("x").finding == "Most frequent is u in a."


def test_rows_of_weight_zero_are_not_there() -> None:
    held = replace(table(x=["u", "u", "v", "v"], z=[1.0, 2.0, 900.0, 4.0]), weights=np.array([1.0, 0.0, 0.0, 1.0]))
    assert held.draw("x").finding == "Most frequent is u in a, v in b."
    assert held.draw("z").finding == "The mean is 1 in a, 4 in b."
    assert "900" not in held.draw("z").svg()
    with pytest.raises(CrakeError, match="no known value"):
        replace(held, weights=np.zeros(4)).draw("x")


@pytest.mark.parametrize(
    "values", [[0.0, 5e-324] * 2, [1e-310, 2e-310] * 2, [-5e-324] * 4, [1e-270] * 4, [7.5] * 4, [-1e299, 1e299] * 2]
)
def test_ranges_at_the_ends_of_what_floats_can_hold(values: list[float]) -> None:
    svg = table(x=values).draw("x").svg()
    assert "nan" not in svg.lower()
    assert ">inf" not in svg
