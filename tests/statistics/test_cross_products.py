"""Cross-products beside NumPy's covariance of the columns written out."""

from __future__ import annotations

from dataclasses import replace

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
from crake.statistics.forgetting import forgotten
from crake.table.schema import Column, Kind, Schema


def written_out(some: list[Row]) -> tuple[np.ndarray, np.ndarray]:
    """The columns of complete rows (numbers, then one for each level), and their weights."""
    whole = [row for row in some if min(row[0], row[1], row[4]) >= 0 and row[2] == row[2] and row[3] == row[3]]
    X = [[*row[2:4], *(row[0] == k for k in range(3)), *(row[1] == k for k in range(2))] for row in whole]
    return np.array(X, float).reshape(-1, 7), np.array([row[5] for row in whole])


@given(rows(tame, st.sampled_from([1.0, 2.0, 0.5]), lowest_class=-1))
def test_the_definition(some: list[Row]) -> None:
    X, weights = written_out(some)
    (scatter,) = gather(table(some), [CrossProducts])[CrossProducts].by_group
    assert scatter.weight == weights.sum()
    if len(X):
        mean = weights @ X / weights.sum()
        np.testing.assert_allclose(scatter.mean, mean, atol=1e-12)
        np.testing.assert_allclose(scatter.products, (X - mean).T @ (weights[:, None] * (X - mean)), atol=1e-9)


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


def test_products_are_never_subtracted() -> None:
    some = gather(table([(0, 0, 1.0, 2.0, 0, 1.0)]), [CrossProducts])
    with pytest.raises(CrakeError, match="merged, never subtracted"):
        forgotten(some, some, keep_levels=True)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("product_weight", lambda weight: weight + 1, "larger than that of all rows"),
        ("cross_products", lambda products: products - 9 * np.eye(7), "no table of products"),
        ("cross_products", np.triu, "no table of products"),
        ("product_means", lambda means: means[1:], "shape"),
    ],
)
def test_products_of_a_file_are_checked(name: str, change: object, message: str) -> None:
    some: list[Row] = [(0, 0, 1.0, 2.0, 0, 1.0), (1, 1, 3.0, 7.0, 1, 1.0)]
    statistics, members = gather(table(some), [ClassCounts, CrossProducts]), [ClassCounts, CrossProducts]
    state = statistics_state(statistics, members)
    state[name] = change(state[name])  # type: ignore[operator]
    with pytest.raises(ModelFileError, match=message):
        statistics_of(StateReader(state), statistics.schema, members)
