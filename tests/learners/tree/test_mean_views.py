"""A regression tree to look at: the hand calculation ends in predict, rules and importances are the tree's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.learners.tree.by_hand import assert_works_out, worked

import crake
from crake.learners.tree.regressor import CARTRegressor


def some_rows() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(5)
    size, age = rng.normal(size=200), rng.normal(size=200)
    colour = rng.choice(["red", "green", "blue"], 200)
    y = 3 * size + np.where(colour == "red", 5.0, 0.0) + rng.normal(size=200) / 10
    X = np.array(list(zip(size, colour, age, strict=True)), dtype=object)
    X[::9, 0] = np.nan
    X[::11, 1] = None
    return X, y


@pytest.mark.parametrize("missing", ["surrogate", "fractional", "branch"])
def test_the_answer_is_the_prediction_and_works_out(missing: str) -> None:
    X, y = some_rows()
    model = CARTRegressor(max_depth=4, missing=missing).fit(X, y)
    for i in range(0, 200, 9):
        workings = model.explain(X[i])
        assert float(workings) == model.predict(X[i : i + 1])[0]
        for step in workings.steps:
            assert_works_out(step)
        assert worked(workings.steps[-1].substitution) == pytest.approx(float(workings), rel=2e-3, abs=2e-3)
    with pytest.raises(crake.CrakeError, match="6 values; expected 3"):
        model.explain(X[:2])


def test_rules_and_importances() -> None:
    X, y = some_rows()
    model = CARTRegressor(max_depth=3, missing="fractional").fit(X, y)
    rules = model.rules()
    assert len(rules) == model.n_leaves_
    assert sum(rule.coverage * float(rule.answer) for rule in rules) == pytest.approx(y.sum())
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert np.argmax(model.feature_importances_) == 0
    described = str(model.describe())
    assert "root of the mean squared error on the 200 training rows" in described
    assert rules.grid().header[1] == "then answer"
    assert model.to_dot().count("->") == model.n_nodes_ - 1
    assert model.to_mermaid().count("-->") == model.n_nodes_ - 1
    assert "<details" in model._html_repr()
