"""A column drawn: rows of weight 0 are not there, and what has no value is said."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import crake
from crake.errors import CrakeError
from crake.render.drawing.style import SIZES
from crake.render.drawing.text_width import text_width
from crake.table.convert.frames import from_frame
from crake.table.formats.csv.reader import read_csv


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


def test_days_without_a_time_have_a_mean_without_one() -> None:
    rows = "day,y\n2024-01-01,a\n2024-01-02,a\n2024-03-01,b\n2024-03-02,b\n"
    days = read_csv(rows.encode(), target="y")
    assert days.draw("day").finding == "The mean is 2024-01-02 in a, 2024-03-02 in b."
    assert "mean 2024-02-01<" in days.describe().to_html()
    times = read_csv(rows.replace(",", " 06:00,").replace("day 06:00", "day").encode(), target="y")
    assert times.draw("day").finding == "The mean is 2024-01-01 18:00 in a, 2024-03-01 18:00 in b."


def test_one_row_is_one_row_and_the_last_tick_is_whole() -> None:
    assert ">1 row<" in table(x=["u", "u", None, "v"]).draw("x").svg()
    drawing = table(x=[0.0, 0.5, 0.0, 1e5]).draw("x", width=300)
    x = float(re.search(r'<text[^>]* x="([\d.]+)"[^>]*>100,000<', drawing.svg()).group(1))
    assert x + text_width("100,000", SIZES["q"]) / 2 <= 300


@pytest.mark.parametrize(
    "values", [[0.0, 5e-324] * 2, [1e-310, 2e-310] * 2, [-5e-324] * 4, [1e-270] * 4, [7.5] * 4, [-1e299, 1e299] * 2]
)
def test_ranges_at_the_ends_of_what_floats_can_hold(values: list[float]) -> None:
    svg = table(x=values).draw("x").svg()
    assert "nan" not in svg.lower()
    assert ">inf" not in svg
