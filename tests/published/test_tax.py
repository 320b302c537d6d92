"""The tax table of lecture 004: nominal and numeric columns in one naive Bayes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import crake
from crake.table.examples import load


@pytest.fixture(name="model")
def fitted() -> crake.NaiveBayesClassifier:
    return crake.NaiveBayesClassifier(alpha=0).fit(load("tax"))


def likelihood(model: crake.NaiveBayesClassifier, column: str, value: str, label: str) -> float:
    names = [c.name for c in model.schema_.nominal]
    j = names.index(column)
    level = model.schema_.nominal[j].levels.index(value)
    return float(model.likelihood_[j][list(model.classes_).index(label), level])


def test_fractions(model: crake.NaiveBayesClassifier) -> None:
    assert likelihood(model, "marital_status", "Married", "No") == 4 / 7
    assert likelihood(model, "refund", "Yes", "Yes") == 0


def test_income_given_no(model: crake.NaiveBayesClassifier) -> None:
    no = list(model.classes_).index("No")
    assert model.mean_[no, 0] == pytest.approx(110, abs=1e-12)
    assert model.variance_[no, 0] == pytest.approx(2975, rel=1e-13)


def test_density_at_120(model: crake.NaiveBayesClassifier) -> None:
    step = next(s for s in model.explain({"taxable_income": 120}).steps if s.statement.startswith("f(taxable_income"))
    assert "| No)" in step.statement
    assert round(float(step.value), 4) == 0.0072


def test_one_evader_is_impossible_without_smoothing(model: crake.NaiveBayesClassifier) -> None:
    row = {"refund": "Yes", "marital_status": "Single", "taxable_income": 120}
    assert dict(model.explain(row).answer) == {"No": 1.0, "Yes": 0.0}
    smoothed = crake.NaiveBayesClassifier().fit(load("tax")).explain(row)
    assert 0 < smoothed["Yes"] < 0.5


def test_the_lectures_row(model: crake.NaiveBayesClassifier) -> None:
    """(Refund = No, Married, Income = 120K): P(X given Yes) = 0, so the answer is No."""
    workings = model.explain({"refund": "No", "marital_status": "Married", "taxable_income": 120})
    assert workings["No"] == 1
    step = next(s for s in workings.sections[1] if s.statement == "No")
    expected = 4 / 7 * 4 / 7 * math.exp(-(10**2) / (2 * 2975)) / math.sqrt(2 * math.pi * 2975) * 7 / 10
    np.testing.assert_allclose(float(step.value), expected, rtol=1e-3)
