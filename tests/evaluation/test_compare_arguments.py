"""Arguments of `compare` and `evaluate`, and the results that a comparison returns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import crake
from crake.plans.splitter import SplitterPlan
from crake.table.examples import load

IRIS = load("iris")
FRAME = IRIS.to_pandas()
LEARNERS = ["majority", "naive-bayes"]


def pipeline() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression())


@pytest.fixture(scope="module")
def comparison() -> crake.Comparison:
    return crake.compare(IRIS, learners=LEARNERS)


def test_names_frames_and_tables_are_the_same(comparison: crake.Comparison) -> None:
    for given in (
        crake.compare("iris", learners=LEARNERS),
        crake.compare(FRAME, target="species", learners=LEARNERS),
        crake.compare(IRIS.with_target(None), target="species", learners=LEARNERS),
        crake.compare(IRIS, learners=LEARNERS, plan="cv10"),
    ):
        assert [float(each.accuracy) for each in given] == [float(each.accuracy) for each in comparison]
    one = crake.evaluate("naive-bayes", FRAME, target="species", plan="cv10")
    assert float(one.accuracy) == float(comparison["naive-bayes"].accuracy)
    assert float(crake.evaluate("naive-bayes", "iris").accuracy) == float(one.accuracy)
    with pytest.raises(crake.CrakeError, match="both y and target="):
        crake.compare(FRAME, FRAME["species"], target="species")
    with pytest.raises(crake.CrakeError, match="no column 'spezies'"):
        crake.compare(FRAME, target="spezies")


def test_given_names_stay_as_they_are_where_a_sentence_begins(comparison: crake.Comparison) -> None:
    named = crake.compare("golf", learners={"nb": "naive-bayes", "most": "majority"})
    assert named.leaderboard().headline.startswith("nb is best of 2: ")
    assert {check.sentence[:3] for check in named.leaderboard().checks} == {"nb "}
    assert comparison.leaderboard().headline.startswith("Naive Bayes is best of 2: ")
    titled = crake.compare("golf", learners={"naive Bayes": "naive-bayes"})
    assert titled.leaderboard().headline.startswith("Naive Bayes: ")


def test_a_comparison_is_a_collection(comparison: crake.Comparison) -> None:
    assert len(comparison) == 2
    assert [each.name for each in comparison] == ["majority class", "naive Bayes"]
    assert comparison["naive-bayes"] is comparison["naive Bayes"] is comparison.evaluations[1]
    with pytest.raises(crake.CrakeError, match=r"there is no 'c4\.5'"):
        comparison["c4.5"]
    assert len(crake.compare("golf", learners="1r")) == 1


def test_learners_under_names_of_their_own() -> None:
    learners = {"mine": "naive-bayes", "smooth": crake.NaiveBayesClassifier(alpha=5), "theirs": pipeline()}
    comparison = crake.compare("iris", learners=learners, plan="cv3")
    assert [each.name for each in comparison] == list(learners)
    assert "theirs" in str(comparison)
    twice = {"a": crake.OneRuleClassifier(), "b": crake.OneRuleClassifier()}
    assert len(crake.compare("golf", learners=twice)) == 2


def test_a_frame_has_a_line_for_each_learner(comparison: crake.Comparison) -> None:
    frame = comparison.to_frame().to_pandas()
    assert frame["learner"].tolist() == ["naive Bayes", "majority class"]
    assert frame["is_best"].tolist() == [True, False]
    best = comparison.best.accuracy
    assert frame.loc[0, ["accuracy", "accuracy_low", "accuracy_high"]].tolist() == [best.value, best.low, best.high]
    assert frame.loc[0, "verdict"] == "best"


def test_the_best_model() -> None:
    comparison = crake.compare("iris", learners=LEARNERS, plan="cv3")
    expected = crake.NaiveBayesClassifier().fit(IRIS).predict_proba(IRIS)
    np.testing.assert_array_equal(comparison.model.predict_proba(IRIS), expected)
    assert comparison.model is comparison.model
    assert comparison.fit() is not comparison.model
    X, y = IRIS.to_xy()
    numbers = np.column_stack(X.columns)
    theirs = crake.compare(numbers, y, learners={"theirs": pipeline()}, plan="cv3").model
    np.testing.assert_allclose(theirs.predict_proba(numbers), pipeline().fit(numbers, y).predict_proba(numbers))
    of_table = crake.compare(IRIS, learners=[pipeline()], plan="cv3").model
    np.testing.assert_allclose(of_table.predict_proba(numbers), theirs.predict_proba(numbers))
    houses = pd.DataFrame({"size": np.arange(20.0), "price": 3.1 * np.arange(20.0) + np.arange(20) % 3})
    assert crake.compare(houses, target="price", learners=["mean", "linear"]).model.coef_.shape == (1,)


@pytest.mark.parametrize(
    ("splitter", "rounds", "folds"),
    [
        (KFold(5, shuffle=True, random_state=0), 1, 5),
        (StratifiedKFold(3), 1, 3),
        (RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0), 2, 4),
        (ShuffleSplit(3, random_state=0), 3, 1),
        (TimeSeriesSplit(4), 4, 1),
    ],
    ids=lambda each: type(each).__name__ if hasattr(each, "split") else "",
)
def test_splitters_are_plans(splitter: Any, rounds: int, folds: int) -> None:
    plan = SplitterPlan(splitter)
    dealt = list(plan.rounds(IRIS.target, IRIS.schema.classes))
    assert [each.folds for each in dealt] == [folds] * rounds
    theirs = list(splitter.split(np.zeros((150, 1)), IRIS.target))
    ours = [split for each in dealt for split in each.splits()]
    for (train, test), (expected_train, expected_test) in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(train, np.sort(expected_train))
        np.testing.assert_array_equal(test, np.sort(expected_test))
    if not isinstance(splitter, TimeSeriesSplit):
        evaluation = crake.evaluate("naive-bayes", IRIS, plan=splitter)
        assert float(evaluation.accuracy) > 0.85
        assert evaluation.plan == plan.describe()


def test_splits_of_the_rows_that_are_known() -> None:
    codes = np.array([0, -1, 1, 0, 1, -1, 0, 1])
    (dealt,) = SplitterPlan(KFold(3)).rounds(codes, ["no", "yes"])
    assert (dealt.fold[codes < 0] == -1).all()
    assert sorted(dealt.fold[codes >= 0]) == [0, 0, 1, 1, 2, 2]


def test_a_learning_curve_takes_the_same_plans() -> None:
    expected = crake.learning_curve("1r", IRIS, plan=crake.CrossValidation(3))
    assert str(crake.learning_curve("1r", IRIS, plan="cv3")).splitlines()[0] == str(expected).splitlines()[0]


def test_plans_that_are_none() -> None:
    with pytest.raises(crake.CrakeError, match=r"cannot split 150 rows.*GroupedCrossValidation"):
        crake.evaluate("naive-bayes", IRIS, plan=GroupKFold(3))
    with pytest.raises(crake.CrakeError, match="there is no plan 'cvx'"):
        crake.compare(IRIS, learners=LEARNERS, plan="cvx")
    with pytest.raises(crake.CrakeError, match="expected a plan such as"):
        crake.compare(IRIS, learners=LEARNERS, plan=5)


def test_the_line_that_repeats_the_comparison() -> None:
    text = str(crake.compare(IRIS, learners=LEARNERS, plan=KFold(3)))
    assert "plan=KFold(n_splits=3, random_state=None, shuffle=False)" in text
