"""What an Evaluation offers: scores from anywhere, curves, costs, cutoffs, wrong rows, numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import crake
from crake.errors import UndefinedMeasure
from crake.table.examples import load

RNG = np.random.default_rng(5)
Y = np.where(RNG.random(200) < 0.3, "yes", "no")
SCORES = np.round(np.clip(0.3 * (Y == "yes") + RNG.random(200) * 0.7, 0, 1), 2)


@pytest.fixture(scope="module")
def cancer() -> crake.Evaluation:
    found: crake.Evaluation = crake.evaluate("naive-bayes", load("breast-cancer"), positive="malignant")
    return found


def test_scores_of_a_model_from_anywhere_against_scikit_learn() -> None:
    found = crake.Evaluation.from_scores(Y, SCORES, positive="yes")
    positive = Y == "yes"
    assert float(found.auc) == pytest.approx(metrics.roc_auc_score(positive, SCORES), abs=1e-12)
    assert float(found.average_precision) == pytest.approx(metrics.average_precision_score(positive, SCORES), abs=1e-12)
    assert float(found.log_loss) == pytest.approx(metrics.log_loss(positive, SCORES), abs=1e-12)
    assert float(found.brier) == pytest.approx(metrics.brier_score_loss(positive, SCORES), abs=1e-12)
    called = SCORES > 0.5
    assert float(found.kappa) == pytest.approx(metrics.cohen_kappa_score(positive, called), abs=1e-12)
    assert float(found.mcc) == pytest.approx(metrics.matthews_corrcoef(positive, called), abs=1e-12)
    assert float(found.f1) == pytest.approx(metrics.f1_score(positive, called), abs=1e-12)
    for name, estimate in found.measures().items():
        if estimate.interval is not None:
            low, high = estimate.interval
            assert low <= float(estimate) <= high, name
            assert estimate.method, name


def test_margins_rank_but_are_no_probabilities() -> None:
    margins = np.where(Y == "yes", 1.0, -1.0) + RNG.normal(size=200)
    found = crake.Evaluation.from_scores(Y, margins, positive="yes")
    assert float(found.auc) == pytest.approx(metrics.roc_auc_score(Y == "yes", margins), abs=1e-12)
    assert float(found.accuracy) == pytest.approx(np.mean((margins > 0) == (Y == "yes")), abs=1e-12)
    assert not found.log_loss.is_defined
    assert "no probabilities" in str(found.brier)
    with pytest.raises(crake.CrakeError, match="no probabilities"):
        found.calibration()


def test_answers_alone_have_no_ranking() -> None:
    answers = np.where(RNG.random(200) < 0.8, Y, "maybe")
    found = crake.Evaluation.from_predictions(Y, answers)
    assert float(found.accuracy) == pytest.approx(np.mean(answers == Y))
    assert found.classes == ("no", "yes", "maybe")
    assert not found.auc.is_defined
    with pytest.raises(crake.CrakeError, match="only answers"):
        found.roc()
    with pytest.raises(crake.CrakeError, match="only answers"):
        found.cutoff("youden")


def test_columns_of_probabilities_in_the_order_of_the_classes_given() -> None:
    P = RNG.dirichlet(np.ones(3), 200)
    y = np.array(["a", "b", "c"])[RNG.integers(0, 3, 200)]
    found = crake.Evaluation.from_scores(y, P[:, ::-1], classes=["c", "b", "a"])
    expected = metrics.roc_auc_score(y, P, multi_class="ovr", average="weighted")
    assert float(found.auc) == pytest.approx(expected, abs=1e-12)
    assert float(found.auc_hand_till) == pytest.approx(metrics.roc_auc_score(y, P, multi_class="ovo"), abs=1e-12)


@pytest.mark.parametrize(
    ("y", "scores", "options", "message"),
    [
        (["a", "b"], [0.1], {}, "2 actual classes and 1"),
        (["a", "b"], [0.1, np.nan], {}, "score of row 1 is nan"),
        (["a", "b"], [[0.5, 0.4], [0.5, 0.5]], {}, "row 0 sum to 0.9"),
        (["a", "b", "c"], [0.1, 0.2, 0.3], {}, "one column of scores and 3 classes"),
        (["a", "b"], [0.1, 0.2], {"positive": "z"}, "no class 'z'"),
        (["a", "b"], [[0.5, 0.5], [0.5, 0.5]], {"classes": ["a", "z"]}, "none of the classes"),
        (["a", "b"], [[0.5, 0.5], [0.5, 0.5]], {"classes": ["a", "b", "c"]}, r"shape \(2, 2\)"),
        (["a", "b"], [0.1, 0.2], {"sample_weight": [1, -1]}, "weight of row 1"),
        ([None, None], [0.1, 0.2], {"classes": ["a", "b"]}, "no row has a known class"),
    ],
)
def test_scores_that_cannot_be_are_refused(y: Any, scores: Any, options: Any, message: str) -> None:
    with pytest.raises(crake.CrakeError, match=message):
        crake.Evaluation.from_scores(y, scores, **options)


def test_one_class_leaves_the_auc_undefined() -> None:
    found = crake.Evaluation.from_scores(["a", "a"], [[0.5, 0.5], [1, 0]], classes=["a", "b"], positive="a")
    assert str(found.auc).startswith("undefined")
    with pytest.raises(crake.CrakeError, match="no row is negative"):
        found.roc()


def test_curves_pooled_by_fold_and_averaged(cancer: crake.Evaluation) -> None:
    assert cancer.roc().area == pytest.approx(float(cancer.auc), abs=1e-12)
    folds = cancer.roc("folds")
    assert len(folds) == 10
    averaged = cancer.roc("average")
    at = np.mean([curve.at(averaged.x) for curve in folds], axis=0)
    np.testing.assert_allclose(averaged.mean, at, atol=1e-12)
    assert averaged.band is not None
    for curve in (cancer.precision_recall(), cancer.lift(), cancer.cost_curve()):
        assert len(curve.x) == len(curve.y) > 5
    assert cancer.calibration().rows.sum() == 569
    with pytest.raises(crake.CrakeError, match="'all', 'folds' or 'average'"):
        cancer.roc("fold")


def test_the_positive_class_of_curves_is_the_rarer_of_two() -> None:
    found = crake.evaluate("naive-bayes", load("breast-cancer"))
    assert found.positive_class == "malignant"
    three = crake.evaluate("naive-bayes", load("iris"))
    with pytest.raises(crake.CrakeError, match="say which one"):
        three.roc()


def test_a_cutoff_moves_the_answers(cancer: crake.Evaluation) -> None:
    cutoff = cancer.cutoff("recall", least=0.95)
    moved = cancer.at_cutoff(cutoff)
    assert float(moved.recall) == pytest.approx(float(cutoff.recall))
    assert float(moved.recall) >= 0.95 > float(cancer.recall)
    assert float(moved.precision) == pytest.approx(float(cutoff.precision))
    assert float(moved.auc) == float(cancer.auc)
    spread = cancer.cutoff_spread("recall", least=0.95)
    assert spread.lowest <= spread.median <= spread.highest
    assert spread.folds == 10


def test_costs_call_the_cheapest_class(cancer: crake.Evaluation) -> None:
    costs = crake.CostMatrix.of({"malignant": {"benign": 20}, "benign": {"malignant": 1}})
    cheap = cancer.with_least_cost(costs)
    assert float(cheap.mean_cost(costs)) < float(cancer.mean_cost(costs))
    counts = cheap.confusion.counts  # benign, malignant
    assert float(cheap.total_cost(costs)) == counts[0, 1] + 20 * counts[1, 0]


def test_compare_by_cost_ranks_and_answers_by_cost() -> None:
    cost = {"malignant": {"benign": 20}, "benign": {"malignant": 1}}
    found = crake.compare(load("breast-cancer"), learners=["majority", "naive-bayes", "c4.5"], cost=cost)
    ranked = [float(standing.measure) for standing in found.standings]
    assert ranked == sorted(ranked)
    assert "mean cost" in str(found)
    assert "least expected cost" in str(found)
    # Always calling malignant costs 1 for each of 357 benign rows; always benign 20 for each of 212.
    assert float(found["majority class"].mean_cost(crake.CostMatrix.of(cost))) == pytest.approx(357 / 569)
    with pytest.raises(crake.CrakeError, match="no class 'benign'"):
        crake.compare(load("breast-cancer"), learners=["1r"], cost={"a": {"b": 1}, "b": {"a": 1}})
    with pytest.raises(crake.CrakeError, match=r"shape \(3, 3\)"):
        crake.compare(load("breast-cancer"), learners=["1r"], cost=np.ones((3, 3)))


def test_wrong_rows_come_worst_first(cancer: crake.Evaluation) -> None:
    wrong = cancer.errors()
    assert len(wrong) == int((~cancer.correct).sum())
    assert (np.diff(wrong.probability) >= 0).all()
    assert all(a != b for a, b in zip(wrong.actual, wrong.predicted, strict=True))
    assert "the worst 20 of" in str(wrong)
    assert "mean radius" in str(wrong)
    assert len(cancer.errors(3)) == 3


def test_the_training_rows_flatter_a_tree() -> None:
    found = crake.evaluate("c4.5", load("breast-cancer"))
    assert float(found.resubstitution.accuracy) > float(found.accuracy)
    assert found.optimism == pytest.approx(float(found.resubstitution.accuracy) - float(found.accuracy))


def test_a_foreign_classifier_answers_as_it_does() -> None:
    X, y = load("breast-cancer").to_xy()
    frame = X.to_pandas()
    model = make_pipeline(StandardScaler(), FixedThresholdClassifier(LogisticRegression(), threshold=0.9))
    found = crake.evaluate(model, frame, y)
    plain = crake.evaluate(make_pipeline(StandardScaler(), LogisticRegression()), frame, y)
    assert found.confusion.predicted_totals[1] < plain.confusion.predicted_totals[1]
    np.testing.assert_allclose(found.out_of_fold.probabilities, plain.out_of_fold.probabilities)


def test_numbers_are_evaluated_too() -> None:
    X, y = load_diabetes(return_X_y=True)
    found = crake.evaluate(LinearRegression(), X, y)
    lines = found.out_of_fold
    assert sorted(lines.rows.tolist()) == list(range(len(y)))
    assert float(found.rmse) == pytest.approx(metrics.root_mean_squared_error(lines.actual, lines.predicted))
    assert float(found.mae) == pytest.approx(metrics.mean_absolute_error(lines.actual, lines.predicted))
    assert float(found.r_squared) == pytest.approx(metrics.r2_score(lines.actual, lines.predicted))
    repeated = crake.evaluate(crake.CARTRegressor(), X, y, plan=crake.CrossValidation(3, repeats=2, stratified=False))
    assert "2 repeats" in repeated.rmse.method
    assert "RMSE" in str(repeated)
    with pytest.raises(crake.CrakeError, match="no number"):
        crake.evaluate(crake.CARTRegressor(), load("iris"))


def test_with_one_cost_for_every_error_the_cheapest_class_is_the_most_probable() -> None:
    """1·0.1 + 1·0.2 + 1·0.35 rounds otherwise than 1·0.35 + 1·0.1 + 1·0.2: equals must stay equals."""
    P = [[0.35, 0.1, 0.2, 0.35], [0.1, 0.5, 0.2, 0.2], [0.1, 0.2, 0.5, 0.2], [0.1, 0.1, 0.1, 0.7]]
    found = crake.Evaluation.from_scores(["a", "b", "c", "d"], P)
    costs = crake.CostMatrix(("a", "b", "c", "d"), 1 - np.eye(4))
    assert found.with_least_cost(costs).out_of_fold.predicted.tolist() == [0, 1, 2, 3]


def test_a_spread_of_cutoffs_needs_scores_and_folds_with_both_classes() -> None:
    answers = crake.Evaluation.from_predictions(["a", "b", "a", "b"], ["a", "b", "b", "b"])
    with pytest.raises(UndefinedMeasure, match="no scores"):
        answers.cutoff_spread("youden")
    with pytest.raises(UndefinedMeasure, match="no fold has rows of both classes"):
        crake.evaluate("naive-bayes", load("golf"), plan=crake.LeaveOneOut()).cutoff_spread("youden")


def test_how_many_wrong_rows_is_a_whole_number(cancer: crake.Evaluation) -> None:
    assert len(cancer.errors(0)) == 0
    with pytest.raises(crake.CrakeError, match="most = -1"):
        cancer.errors(-1)


def test_one_column_of_scores_may_stand_in_a_table() -> None:
    flat = crake.Evaluation.from_scores([0, 1, 1], [0.1, 0.6, 0.8])
    column = crake.Evaluation.from_scores([0, 1, 1], [[0.1], [0.6], [0.8]])
    assert np.array_equal(flat.out_of_fold.probabilities, column.out_of_fold.probabilities)
    with pytest.raises(crake.CrakeError, match=r"classes=\[…\] names both"):
        crake.Evaluation.from_scores(["b", "b"], [0.1, 0.4])
    with pytest.raises(crake.CrakeError, match="cutoff is nan"):
        flat.at_cutoff(float("nan"))
