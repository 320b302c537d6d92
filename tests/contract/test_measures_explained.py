"""Every measure can be asked why: what its workings end in is the measure, and the arithmetic is right."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.arithmetic import assert_all_work_out

import crake
from crake.evaluation.result.classification import Evaluation
from crake.metrics.confusion.matrix import ConfusionMatrix
from crake.metrics.measures import CLASSIFICATION, REGRESSION
from crake.table.examples import load

SHOWN = tuple(measure.name for measure in CLASSIFICATION if measure.explain is not None)
NUMBERS = tuple(measure.name for measure in REGRESSION if measure.explain is not None)

rng = np.random.default_rng(3)
ACTUAL = rng.integers(0, 2, 60)
SCORES = np.round(np.clip(ACTUAL * 0.3 + rng.uniform(0, 0.7, 60), 0, 1), 2)


def _evaluations() -> dict[str, Evaluation]:
    weights = rng.integers(1, 4, 60)
    return {
        "two classes": crake.evaluate("naive-bayes", load("breast-cancer")),
        "positive": crake.evaluate("naive-bayes", load("breast-cancer"), positive="malignant"),
        "three classes": crake.evaluate("naive-bayes", load("iris")),
        "few rows": crake.evaluate("naive-bayes", load("golf"), plan=crake.LeaveOneOut()),
        "perfect": Evaluation.from_scores(["a", "b", "b"], [0.1, 0.8, 0.9], positive="b"),
        "never called": crake.evaluate("majority", load("tax")),
        "ties and weights": Evaluation.from_scores(ACTUAL, SCORES, positive=1, sample_weight=weights),
        "broken weights": Evaluation.from_scores(ACTUAL, SCORES, positive=1, sample_weight=weights / 3),
        "repeated": crake.evaluate("naive-bayes", load("iris"), plan=crake.CrossValidation(3, repeats=3)),
        ".632+": crake.evaluate("naive-bayes", load("tax"), plan=crake.Bootstrap(8)),
        ".632": crake.evaluate("naive-bayes", load("golf"), plan=crake.Bootstrap(8, estimate="632")),
        "lecture": crake.evaluate("naive-bayes", load("golf"), plan=crake.Bootstrap(8, estimate="632-lecture")),
        "out of bag": crake.evaluate("naive-bayes", load("golf"), plan=crake.Bootstrap(8, estimate="out-of-bag")),
        "answers only": Evaluation.from_predictions(["no", "yes", "yes"], ["no", "yes", "no"]),
    }


@pytest.fixture(scope="module")
def evaluations() -> dict[str, Evaluation]:
    return _evaluations()


NAMES = ("two classes", "positive", "three classes", "few rows", "perfect", "never called", "ties and weights",
         "broken weights", "repeated", ".632+", ".632", "lecture", "out of bag", "answers only")  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("measure", SHOWN)
def test_the_workings_end_in_the_measure(evaluations: dict[str, Evaluation], name: str, measure: str) -> None:
    evaluation = evaluations[name]
    estimate, workings = evaluation.estimate(measure), evaluation.explain(measure)
    json.dumps(workings.to_dict(), allow_nan=False)
    if estimate.value is None:
        assert workings.answer == ()
        assert estimate.reason in workings.notes[0]
        return
    assert float(workings) == estimate.value
    assert_all_work_out(workings)
    shown = [step.value for step in workings.steps]
    from crake.render.workings import number  # noqa: PLC0415

    assert number(estimate.value) in shown
    if estimate.interval is not None:
        text = str(workings)
        assert all(number(end) in text for end in estimate.interval)


def test_most_steps_can_be_worked_out(evaluations: dict[str, Evaluation]) -> None:
    worked = {m: assert_all_work_out(evaluations["two classes"].explain(m)) for m in SHOWN}
    assert {m for m, steps in worked.items() if steps == 0} == set()
    assert assert_all_work_out(evaluations["two classes"].explain("auc")) >= 6
    assert assert_all_work_out(evaluations["two classes"].explain("accuracy")) == 4


@pytest.mark.parametrize("measure", ["accuracy", "error", "balanced_accuracy", "g_mean", "kappa", "mcc"])
def test_a_matrix_explains_its_measures(measure: str) -> None:
    matrix = ConfusionMatrix(("a", "b", "c"), np.array([[3, 1, 0], [2, 4, 0], [0, 1, 5]]))
    assert float(matrix.explain(measure)) == float(getattr(matrix, measure))
    many = ConfusionMatrix(tuple(range(26)), np.eye(26) * 7 + 1)
    assert float(many.explain(measure)) == float(getattr(many, measure))
    assert "more" in str(many.explain(measure)) or measure in ("accuracy", "error")


@pytest.mark.parametrize("measure", ["precision", "recall", "specificity", "prevalence", "f", "sensitivity"])
def test_a_matrix_explains_the_measures_of_a_class(measure: str) -> None:
    matrix = ConfusionMatrix(("a", "b", "c"), np.array([[3, 1, 0], [2, 4, 0], [0, 1, 5]]))
    for label in matrix.labels:
        workings = matrix.explain(measure, label)
        assert float(workings) == float(getattr(matrix, measure)(label))
        assert assert_all_work_out(workings) >= 1
    assert float(matrix.explain("f", "a", beta=2)) == float(matrix.f("a", 2))
    assert float(matrix.explain("mcc", "a")) == float(matrix.against_rest("a").mcc)


def test_what_cannot_be_explained_is_named() -> None:
    matrix = ConfusionMatrix(("a", "b"), np.array([[3, 1], [2, 4]]))
    with pytest.raises(crake.CrakeError, match="expected one of accuracy"):
        matrix.explain("acuracy")
    with pytest.raises(crake.CrakeError, match="there is no class 'z'"):
        matrix.explain("recall", "z")
    with pytest.raises(crake.CrakeError, match="Did you mean 'kappa'"):
        Evaluation.from_predictions(["a"], ["a"]).explain("kapa")
    with pytest.raises(crake.CrakeError, match="lift has no hand calculation; expected one of accuracy"):
        Evaluation.from_predictions(["a"], ["a"]).explain("lift")
    with pytest.raises(crake.CrakeError, match="'rmse' measures predicted values"):
        Evaluation.from_predictions(["a"], ["a"]).explain("rmse")


@pytest.mark.parametrize("measure", NUMBERS)
@pytest.mark.parametrize("repeats", [1, 2])
def test_measures_of_numbers(measure: str, repeats: int) -> None:
    X = rng.normal(size=(40, 2))
    y = X[:, 0] * 2 + rng.normal(size=40)
    plan = crake.CrossValidation(4, stratified=False, repeats=repeats)
    found = crake.evaluate(crake.CARTRegressor(), X, y, plan=plan)
    workings = found.explain(measure)
    assert float(workings) == getattr(found, measure).value
    assert assert_all_work_out(workings) >= 1
