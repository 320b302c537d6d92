"""A supplied test table: learned from the one, tested on the other."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import crake
from crake.errors import CrakeError, DataError
from crake.table.examples import load


@pytest.fixture(scope="module")
def halves():
    table = load("breast-cancer")
    return table.take(np.arange(0, len(table), 2)), table.take(np.arange(1, len(table), 2))


def test_it_is_fit_on_the_one_and_of_model_on_the_other(halves):
    training, test = halves
    found = crake.evaluate("c4.5", training, test=test)
    twin = crake.Evaluation.of_model(crake.C45Classifier().fit(training), test)
    assert np.array_equal(found.out_of_fold.probabilities, twin.out_of_fold.probabilities)
    assert found.out_of_fold.training_rows.tolist() == [len(training)]
    assert (
        found.plan == f"learned from {training.name} ({len(training)} rows), tested on {test.name} ({len(test)} rows)"
    )
    assert found.optimism > 0  # what is resubstituted are the rows learned from
    assert len(found.resubstitution.out_of_fold.rows) == len(training)


def test_the_rows_it_got_wrong_are_those_of_the_test_table(halves):
    training, test = halves
    wrong = crake.evaluate("naive-bayes", training, test=test).errors()
    first = test.take(wrong.rows[:1]).to_arrow().to_pylist()[0]
    assert wrong.table is test
    assert first[test.schema.target] == wrong.actual[0]


def test_classifiers_of_other_libraries_and_x_and_y(halves):
    training, test = halves
    (X, y), (X_test, y_test) = (table.to_xy() for table in halves)
    tree = crake.evaluate("c4.5", X, y, test=(X_test, y_test))
    assert tree.accuracy.value == crake.evaluate("c4.5", training, test=test).accuracy.value
    for learner in (GaussianNB(), KNeighborsClassifier()):
        expected = learner.fit(np.array(X.to_pandas()), y).score(np.array(X_test.to_pandas()), y_test)
        assert float(crake.evaluate(learner, training, test=test).accuracy) == pytest.approx(expected)
    given = crake.compare(np.array(X.to_pandas()), y, learners=["naive-bayes", GaussianNB()],
                          test=(np.array(X_test.to_pandas()), y_test))  # fmt: skip
    assert given["GaussianNB"].accuracy.value == pytest.approx(float(given["naive Bayes"].accuracy), abs=0.02)


def test_a_comparison_says_what_was_learned_from_and_what_was_tested(halves):
    training, test = halves
    comparison = crake.compare(training, learners=["majority", "1r", "naive-bayes"], test=test)
    text = " ".join(str(comparison).split())
    assert "rows: 285 learned from, 284 tested" in text
    assert "the same rows for every learner" in text
    assert 'crake.compare(table, learners=["naive-bayes", "1r", "majority"], test=test)' in text
    costs = crake.CostMatrix.of_errors(("benign", "malignant"), "malignant", false_positive=1, false_negative=10)
    by_cost = crake.compare(training, learners=["majority", "naive-bayes"], test=test, cost=costs)
    assert (
        by_cost.best.confusion.recall("malignant").value
        >= comparison["naive Bayes"].confusion.recall("malignant").value
    )


def test_a_class_that_was_not_learned_is_an_error_and_said(halves):
    training, test = halves
    one = np.flatnonzero(test.target >= 0)[:3]
    frame = test.to_arrow().to_pandas()
    frame[test.schema.target] = frame[test.schema.target].astype(object)
    frame.loc[one, test.schema.target] = "other"
    changed = crake.read(frame, target=test.schema.target)
    for learner in ("naive-bayes", GaussianNB()):
        found = crake.evaluate(learner, training, test=changed)
        assert found.classes == ("benign", "malignant", "other")
        assert any("3 rows have a" in note and "'other'" in note for note in found.notes)
        assert found.confusion.recall("other").value == 0


def test_test_table_options_that_do_not_go_together(halves):
    training, test = halves
    with pytest.raises(CrakeError, match="both a plan and a test table"):
        crake.evaluate("1r", training, test=test, plan=crake.Holdout())
    with pytest.raises(CrakeError, match="expected a Table, or a pair"):
        crake.compare(training, learners=["1r"], test="test.csv")
    with pytest.raises(CrakeError, match="columns are missing: mean radius"):
        crake.evaluate("1r", training, test=test.select(test.schema.names[5:]))
    with pytest.raises(CrakeError, match="a regressor predicts a number"):
        crake.evaluate(crake.CARTRegressor(), training, test=test)
    with pytest.raises(CrakeError, match="there is no class 'x' to call positive"):
        crake.evaluate(LogisticRegression(), training, test=test, positive="x")


def test_a_test_table_without_labels_is_refused_for_every_learner(halves):
    (X, y), (X_test, y_test) = (table.to_xy() for table in halves)
    nothing = np.full(len(y_test), None, dtype=object)
    for learner in ("1r", GaussianNB()):
        with pytest.raises(DataError, match="nothing to test on"):
            crake.evaluate(learner, X.to_pandas(), y, test=(X_test.to_pandas(), nothing))


def test_rows_of_weight_0_are_not_tested(halves):
    training, test = halves
    weights = np.ones(len(test))
    weights[::3] = 0
    expected = np.flatnonzero(weights)
    for learner in ("1r", GaussianNB()):
        found = crake.evaluate(learner, training, test=test.with_weights(weights))
        assert found.out_of_fold.rows.tolist() == expected.tolist()


def test_a_table_without_rows_is_refused(halves):
    model = crake.OneRuleClassifier().fit(halves[0])
    with pytest.raises(DataError, match="nothing to test on"):
        crake.Evaluation.of_model(model, halves[1].take(np.array([], int)))


def test_labels_that_are_all_unknown_are_refused_with_the_nearest_class(halves):
    training, test = halves
    frame = test.to_arrow().to_pandas()
    frame[test.schema.target] = frame[test.schema.target].astype(str) + "."
    changed = crake.read(frame, target=test.schema.target)
    with pytest.raises(crake.CrakeError, match=r"the first is 'benign\.'\. Did you mean 'benign'\?"):
        crake.compare(training, learners=["majority", "naive-bayes"], test=changed)
    with pytest.raises(crake.CrakeError, match=r"Did you mean 'benign'\?"):
        crake.evaluate("naive-bayes", training, test=changed)


def test_some_unknown_labels_are_a_warning_in_the_first_lines(halves):
    training, test = halves
    frame = test.to_arrow().to_pandas()
    frame[test.schema.target] = frame[test.schema.target].astype(object)
    frame.loc[[0, 1], test.schema.target] = "other"
    comparison = crake.compare(
        training, learners=["majority", "naive-bayes"], test=crake.read(frame, target=test.schema.target)
    )
    assert any("does not know ('other')" in warning for warning in comparison.warnings)
    assert not any("does not know" in note for note in comparison.notes)
    first = " ".join(str(comparison).split("\n\n")[0].split())
    assert first.endswith("Warning: 2 tested rows have a class that was not learned, counted as errors.")
    advice = {"class-never-found", "accuracy-of-majority"}  # no cutoff finds a class that was not learned
    assert not advice.intersection(check.code for check in comparison.checks())
    model = crake.NaiveBayesClassifier().fit(training)
    of_model = crake.Evaluation.of_model(model, crake.read(frame, target=test.schema.target))
    assert not advice.intersection(check.code for check in of_model.checks())
