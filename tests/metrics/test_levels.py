"""Levels of intervals: how often the true value lies within, on samples where plain bootstraps fall short.

`python -m benchmarks levels` measures every measure of the registry; here are those that were far off.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from crake.metrics import PredictedRows, PredictedValues
from crake.metrics.measures import MEASURES


def scored(rng: np.random.Generator, n: int, prevalence: float, slope: float = 1.0) -> PredictedRows:
    """Two classes whose scores are normal and 1.4 apart; a slope above 1 makes the probabilities too sure."""
    y = rng.random(n) < prevalence
    x = rng.standard_normal(n) + 1.4 * (y - 0.5)
    p = 1 / (1 + np.exp(-slope * (1.4 * x + np.log(prevalence / (1 - prevalence)))))
    return PredictedRows(("no", "yes"), y.astype(int), np.column_stack([1 - p, p]), positive="yes")


def skewed(rng: np.random.Generator, n: int) -> PredictedValues:
    y = rng.standard_normal(n)
    return PredictedValues(y, y + np.exp(rng.standard_normal(n) * 0.7), np.ones(n))


def with_heavy_tails(rng: np.random.Generator, n: int) -> PredictedValues:
    y = rng.standard_normal(n)
    return PredictedValues(y, y + rng.standard_t(5, n), np.ones(n))


def coverage(draw: Callable[[np.random.Generator, int], object], rows: int, name: str, samples: int = 80) -> float:
    """The share of samples whose interval holds the value of 400,000 rows; those without a value are left out."""
    measure = next(each for each in MEASURES if each.name == name)
    rng = np.random.default_rng(11)
    truth = measure.value(draw(np.random.default_rng(1), 400_000))
    estimates = [measure.of(draw(rng, rows)) for _ in range(samples)]
    intervals = [estimate.interval for estimate in estimates if estimate.is_defined]
    return float(np.mean([ends is not None and ends[0] <= truth <= ends[1] for ends in intervals]))


@pytest.mark.parametrize("name", ["mcc", "kappa", "g_mean", "log_loss", "average_precision"])
def test_of_60_rows_with_9_positives(name: str) -> None:
    assert 0.92 <= coverage(lambda rng, n: scored(rng, n, 0.15), 60, name, samples=300) <= 0.98


def test_the_largest_gap_of_60_rows_with_9_positives() -> None:
    assert coverage(lambda rng, n: scored(rng, n, 0.15), 60, "kolmogorov_smirnov") >= 0.9


@pytest.mark.parametrize("name", ["calibration_error", "three_point_precision", "log_loss"])
def test_of_60_rows_with_probabilities_that_are_too_sure(name: str) -> None:
    assert coverage(lambda rng, n: scored(rng, n, 0.5, slope=2.5), 60, name) >= 0.9


def test_three_points_of_few_positives_print_their_level() -> None:
    measure = next(each for each in MEASURES if each.name == "three_point_precision")
    rng = np.random.default_rng(6)
    assert "about 90 %" in measure.of(scored(rng, 500, 0.05)).method
    assert " 95 %" in measure.of(scored(rng, 60, 0.15)).method


def test_of_60_skewed_errors() -> None:
    assert 0.92 <= coverage(skewed, 60, "mae", samples=300) <= 0.98


@pytest.mark.parametrize("name", ["rmse", "mse", "r_squared"])
def test_heavy_tails_print_their_level(name: str) -> None:
    measure = next(each for each in MEASURES if each.name == name)
    rng = np.random.default_rng(5)
    normal = PredictedValues(rng.standard_normal(400), np.zeros(400), np.ones(400))
    assert " 95 %" in measure.of(normal).method
    assert "about 92 %" in measure.of(with_heavy_tails(rng, 400)).method
    assert str(measure.of(with_heavy_tails(rng, 400))).endswith("] (about 92 %)")
    assert 0.89 <= coverage(with_heavy_tails, 60, name, samples=300) <= 0.96
