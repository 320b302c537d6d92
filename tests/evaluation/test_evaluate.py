"""Evaluate and compare: the honest number is that of refitting by hand, on the same folds for every learner."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import crake
from crake.metrics.fold_mean import mean_of_defined
from crake.metrics.ranking.auc import auc
from crake.table.examples import load


def test_measures_beside_scikit_learn() -> None:
    cancer = load("breast-cancer")
    result = crake.evaluate(crake.NaiveBayesClassifier(), cancer)
    found = result.out_of_fold
    assert float(result.accuracy) == accuracy_score(found.actual, found.predicted)
    assert float(result.log_loss) == pytest.approx(log_loss(found.actual, found.probabilities), rel=1e-6)
    one = crake.evaluate(crake.NaiveBayesClassifier(), cancer, positive="malignant")
    code = cancer.schema.classes.index("malignant")
    assert float(one.auc) == pytest.approx(roc_auc_score(found.actual == code, found.probabilities[:, code]))
    assert float(one.recall) == pytest.approx(np.mean(found.predicted[found.actual == code] == code))


def test_a_foreign_learner_gets_the_same_folds() -> None:
    iris = load("iris")
    ours = crake.evaluate(crake.NaiveBayesClassifier(ddof=0, min_variance=0), iris)
    theirs = crake.evaluate(GaussianNB(var_smoothing=0), iris)
    np.testing.assert_array_equal(ours.out_of_fold.fold, theirs.out_of_fold.fold)
    np.testing.assert_allclose(ours.out_of_fold.probabilities, theirs.out_of_fold.probabilities, atol=1e-9)


def test_a_foreign_learner_without_probabilities_or_with_names() -> None:
    X, y = load("iris").to_xy()
    result = crake.evaluate(LinearSVC(), X.to_pandas(), y)
    assert result.answers == "scores"
    with pytest.raises(crake.CrakeError, match=r"the columns 'outlook', .* are nominal\..*make_pipeline"):
        crake.evaluate(LogisticRegression(), load("weather"))


def test_the_mean_auc_of_folds_speaks_of_the_positive_class() -> None:
    iris = load("iris")
    result = crake.evaluate(crake.NaiveBayesClassifier(), iris, positive="virginica")
    found = result.out_of_fold
    by_hand = mean_of_defined(
        auc(found.actual[rows], found.probabilities[rows], 2) for rows in (found.fold == k for k in range(10))
    )
    assert result.auc_by_fold.value == by_hand.value
    assert result.auc_by_fold.value != crake.evaluate(crake.NaiveBayesClassifier(), iris).auc_by_fold.value


def test_json_tells_the_pooled_auc_from_that_of_the_leaderboard() -> None:
    comparison = crake.compare("iris", learners=["naive-bayes", "majority"])
    best, shown = comparison.evaluations[0], comparison.leaderboard().entries[0].figures[1]
    document = comparison.to_dict()["learners"][0]
    assert document["measures"]["auc"]["value"] == best.auc.value
    assert document["auc_by_fold"]["value"] == best.auc_by_fold.value == shown.value
    # Folds of one row have no AUC: the leaderboard shows the pooled one.
    assert crake.evaluate("naive-bayes", "golf", plan=crake.LeaveOneOut()).to_dict()["auc_by_fold"] is None


def test_rows_of_unknown_class_are_left_out_and_counted() -> None:
    X = np.arange(40.0).reshape(20, 2)
    y = np.array(["a", "b"] * 10, dtype=object)
    y[[3, 8]] = None
    result = crake.evaluate(crake.OneRuleClassifier(), X, y)
    assert len(result.out_of_fold.rows) == 18
    assert any(note.startswith("2 rows without a known") for note in result.notes)


def test_the_learner_given_stays_unfitted() -> None:
    learner = crake.NaiveBayesClassifier()
    crake.evaluate(learner, load("iris"))
    assert not hasattr(learner, "classes_")
    with pytest.raises(ValueError, match="alpha"):
        crake.evaluate(crake.NaiveBayesClassifier(alpha=-1), load("iris"))


def test_every_plan_has_its_words_and_rows() -> None:
    iris = load("iris")
    for plan, tested in ((crake.CrossValidation(5), 150), (crake.Holdout(), 50), (crake.LeaveOneOut(), 150)):
        result = crake.evaluate("1r", iris, plan=plan)
        assert (result.plan, len(result.out_of_fold.rows)) == (plan.describe(), tested)


def test_progress_ends_at_the_number_of_folds() -> None:
    for learner in (crake.NaiveBayesClassifier(), crake.NaiveBayesClassifier(precision="estimated"), DummyClassifier()):
        seen: list[tuple[int, int]] = []
        crake.evaluate(learner, load("iris"), progress=lambda done, total, seen=seen: seen.append((done, total)))
        assert seen == [(k, 10) for k in range(1, 11)]


def test_a_comparison_uses_one_set_of_folds() -> None:
    comparison = crake.compare(load("wine"), learners=["majority", "1r", "naive-bayes", GaussianNB()])
    folds = [evaluation.out_of_fold.fold.tobytes() for evaluation in comparison.evaluations]
    assert len(set(folds)) == 1
    assert comparison.best.name in ("naive Bayes", "GaussianNB")
    assert comparison["majority class"].is_baseline
    json.dumps(comparison.to_dict(), allow_nan=False)
    again = crake.compare(load("wine"), learners=["naive-bayes"])
    alone = crake.evaluate("naive-bayes", load("wine"))
    np.testing.assert_array_equal(again["naive Bayes"].out_of_fold.probabilities, alone.out_of_fold.probabilities)


def test_seeds_draw_other_folds() -> None:
    one, other = (crake.compare(load("wine"), learners=["1r"], random_state=seed) for seed in (1, 2))
    assert (one["1R"].out_of_fold.fold != other["1R"].out_of_fold.fold).any()


def test_names_that_do_not_exist() -> None:
    with pytest.raises(crake.CrakeError, match="Did you mean 'naive-bayes'"):
        crake.evaluate("naive-byes", load("iris"))
    with pytest.raises(crake.CrakeError, match="no class 'maybe'"):
        crake.evaluate("1r", load("weather"), positive="maybe")
    with pytest.raises(crake.CrakeError, match="twice"):
        crake.compare(load("weather"), learners=["1r", "1r"])
    with pytest.raises(
        crake.CrakeError, match="expected labels, got none: name the column to predict, as in target='play'"
    ):
        crake.evaluate("1r", [[1.0], [2.0]])
    with pytest.raises(crake.CrakeError, match=r"a regressor predicts a number: take a classifier$"):
        crake.evaluate(crake.LinearRegressor(), load("golf"))
    numbers = crake.read(pa.table({"x": [1.5, 2.5, 3.5] * 9, "y": [1, 2, 3] * 9}), target="y")
    with pytest.raises(
        crake.CrakeError, match=r"take a classifier, or read it as numbers: --numeric y \(numeric=\['y'\]\)"
    ):
        crake.evaluate(crake.LinearRegressor(), numbers)


def test_learners_of_other_libraries_learn_from_weights_as_ours_do() -> None:
    iris = load("iris")
    heavy = iris.with_weights(np.where(iris.target == 2, 50.0, 1.0))
    plan = crake.CrossValidation(3)
    own, foreign = (crake.evaluate(x, heavy, plan=plan) for x in ("majority", DummyClassifier()))
    assert np.array_equal(own.out_of_fold.predicted, foreign.out_of_fold.predicted)
    assert set(foreign.out_of_fold.predicted.tolist()) == {2}
    with pytest.raises(crake.CrakeError, match=r"KNeighborsClassifier\.fit takes no sample_weight"):
        crake.evaluate(KNeighborsClassifier(), heavy)


def test_no_learners_are_not_all_learners() -> None:
    with pytest.raises(crake.CrakeError, match="learners is empty"):
        crake.compare(load("golf"), learners=[])
    assert len(crake.compare(load("golf"), learners=iter(["majority", "1r"])).evaluations) == 2


@pytest.mark.parametrize("learner", [crake.OneRuleClassifier, None, 3])
def test_what_is_no_learner_is_refused(learner: object) -> None:
    with pytest.raises(crake.CrakeError, match="expected a learner or a learner's name"):
        crake.evaluate(learner, load("golf"))
    with pytest.raises(crake.CrakeError, match="expected a learner or a learner's name"):
        crake.compare(load("golf"), learners=["majority", learner])


@pytest.mark.parametrize("plan", [5, crake.LeaveOneOut])
def test_what_is_no_plan_is_refused(plan: object) -> None:
    for refused in (
        lambda: crake.evaluate("1r", load("golf"), plan=plan),
        lambda: crake.compare(load("golf"), learners=["1r"], plan=plan),
        lambda: crake.learning_curve("1r", load("golf"), plan=plan),
    ):
        with pytest.raises(crake.CrakeError, match="expected a plan such as"):
            refused()


def test_rows_of_weight_0_keep_the_numbers_of_the_others() -> None:
    iris = load("iris")
    weights = np.ones(150)
    weights[[*range(10), 70]] = 0
    light = iris.with_weights(weights)
    for learner in ("naive-bayes", "c4.5", GaussianNB()):
        result = crake.evaluate(learner, light)
        assert result.rows.tolist() == np.flatnonzero(weights).tolist()
        assert result.actual.tolist() == iris.target[weights > 0].tolist()
        few = crake.evaluate(learner, iris.take(np.flatnonzero(weights)))
        np.testing.assert_allclose(result.probabilities, few.probabilities, atol=1e-12)
        wrong = result.errors()
        assert [iris.schema.classes[code] for code in iris.target[wrong.rows]] == list(wrong.actual)
        assert result.notes == ()
    assert not any("no value" in warning for warning in crake.compare(light, learners=["1r"]).warnings)


def test_given_folds_of_full_length_go_with_weights_of_0() -> None:
    iris = load("iris")
    weights, folds = np.ones(150), np.arange(150) % 5
    weights[:10] = 0
    result = crake.evaluate("naive-bayes", iris.with_weights(weights), plan=crake.GivenFolds(folds))
    assert result.rows.tolist() == list(range(10, 150))
    assert result.out_of_fold.fold.tolist() == folds[10:].tolist()
