"""Cross-products beside NumPy's covariance of the columns written out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.tables import SCHEMA, Row, rows, table, tame

from crake.errors import CrakeError, DataError, ModelFileError
from crake.learners.base.state import StateReader
from crake.learners.base.state.statistics import statistics_of, statistics_state
from crake.statistics import ClassCounts, CrossProducts, cross_products, gather
from crake.statistics.cross_products import ColumnTerms
from crake.table.schema import Column, Kind, Schema


def written_out(some: list[Row]) -> tuple[np.ndarray, np.ndarray]:
    """The columns of complete rows (numbers, then one for each level), and their weights."""
    whole = [row for row in some if min(row[0], row[1], row[4]) >= 0 and row[2] == row[2] and row[3] == row[3]]
    X = [[*row[2:4], *(row[0] == k for k in range(3)), *(row[1] == k for k in range(2))] for row in whole]
    return np.array(X, float).reshape(-1, 7), np.array([row[5] for row in whole])


@given(rows(tame, st.sampled_from([1.0, 2.0, 0.5]), lowest_class=-1))
def test_the_definition(some: list[Row]) -> None:
    X, weights = written_out(some)
    weight, means, products = gather(table(some), [CrossProducts])[CrossProducts].centred()
    assert weight == weights.sum()
    if len(X):
        mean = weights @ X / weights.sum()
        np.testing.assert_allclose(means, mean, atol=1e-12)
        np.testing.assert_allclose(products, (X - mean).T @ (weights[:, None] * (X - mean)), atol=1e-9)


def test_too_much_memory_is_refused_before_it_is_taken() -> None:
    wide = Schema((Column("id", Kind.NOMINAL, tuple(range(100_000))), *SCHEMA.columns), "label")
    with pytest.raises(DataError, match=r"100,007 columns and levels would take 160\.0 GB, with 2 groups of rows"):
        CrossProducts.empty(wide, groups=2)
    assert cross_products.MOST_BYTES == 2**30


def test_terms_of_ones_own_have_levels_that_stay() -> None:
    class Own(ColumnTerms):
        pass

    class Other:
        numbers, places = 2, 5

    columns = gather(table([(0, 0, 1.0, 2.0, 0, 1.0)]), [CrossProducts])
    fixed = replace(columns[CrossProducts], terms=Other())  # type: ignore[arg-type]
    colour = replace(SCHEMA["colour"], levels=("red", "green", "blue", "pink"))
    with pytest.raises(CrakeError, match="fixed terms"):
        columns.with_part(fixed).under(SCHEMA.with_column(colour))
    with pytest.raises(CrakeError, match="different terms cannot be merged"):
        columns.merge(columns.with_part(fixed))
    assert CrossProducts.of(Own(SCHEMA)).empty(SCHEMA, 3).groups == 3


SOME: list[Row] = [(0, 0, 1.0, 2.0, 0, 1.0), (1, 1, 3.0, 7.0, 1, 1.0)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (np.negative, "no columns can have"),
        (lambda digits: digits[1:], "other digits than its places say"),
        (lambda digits: digits + (1 << 32), "expected finite numbers from"),
    ],
)
@pytest.mark.parametrize("name", ["number_products", "mixed_products", "place_products"])
def test_products_of_a_file_are_checked(name: str, change: Any, message: str) -> None:
    members = [ClassCounts, CrossProducts]
    statistics = gather(table(SOME), members)
    state = dict(statistics_state(statistics, members))
    state[f"{name}_digits"] = change(state[f"{name}_digits"])
    with pytest.raises(ModelFileError, match=message):
        statistics_of(StateReader(state), statistics.schema, members)


def test_products_of_a_file_are_of_no_more_rows_than_there_are() -> None:
    members = [ClassCounts, CrossProducts]
    statistics, more = gather(table(SOME), members), gather(table([*SOME, *SOME]), members)
    state = {**statistics_state(more, members), "class_counts": statistics.class_counts.counts[0]}
    with pytest.raises(ModelFileError, match="more rows than there are"):
        statistics_of(StateReader(state), statistics.schema, members)
