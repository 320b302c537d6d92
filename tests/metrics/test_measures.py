"""The registry of measures: complete, consistent, and read by evaluations."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import crake
from crake.metrics.measure import Measure
from crake.metrics.measures import CLASSIFICATION, MEASURES, REGRESSION, default_names, find_measure, markdown_table
from crake.metrics.predictions import PredictedRows, Predictions
from crake.table.examples import load

rng = np.random.default_rng(5)
K3 = rng.dirichlet(np.ones(3), 90)
THREE = PredictedRows(("a", "b", "c"), rng.integers(0, 3, 90), K3)
P2 = rng.uniform(size=80)
TWO = PredictedRows((0, 1), (P2 + rng.normal(size=80) > 0.5).astype(int), np.column_stack([1 - P2, P2]), positive=1)
COSTS = crake.CostMatrix.of_errors((0, 1), 1, false_positive=1, false_negative=5)


def test_names_are_different() -> None:
    names = [name for measure in MEASURES for name in (measure.name, *measure.aliases)]
    assert len(set(names)) == len(names)
    assert len({measure.title for measure in MEASURES}) == len(MEASURES)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_a_measure_says_what_it_is(measure: Measure) -> None:
    assert measure.about.endswith((".", ")."))
    assert measure.bounds[0] < measure.bounds[1]
    assert find_measure(measure.name.replace("_", "-").upper(), MEASURES) is measure


@pytest.mark.parametrize("measure", CLASSIFICATION, ids=lambda measure: measure.name)
def test_a_value_is_within_its_bounds_and_quick_is_equal(measure: Measure[Predictions]) -> None:
    bound = measure.with_costs(COSTS)
    estimate = bound.of(TWO)
    assert estimate.value is not None
    assert measure.bounds[0] <= estimate.value <= measure.bounds[1]
    assert bound.value(TWO) == estimate.value
    low, high = estimate.interval
    assert measure.bounds[0] <= low <= estimate.value <= high <= measure.bounds[1]


@pytest.mark.parametrize("measure", [m for m in CLASSIFICATION if m.on_counts], ids=lambda measure: measure.name)
def test_count_tables_give_the_measure(measure: Measure[Predictions]) -> None:
    tables = np.stack([THREE.confusion.counts, THREE.confusion.counts * 2])
    values = measure.on_counts(tables)
    assert values == pytest.approx([float(measure.of(THREE))] * 2, rel=1e-14)


def test_direction_is_that_of_a_perfect_prediction() -> None:
    actual = rng.integers(0, 2, 50)
    perfect = PredictedRows((0, 1), actual, np.eye(2)[actual], positive=1)
    worst = PredictedRows((0, 1), actual, np.eye(2)[1 - actual], positive=1)
    for measure in CLASSIFICATION:
        bound = measure.with_costs(COSTS)
        best, least = bound.value(perfect), bound.value(worst)
        assert measure.name == "kolmogorov_smirnov" or measure.sign * best > measure.sign * least, measure.name


def test_values_have_their_measures() -> None:
    y = rng.normal(size=60)
    found = crake.evaluate(crake.LinearRegressor(), np.column_stack([y, rng.normal(size=60)]), y + rng.normal(size=60))
    for measure in REGRESSION:
        estimate = found.estimate(measure.name)
        assert measure.bounds[0] <= estimate.value <= measure.bounds[1]
    assert float(found.estimate("mse")) == pytest.approx(float(found.rmse) ** 2)
    with pytest.raises(crake.CrakeError, match="'auc' measures predicted classes, not predicted values"):
        found.estimate("auc")


def test_unknown_names_have_a_hint_and_a_list() -> None:
    with pytest.raises(crake.CrakeError, match=r"Did you mean 'recall'\? Measures: accuracy, error"):
        find_measure("recal")
    with pytest.raises(crake.CrakeError, match="'mean_cost' needs costs="):
        crake.evaluate("majority", load("golf")).estimate("mean_cost")


def test_an_evaluation_reads_the_registry() -> None:
    found = crake.evaluate("naive-bayes", load("breast-cancer"), positive="malignant")
    assert tuple(found.measures()) == default_names(CLASSIFICATION)
    for measure in CLASSIFICATION:
        if not measure.needs_costs and hasattr(type(found), measure.name) and measure.name != "lift":
            assert getattr(found, measure.name) is found.estimate(measure)
            assert getattr(type(found), measure.name).__doc__ == measure.about
    assert found.sensitivity is found.estimate("sensitivity")
    assert found.f(2) == found.estimate("f2")
    assert found.lift_at(0.1) == found.estimate("lift")


def test_what_predictions_do_not_hold_is_undefined() -> None:
    labels = crake.Evaluation.from_predictions(["no", "yes", "yes"], ["no", "yes", "no"])
    scores = crake.Evaluation.from_scores(["no", "yes", "yes"], [-1.0, 3.0, 2.0], positive="yes")
    for measure in CLASSIFICATION:
        if measure.needs in ("scores", "probabilities"):
            assert labels.estimate(measure).reason == "only answers are known, no scores"
        if measure.needs == "probabilities":
            assert scores.estimate(measure).reason == "the scores are no probabilities"
    assert math.isfinite(float(scores.estimate("ks")))


def test_a_measure_of_one_class_needs_it_named() -> None:
    with pytest.raises(crake.CrakeError, match="3 classes: say which one is meant, positive="):
        crake.evaluate("naive-bayes", load("iris")).estimate("lift")
    with pytest.raises(crake.CrakeError, match="3 classes: say which one is meant, positive="):
        find_measure("ks").of(THREE)


def test_the_table_of_the_documentation_is_that_of_the_registry() -> None:
    page = (Path(__file__).parents[2] / "docs" / "measures.md").read_text("utf-8")
    assert markdown_table() in page, "put crake.metrics.measures.markdown_table() into docs/measures.md"
