"""Predicting by masks of leaves: the same bits as walking down the trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.learners.ensemble.boosting.test_rounds import NUMBERS, THREE, TWO, X, mixed

import crake
from crake.learners.ensemble.boosting import masks, predicting
from crake.learners.tree.predicting.routing import Cases


def by_masks_and_by_walking(model: Any, table: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    cases = Cases.of(model._coded(table))
    assert masks.masks_of(model.trees_, len(model.base_), cases.layout) is not None
    answers = []
    for rows in (None, np.arange(len(cases))[::-3]):
        monkeypatch.setattr(predicting, "MANY_ROWS", 10**9)
        walked = predicting.scores(model.trees_, model.base_, cases, rows)
        monkeypatch.setattr(predicting, "MANY_ROWS", 1)
        answers.append((predicting.scores(model.trees_, model.base_, cases, rows), walked))
    assert np.array_equal(*answers[1])
    return answers[0]


@pytest.mark.parametrize("y", [TWO, THREE, NUMBERS], ids=["two", "three", "numbers"])
def test_masks_find_the_leaves_of_numbers(y: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """37 rounds are more than the 32 trees of a group; thresholds themselves and gaps are among the cells."""
    learner = crake.BoostedTreesRegressor if y is NUMBERS else crake.BoostedTreesClassifier
    model = learner(37, max_leaf_nodes=32, min_samples_leaf=3).fit(X, y)
    assert model.trees_.leaves.max() == 32
    cells = X.copy()
    cells[:50, 0] = model.trees_.threshold[model.trees_.feature == 0][:50]
    np.testing.assert_array_equal(*by_masks_and_by_walking(model, cells, monkeypatch))


def test_masks_find_the_leaves_of_names(monkeypatch: pytest.MonkeyPatch) -> None:
    model = crake.BoostedTreesClassifier(9, min_samples_leaf=2).fit(mixed())
    new = pd.DataFrame({"x0": [0.1, np.nan, 0.3], "x1": ["never seen", None, "b"], "x2": [0.2, 1.0, np.nan]})
    np.testing.assert_array_equal(*by_masks_and_by_walking(model, mixed(), monkeypatch))
    np.testing.assert_array_equal(*by_masks_and_by_walking(model, new, monkeypatch))


def test_larger_trees_are_walked() -> None:
    model = crake.BoostedTreesRegressor(2, max_leaf_nodes=40, min_samples_leaf=1).fit(X, NUMBERS)
    assert masks.masks_of(model.trees_, 1, Cases.of(model._coded(X)).layout) is None
