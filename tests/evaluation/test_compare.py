"""`compare(X, y)` reads X for each learner as that learner asks."""

from __future__ import annotations

import numpy as np

import crake


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
