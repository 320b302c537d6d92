"""The measure that ranks: the one given, or the one that fits the task."""

from __future__ import annotations

import dataclasses
import json
import re

import numpy as np
import pyarrow as pa
import pytest
from tests.evaluation.comparison.conftest import rare_frame

import crake
from crake.evaluation.comparison.choice import criterion_of, usual_measure
from crake.metrics.measures import CLASSIFICATION, REGRESSION
from crake.render.text.leaderboard import leaderboard_text
from crake.table.examples import load

LEARNERS = ["majority", "1r", "naive-bayes"]
PLAIN = [measure.name for measure in CLASSIFICATION if not measure.needs_costs]


@pytest.mark.parametrize(
    ("counts", "name"),
    [([80, 20], "accuracy"), ([81, 19], "auc"), ([10] * 10, "accuracy"), ([50, 50, 15], "auc"), ([5, 0], "accuracy")],
)
def test_a_rare_class_has_less_than_two_fifths_of_an_even_share(counts, name) -> None:
    assert usual_measure(np.array(counts), list(range(len(counts))))[0] == name


def test_a_rare_class_is_ranked_by_auc_and_the_reason_is_given(imbalanced) -> None:
    assert imbalanced.criterion.name == "AUC"
    assert imbalanced.measure_reason.startswith("By AUC, as class 'yes' has 8.0 % of the rows")
    headline = imbalanced.leaderboard().headline
    assert "is best of 5: AUC 0." in headline
    assert "majority class 0.500" in headline
    assert imbalanced.leaderboard().main.title == "AUC"


def test_the_reason_stands_below_the_headline_in_every_form(imbalanced) -> None:
    report = imbalanced.report()
    assert report.lead == (imbalanced.measure_reason,)
    assert imbalanced.measure_reason in report.markdown()
    assert imbalanced.measure_reason in " ".join(str(report).split())
    page = re.sub(r"</?span[^>]*>", "", report.to_html())  # an option is kept on one line
    assert imbalanced.measure_reason in page.replace("&#39;", "'").replace("\N{NO-BREAK SPACE}", " ")
    assert imbalanced.measure_reason in report.to_dict()["notes"]  # the schema has no place of its own for it


def test_a_headline_has_one_number_of_decimals() -> None:
    """The interval of a constant prediction is narrow, which would ask for four decimals of it alone."""
    y = np.arange(4000) % 10 == 0
    x = np.random.default_rng(0).normal(2.0 * y)
    comparison = crake.compare(x[:, None], y, learners=["majority", "naive-bayes"], measure="balanced-accuracy")
    low, high = comparison["majority class"].estimate("balanced_accuracy").interval
    assert 0 < high - low < 0.004
    assert comparison.leaderboard().headline.endswith("; majority class 0.500.")


def test_a_headline_fits_two_lines(imbalanced) -> None:
    for name in PLAIN:
        ranked = dataclasses.replace(imbalanced, criterion=criterion_of(name))
        assert len(leaderboard_text(ranked.leaderboard(), 80).plain.split("\n\n")[0].splitlines()) <= 3, name


def test_a_ranking_says_nothing_of_useless_columns(imbalanced) -> None:
    assert "not-above-majority" not in [check.code for check in imbalanced.checks()]
    assert "may say nothing" not in str(imbalanced)


def test_by_accuracy_the_advice_is_to_look_at_the_ranking() -> None:
    comparison = crake.compare(rare_frame(), target="default", learners=LEARNERS, plan="cv5", measure="accuracy")
    check = next(check for check in comparison.checks() if check.code == "not-above-majority")
    assert "Its scores do rank the rows, AUC 0." in str(check)
    assert "may say nothing" not in str(check)


def test_balanced_classes_are_ranked_by_accuracy() -> None:
    comparison = crake.compare("iris", learners=LEARNERS)
    assert (comparison.criterion.name, comparison.measure_reason) == ("accuracy", "")


