"""Two evaluations of the same rows, by every test; each against the plain function it calls."""

from __future__ import annotations

import numpy as np
import pytest

import crake
from crake.errors import CrakeError, DataError, UndefinedMeasure
from crake.evaluation.comparison.paired_tests import fold_differences, paired
from crake.metrics.ranking.delong_pair import paired_delong
from crake.metrics.significance.bayesian_t import bayesian_correlated_t
from crake.metrics.significance.corrected_t import corrected_t
from crake.metrics.significance.five_by_two import five_by_two_f
from crake.metrics.significance.mcnemar import mcnemar
from crake.table.examples import load

BOTH = ["majority", "1r", "naive-bayes"]


@pytest.fixture(scope="module")
def comparison():
    return crake.compare(load("breast-cancer"), learners=BOTH)


def right_by_fold(evaluation):
    found = evaluation.out_of_fold
    return np.array([evaluation.correct[found.fold == f].mean() for f in np.unique(found.fold)])


def test_mcnemar(comparison):
    bayes, rule = comparison["naive Bayes"], comparison["1R"]
    found = comparison.test("naive Bayes", "1R", "mcnemar")
    assert found.p_value == mcnemar(bayes.correct, rule.correct).p_value
    assert found == comparison.test("naive Bayes", "1R")
    assert f"{found.only_first} rows only naive Bayes got right, {found.only_second} only 1R" in str(found)
    assert found.to_dict()["first"] == "naive Bayes"


def test_corrected_t_and_the_posterior_go_by_folds(comparison):
    bayes, rule = comparison["naive Bayes"], comparison["1R"]
    differences = right_by_fold(bayes) - right_by_fold(rule)
    tested = np.bincount(bayes.out_of_fold.fold)
    expected = corrected_t(differences, 569 - tested, tested)
    found = comparison.test("naive Bayes", "1R", "corrected-t")
    assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.p_value), rel=1e-9)
    assert found.method == "corrected resampled t test, 10 folds; accuracy"
    posterior = comparison.test("naive Bayes", "1R", "bayesian", rope=0.02)
    twin = bayesian_correlated_t(differences, 569 - tested, tested, rope=0.02)
    assert posterior.equivalent == pytest.approx(twin.equivalent, rel=1e-9)
    assert posterior.names == ("naive Bayes", "1R")


def test_less_is_better_is_turned_about(comparison):
    by_loss = comparison.test("naive Bayes", "1R", "corrected-t", measure="log_loss")
    folds, differences = fold_differences(comparison["1R"], comparison["naive Bayes"], "log_loss")
    assert len(folds) == 10
    assert by_loss.difference == pytest.approx(-differences.mean())
    assert comparison.test("1R", "majority class", "corrected-t", measure="error").difference > 0


def test_delong_is_that_of_the_pooled_scores(comparison):
    bayes, rule = comparison["naive Bayes"], comparison["1R"]
    found = comparison.test("naive Bayes", "1R", "delong")
    actual = bayes.out_of_fold.actual == 1
    twin = paired_delong(actual, bayes.out_of_fold.probabilities[:, 1], rule.out_of_fold.probabilities[:, 1])
    assert (found.p_value, found.interval) == (twin.p_value, twin.interval)
    assert found.difference == pytest.approx(float(bayes.auc) - float(rule.auc))


def test_five_by_two():
    comparison = crake.compare(load("breast-cancer"), learners=BOTH, plan=crake.CrossValidation(2, repeats=5))
    found = comparison.test("naive Bayes", "1R", "5x2cv")
    differences = right_by_fold(comparison["naive Bayes"]) - right_by_fold(comparison["1R"])
    assert found.p_value == pytest.approx(five_by_two_f(differences.reshape(5, 2)).p_value)
    assert comparison.test("naive Bayes", "1R").method.startswith("corrected resampled t test, 10 folds")
    with pytest.raises(CrakeError, match="McNemar's test counts rows"):
        comparison.test("naive Bayes", "1R", "mcnemar")
    with pytest.raises(CrakeError, match="DeLong's test ranks rows"):
        comparison.test("naive Bayes", "1R", "delong")


def test_costs():
    costs = crake.CostMatrix.of_errors(("benign", "malignant"), "malignant", false_positive=1, false_negative=10)
    comparison = crake.compare(load("breast-cancer"), learners=BOTH, cost=costs)
    found = comparison.test("naive Bayes", "majority class")
    assert found.method.endswith("; mean cost")
    assert found.difference > 0  # it costs less
    standing = next(each for each in comparison.standings if each.evaluation.name == "majority class")
    assert found.p_value == pytest.approx(standing.p_best, rel=1e-6)


def test_a_measure_without_a_value_in_a_fold_leaves_it_out():
    golf = load("golf")
    comparison = crake.compare(golf, learners=BOTH, plan=crake.CrossValidation(7))
    found = comparison.test("naive Bayes", "1R", "corrected-t", measure="auc")
    have_both = [len(set(part.out_of_fold.actual)) == 2 for part in comparison["1R"].by_fold()]
    assert found.method == f"corrected resampled t test, {sum(have_both)} folds; auc"
    with pytest.raises(UndefinedMeasure, match="has no value in any fold"):
        crake.compare(golf, learners=BOTH, plan=crake.LeaveOneOut()).test(
            "1R", "naive Bayes", "corrected-t", measure="auc"
        )


def test_what_cannot_be_compared_is_refused(comparison):
    table = load("breast-cancer")
    bayes = comparison["naive Bayes"]
    with pytest.raises(DataError, match="a paired test needs both on the same rows"):
        paired(bayes, crake.evaluate("1r", table.take(np.arange(500))))
    with pytest.raises(DataError, match="were tested in other folds"):
        paired(bayes, crake.evaluate("1r", table, plan=crake.CrossValidation(random_state=2)))
    for by, measure, said in [
        ("t", "accuracy", "by = 't'; expected one of 'mcnemar'"),
        ("5x2cv", "accuracy", r"needs crake.CrossValidation\(2, repeats=5\)"),
        ("mcnemar", "auc", "counts right answers"),
        ("delong", "f1", "DeLong's test is of AUC"),
        ("corrected-t", "gini", "there is no measure 'gini'. Measures: accuracy"),
        ("corrected-t", "mean_cost", "needs costs="),
        ("bayesian", "accuracy", "rope = -1"),
    ]:
        with pytest.raises(CrakeError, match=said):
            paired(bayes, comparison["1R"], by, measure=measure, rope=-1)
    with pytest.raises(CrakeError, match=r"there is no 'C4\.5' in this comparison"):
        comparison.test("naive Bayes", "C4.5")
    given = [crake.Evaluation.from_predictions(["a", "b"] * 9, labels) for labels in (["a"] * 18, ["a", "b"] * 9)]
    assert paired(*given).only_second == 9
    with pytest.raises(CrakeError, match="how many rows it learned from is not known"):
        paired(*given, "corrected-t")
    with pytest.raises(UndefinedMeasure, match="only answers are known"):
        paired(*given, "delong")


def test_a_test_that_is_named_has_its_own_measure_under_costs():
    comparison = crake.compare(load("breast-cancer"), learners=BOTH, cost=[[0, 1], [5, 0]])
    rule, bayes = comparison["1R"], comparison["naive Bayes"]
    assert comparison.test("1R", "naive Bayes", "delong") == paired(rule, bayes, "delong")
    assert comparison.test("1R", "naive Bayes", "mcnemar") == paired(rule, bayes, "mcnemar")
    with pytest.raises(CrakeError, match="'mean_cost'"):
        comparison.test("1R", "naive Bayes", "mcnemar", measure="mean_cost")
