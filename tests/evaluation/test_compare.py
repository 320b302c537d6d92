"""`compare(X, y)` reads X for each learner as that learner asks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import crake
from crake.evaluation.report.single_board import board_of_test
from crake.render.text.leaderboard import leaderboard_text
from crake.table.examples import load


def test_each_learner_has_its_own_nominal_columns() -> None:
    generator = np.random.default_rng(2)
    X = np.column_stack([generator.integers(6, size=300), generator.integers(50, size=300)]).astype(float)
    y = np.where(X[:, 0] % 2 == 0, "even", "odd")
    learners = [crake.MajorityClassifier(), crake.NaiveBayesClassifier(), crake.NaiveBayesClassifier(nominal=[0])]
    comparison = crake.compare(X, y, learners=learners)
    by_name = {evaluation.name: evaluation for evaluation in comparison.evaluations}
    names = by_name["naive Bayes (nominal=[0])"]
    assert float(names.accuracy) == 1
    assert float(by_name["naive Bayes"].accuracy) < 0.8
    alone = crake.evaluate(crake.NaiveBayesClassifier(nominal=[0]), X, y)
    assert np.array_equal(names.out_of_fold.probabilities, alone.out_of_fold.probabilities)


def test_each_learner_reads_a_test_table_by_its_own_nominal_columns_too() -> None:
    X = np.column_stack([np.tile([1, 2, 3, 4], 25), np.arange(100) % 7]).astype(float)
    y = np.where(np.isin(X[:, 0], [1, 3]), "odd", "even")
    learner = crake.NaiveBayesClassifier(nominal=[0])
    alone = crake.evaluate(learner, X, y, test=(X, y))
    beside = crake.compare(X, y, learners=["naive-bayes", learner], test=(X, y)).evaluations
    assert float(alone.accuracy) == 1
    assert np.array_equal(beside[1].out_of_fold.probabilities, alone.out_of_fold.probabilities)
    assert float(beside[0].accuracy) < 1


@pytest.mark.parametrize("first", [["majority", "1r"], ["1r", "majority"]])
def test_the_majority_class_is_the_baseline_wherever_it_stands(first: list[str]) -> None:
    comparison = crake.compare(load("iris"), learners=[*first, "naive-bayes"])
    assert comparison.leaderboard().headline.endswith("majority class 0.333; not distinguishable from 1R.")
    assert {each.baseline for each in comparison.standings} == {"majority class", None}
    assert [each.evaluation.key for each in comparison.standings if each.remark == "baseline"] == ["majority"]


def test_only_a_constant_prediction_is_reached_without_learning() -> None:
    said = "what is reached without learning anything"
    assert said not in crake.compare(load("iris"), learners=["1r", "naive-bayes"]).to_html()
    assert said in crake.compare(load("iris"), learners=["1r", "majority", "naive-bayes"]).to_html()


def test_a_constant_prediction_has_an_auc_of_one_half_though_it_is_pooled() -> None:
    comparison = crake.compare(load("golf"), learners=["majority", "naive-bayes"])
    assert float(comparison["majority class"].auc) == 0.5
    board = comparison.leaderboard()
    (place,) = (k for k, column in enumerate(board.columns) if column.name == "auc")
    by_name = {entry.name: entry.figures[place].value for entry in board.entries}
    assert by_name["majority class"] == 0.5
    assert by_name["naive Bayes"] == comparison["naive Bayes"].auc.value
    alone = board_of_test(crake.evaluate("majority", load("golf"), plan=crake.LeaveOneOut()))
    assert {entry.figures[place].value for entry in alone.entries} == {0.5}


def test_no_checks_is_not_said_below_a_warning() -> None:
    iris = load("iris")
    frame = iris.to_arrow().append_column("copy", iris.to_arrow()[iris.schema.target])
    comparison = crake.compare(crake.read(frame, target=iris.schema.target), learners=["majority", "naive-bayes"])
    assert any("'copy'" in warning for warning in comparison.warnings)
    text = leaderboard_text(replace(comparison.leaderboard(), checks=())).plain
    assert "nothing found" not in text
