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