@pytest.mark.parametrize("name", PLAIN)
def test_every_measure_ranks(name) -> None:
    examples = load("breast-cancer")
    some = examples.take(np.arange(0, len(examples), 4))
    comparison = crake.compare(some, learners=LEARNERS, plan="cv3", measure=name)
    board = comparison.leaderboard()
    values = [entry.main.value for entry in board.entries if entry.main.value is not None]
    assert values == sorted(values, reverse=comparison.criterion.of.greater_is_better)
    assert board.columns[0].name == name
    measure = comparison.criterion.of
    assert measure.title in board.headline or (len(measure.title) > 25 and measure.words in board.headline)
    document = json.loads(json.dumps(comparison.to_dict()))
    assert (document["schema"], document["measure"]) == ("crake-compare/1", name)
    assert document["learners"][0]["ranked_by"]["value"] == values[0]


@pytest.mark.parametrize("name", [measure.name for measure in REGRESSION])
def test_every_measure_ranks_regressors(name) -> None:
    x = np.arange(40.0)
    columns = pa.table({"x": x, "z": x % 7, "y": 2 * x + np.sin(x)})
    comparison = crake.compare(columns, target="y", learners=["mean", "linear"], plan="cv4", measure=name)
    assert comparison.best.key == "linear"
    assert comparison.standings[0].beats_baseline


def test_one_class_is_meant_where_there_are_two() -> None:
    comparison = crake.compare(rare_frame(), target="default", learners=LEARNERS, plan="cv5", measure="f1")
    assert comparison.measure_reason == "F1 is that of class 'yes', the rarer one; --positive names another."
    assert (
        comparison["majority"].name == "constant yes"
    )  # 2·p / (1 + p): never predicting it would be beaten by guessing
    assert float(comparison["majority"].f1) == pytest.approx(2 * 0.08 / 1.08)
    assert comparison.leaderboard().columns[0].full_title == "F1 of class yes"


def test_a_learner_without_the_measure_is_ranked_last() -> None:
    svm = crake.SVMClassifier(probability="votes")
    comparison = crake.compare("golf", learners=["majority", "naive-bayes", svm], measure="log-loss")
    last = comparison.standings[-1]
    assert (last.evaluation.key, last.verdict) == ("svm", "not ranked: log loss undefined")
    assert comparison.winner is not None
    assert "log loss of SVM" in str(comparison)


def test_no_learner_with_the_measure_is_an_error() -> None:
    svm = crake.SVMClassifier(probability="votes")
    with pytest.raises(crake.CrakeError, match="no learner has the measure 'log_loss'"):
        str(crake.compare("golf", learners=[svm], measure="log-loss"))


def test_labels_of_a_rare_class_are_ranked_by_balanced_accuracy() -> None:
    svm = crake.SVMClassifier(probability="votes")
    comparison = crake.compare(rare_frame(120), target="default", learners=["majority", svm], plan="cv3")
    assert comparison.criterion.of.name == "balanced_accuracy"


def test_costs_rank_by_cost_and_by_nothing_else() -> None:
    cost = {"No": {"Yes": 1}, "Yes": {"No": 4}}
    assert crake.compare("golf", learners=LEARNERS, cost=cost).criterion.of.name == "mean_cost"
    assert crake.compare("golf", learners=LEARNERS, cost=cost, measure="cost").leaderboard().main.title == "mean cost"
    with pytest.raises(crake.CrakeError, match="expected no other measure beside them, got 'auc'"):
        crake.compare("golf", learners=LEARNERS, cost=cost, measure="auc")
    with pytest.raises(crake.CrakeError, match="'mean_cost' needs costs"):
        crake.compare("golf", learners=LEARNERS, measure="cost")


def test_tuning_goes_by_the_measure_that_ranks() -> None:
    comparison = crake.compare("golf", learners=["majority", "naive-bayes"], tune=True, measure="brier", plan="cv3")
    assert [each.context.learner.measure for each in comparison if "tuned" in each.name] == ["brier"]


def test_one_set_of_test_rows_has_no_test_of_the_lift() -> None:
    comparison = crake.compare("breast-cancer", learners=LEARNERS, plan="holdout", measure="lift")
    assert comparison.standings[1].verdict == "not tested against the best"
    assert "are not tested: that needs several folds" in comparison.leaderboard().protocol
