"""Distances of made-up rows from real ones, and the advice that follows from them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ks_2samp

from crake.balance.cells import Cells
from crake.balance.quality.distances import (
    are_copies,
    correlation_differences,
    kolmogorov_smirnov,
    repeated_share,
    total_variation,
)
from crake.balance.quality.quality import quality_of
from crake.table.schema import Column, Kind, Schema

SCHEMA = Schema(
    (Column("x", Kind.NUMERIC), Column("y", Kind.NUMERIC), Column("c", Kind.NOMINAL, ("a", "b"))), target=None
)


def rows(n: int, seed: int, *, slope: float = 1.0, shift: float = 0.0) -> Cells:
    generator = np.random.default_rng(seed)
    x = generator.normal(size=n)
    values = np.column_stack([x + shift, slope * x + 0.5 * generator.normal(size=n)])
    return Cells(values, (generator.random((n, 1)) < 0.3).astype(np.int32))


def test_distances_of_columns_agree_with_scipy_and_by_hand():
    generator = np.random.default_rng(1)
    one, two = generator.integers(0, 9, 80).astype(float), generator.integers(2, 12, 50).astype(float)
    assert kolmogorov_smirnov(one, two) == pytest.approx(ks_2samp(one, two).statistic)
    assert total_variation(np.array([0, 1, 2, 2]), np.array([2, 2, 2, 2])) == 0.5


def test_correlations_differ_where_a_relation_is_lost():
    real = rows(400, 1)
    kept, lost = rows(400, 2), rows(400, 3, slope=0.0)
    assert correlation_differences(real, kept).max() < 0.2
    difference = correlation_differences(real, lost)
    assert difference[0, 1] > 0.7
    assert difference[0, 2] < 0.2


def test_copies_are_exact_and_missing_equals_missing():
    real = Cells(np.array([[1.0, np.nan], [2.0, 0.0], [2.0, 0.0]]), np.array([[0], [1], [1]], np.int32))
    made = Cells(np.array([[1.0, np.nan], [2.0, -0.0], [2.0, 0.1]]), np.array([[0], [1], [1]], np.int32))
    assert are_copies(real, made).tolist() == [True, True, False]
    assert repeated_share(real) == pytest.approx(2 / 3)


def test_good_rows_are_within_all_limits_and_poor_ones_are_advised_against():
    good = quality_of(SCHEMA, "yes", rows(600, 1), rows(600, 2), detector=False)
    assert good.problems == ()
    assert good.advice.startswith("Made-up rows of the class yes are within all limits: farthest column")
    poor = quality_of(SCHEMA, "yes", rows(600, 1), rows(600, 1, slope=-1.0, shift=3.0))
    assert [problem.split(" ")[0] for problem in poor.problems] == ["the", "correlations", "a"]
    assert poor.columns[0][0] == "x"
    assert poor.pair == ("x", "y")
    assert poor.detector_auc > 0.95
    assert poor.advice.endswith("SMOTE or Weights is the safer choice here.")
    same = quality_of(SCHEMA, "yes", rows(600, 1), rows(600, 1), detector=False)
    assert same.problems == ("100% are copies of real rows, more than 5%",)
