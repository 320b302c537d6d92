"""Trees that grow together are, to the bit, the trees that grow alone."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from tests.learners.ensemble.bagging.test_learner import gappy

from crake.learners.ensemble.bagging.learner import BaggingClassifier
from crake.learners.tree.algorithms.c45 import C45Classifier
from crake.learners.tree.algorithms.cart import CARTClassifier
from crake.learners.tree.algorithms.cart_regressor import CARTRegressor
from crake.learners.tree.algorithms.id3 import ID3Classifier
from crake.learners.tree.growing.training_rows import Training

SEEDS = [7, 2**31 - 1, 0, 7, 12]


@pytest.mark.parametrize("features", [None, 1, "sqrt"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_together_as_alone(features: object, criterion: str) -> None:
    table = gappy()
    (batch,) = table.batches()
    settings = {"max_features": features, "max_surrogates": 0, "max_depth": 6}
    if criterion == "squared_error":
        y = np.sin(np.arange(len(table)))
        training, make = Training.of_numbers(table, y), CARTRegressor(**settings)
    else:
        training, make = Training.of(table.schema, batch), CARTClassifier(criterion, **settings)
    rng = np.random.default_rng(3)
    bags = rng.multinomial(len(table), np.full(len(table), 1 / len(table)), len(SEEDS)).astype(float)
    together = make.grown_together(training.with_shared_lists(len(SEEDS)), bags, SEEDS)
    for tree, bag, seed in zip(together, bags, SEEDS, strict=True):
        alone = make.set_params(random_state=seed)._unpruned(training.with_weights(bag))
        assert len(alone) > 5
        assert len(tree.surrogates) == len(alone.surrogates) == 0
        for name in (each.name for each in fields(alone) if each.name != "surrogates"):
            mine, its = getattr(tree, name), getattr(alone, name)
            assert mine.dtype == its.dtype
            np.testing.assert_array_equal(mine, its, err_msg=name)


@pytest.mark.parametrize(
    "learner", [C45Classifier(), C45Classifier(variant="j48", pruning=None), ID3Classifier()], ids=repr
)
def test_bags_of_other_trees_are_those_of_trees_grown_alone(learner: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing values divide rows among the branches."""
    table = gappy()
    together = BaggingClassifier(learner, n_estimators=4).fit(table)
    monkeypatch.setattr("crake.learners.ensemble.members.trees_at_once", lambda *_: 1)
    alone = BaggingClassifier(learner, n_estimators=4).fit(table)
    assert [str(member) for member in together.estimators_] == [str(member) for member in alone.estimators_]
    np.testing.assert_array_equal(together.predict_proba(table), alone.predict_proba(table))
    assert len({str(member) for member in alone.estimators_}) > 1


@pytest.mark.parametrize(
    "settings", [{}, {"max_surrogates": 0, "ccp_alpha": 0.1}, {"max_surrogates": 0, "min_weight_fraction_leaf": 0.1}]
)
def test_what_more_than_rows_and_seed_decides_about_grows_alone(settings: dict[str, float]) -> None:
    (batch,) = gappy().batches()
    training = Training.of(gappy().schema, batch)
    assert CARTClassifier(max_surrogates=0).grows_alike(training)
    assert not CARTClassifier(**settings).grows_alike(training)
