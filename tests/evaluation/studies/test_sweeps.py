"""Sweeps: equal to refitting at every value, and functions of one out-of-fold table where nothing is learned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

import crake
from crake.evaluation.studies.sweeps import cost_sweep, cutoff_sweep, sweep
from crake.table.examples import load

BREAST, IRIS, WEATHER, TAX = (load(name) for name in ("breast-cancer", "iris", "weather", "tax"))
FEW = BREAST.take(np.arange(0, 569, 3))
BAYES = crake.NaiveBayesClassifier()

SHARED = [
    (BAYES, "alpha", [0.0, 0.5, 1, 5]),
    (BAYES, "m", [0.5, 2.0, 10]),
    (BAYES, "zero", [0.001, 0.1]),
    (BAYES, "prior", ["empirical", "laplace", [0.5, 0.5]]),
    (BAYES, "min_variance", [0.0, 0.01, 0.5]),
    (BAYES, "ddof", [0, 1]),
    (BAYES, "floor", [0.0, 0.01]),
    (crake.NaiveBayesClassifier(numeric="kernel"), "alpha", [0.1, 1]),
    (crake.NaiveBayesClassifier(numeric="discretised"), "alpha", [0.1, 1]),
    (crake.NaiveBayesClassifier(precision=0.5), "alpha", [0.1, 1]),
    (crake.OneRuleClassifier(), "min_bucket", [1, 3, 6]),
    (crake.MajorityClassifier(), "prior", ["empirical", "laplace"]),
]


def refitted(learner: Any, table: Any, plan: Any) -> np.ndarray:
    """Plainly: a clone fitted on every training part, round by round."""
    found = []
    for assignment in plan.rounds(table.target, table.schema.classes):
        lines = np.empty((len(table), len(table.schema.classes)))
        for train, test in assignment.splits():
            lines[test] = clone(learner).fit(table.take(train)).probabilities(table, test)
        found.append(lines[assignment.fold >= 0])
    return np.concatenate(found)


@pytest.mark.parametrize(
    "plan", [crake.CrossValidation(3), crake.CrossValidation(2, repeats=2), crake.Holdout()], ids=repr
)
@pytest.mark.parametrize(("learner", "parameter", "values"), SHARED, ids=lambda x: repr(x)[:40])
def test_one_gathering_gives_what_refitting_gives(learner: Any, parameter: str, values: Any, plan: Any) -> None:
    for table in (TAX, WEATHER):
        found = sweep(learner, table, parameter=parameter, values=values, plan=plan)
        assert found.is_shared
        for value, evaluation, estimate in zip(values, found.evaluations, found.estimates, strict=True):
            one = clone(learner).set_params(**{parameter: value})
            np.testing.assert_allclose(
                evaluation.out_of_fold.probabilities, refitted(one, table, plan), rtol=1e-8, atol=1e-12
            )
            own = crake.evaluate(one, table, plan=plan)
            assert estimate.value == own.accuracy.value
            assert estimate.interval == own.accuracy.interval
            assert (evaluation.name, evaluation.notes) == (own.name, own.notes)


@pytest.mark.parametrize(
    ("learner", "parameter", "values", "plan"),
    [
        (crake.CARTClassifier(), "max_depth", [1, 3], crake.CrossValidation(3)),
        (BAYES, "numeric", ["gaussian", "kernel"], crake.CrossValidation(3)),
        (BAYES, "alpha", [0.5, 1], crake.LeaveOneOut()),
        (BAYES, "alpha", [0.5, 1], crake.Bootstrap(10)),
        (GaussianNB(), "var_smoothing", [1e-9, 0.1], crake.CrossValidation(3)),
    ],
    ids=lambda x: repr(x)[:40],
)
def test_everything_else_is_refitted(learner: Any, parameter: str, values: Any, plan: Any) -> None:
    found = sweep(learner, IRIS, parameter=parameter, values=values, plan=plan, measure="log_loss")
    assert not found.is_shared
    for value, estimate in zip(values, found.estimates, strict=True):
        own = crake.evaluate(clone(learner).set_params(**{parameter: value}), IRIS, plan=plan)
        assert estimate.value == own.log_loss.value
    assert found.best == values[int(np.argmin([each.value for each in found.estimates]))]


def test_cutoffs_are_read_from_one_table() -> None:
    found = crake.evaluate("naive-bayes", FEW, positive="malignant")
    swept = cutoff_sweep(found, [0.01, 0.5, 0.9], measure="recall")
    P = found.out_of_fold.probabilities[:, FEW.schema.classes.index("malignant")]
    is_malignant = FEW.target == FEW.schema.classes.index("malignant")
    for value, estimate in zip(swept.values, swept.estimates, strict=True):
        assert estimate.value == pytest.approx(np.mean(P[is_malignant] >= value))
        assert estimate.interval is not None
    costs = {"benign": {"malignant": 1}, "malignant": {"benign": 9}}
    by_cost = cutoff_sweep(found, [0.01, 0.5], measure="mean_cost", cost=costs)
    for value, estimate in zip(by_cost.values, by_cost.estimates, strict=True):
        called = value <= P
        paid = np.sum(called & ~is_malignant) + 9 * np.sum(~called & is_malignant)
        assert estimate.value == pytest.approx(paid / len(P))
    assert by_cost.best in (0.01, 0.5)


def test_costs_are_read_from_one_table() -> None:
    found = crake.evaluate("naive-bayes", FEW, positive="malignant")
    swept = cost_sweep(found, [1, 5, 50])
    P = found.out_of_fold.probabilities[:, FEW.schema.classes.index("malignant")]
    is_malignant = FEW.target == FEW.schema.classes.index("malignant")
    for value, estimate in zip(swept.values, swept.estimates, strict=True):
        called = 1 / (1 + value) <= P  # Elkan's cutoff
        paid = np.sum(called & ~is_malignant) + value * np.sum(~called & is_malignant)
        assert estimate.value == pytest.approx(paid / len(P))
    assert swept.to_dict()["measure"] == "mean_cost"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"parameter": "alhpa", "values": [1]}, "has no parameter 'alhpa'"),
        ({"parameter": "alpha", "values": []}, r"values = \[\]"),
        ({"parameter": "alpha", "values": "laplace"}, "expected those to try"),
        ({"parameter": "alpha", "values": [1, -1]}, "a value cannot be tried: The 'alpha' parameter"),
        ({"parameter": "alpha", "values": [1], "measure": "acc"}, "Did you mean 'accuracy'"),
        ({"parameter": "alpha", "values": [1], "measure": "mean_cost"}, "go together"),
        ({"parameter": "alpha", "values": [1], "cost": [[0, 1], [1, 0]]}, "go together"),
        ({"parameter": "alpha", "values": [1], "positive": "ill"}, "there is no class 'ill'"),
    ],
)
def test_sweeps_raises_on_bad_requests(given: Any, said: str) -> None:
    with pytest.raises(crake.CrakeError, match=said):
        sweep("naive-bayes", TAX, **given)


def test_sweeps_of_an_evaluation_refuse_what_they_cannot_read() -> None:
    three = crake.evaluate("naive-bayes", IRIS)
    with pytest.raises(crake.CrakeError, match="say which one is meant"):
        cutoff_sweep(three, [0.5])
    with pytest.raises(crake.CrakeError, match="say which one is meant"):
        cost_sweep(three, [1, 2])
    with pytest.raises(crake.CrakeError, match="expected those to try"):
        cutoff_sweep(crake.evaluate("naive-bayes", TAX), [])
