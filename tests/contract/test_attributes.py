"""Every fitted learner can be looked at: `dir`, `hasattr` on every name, `help` and `repr` never raise."""

from __future__ import annotations

import inspect
import pydoc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor
from tests.contract.estimators import REGRESSORS, VARIANTS, title

import crake
from crake.learners import registry
from crake.learners.base.completion import HOOKS, PARTS

DOCUMENTS = "".join(path.read_text() for path in (Path(__file__).parents[2] / "docs").rglob("*.md"))
NUMBERS = np.random.default_rng(0).normal(size=(40, 2)).round(2)


def look_at(model: Any) -> None:
    names = [*dir(model), *object.__dir__(model)]
    assert "fit" in names
    for name in {*names, *dir(type(model))}:
        hasattr(model, name)
    assert pydoc.render_doc(model)
    assert repr(model)


@pytest.mark.parametrize("learner", VARIANTS, ids=title)
def test_a_fitted_classifier_can_be_looked_at(learner: Any) -> None:
    look_at(clone(learner).fit(NUMBERS, np.where(NUMBERS[:, 0] + NUMBERS[::-1, 1] > 0, "yes", "no")))


@pytest.mark.parametrize("learner", REGRESSORS, ids=title)
def test_a_fitted_regressor_can_be_looked_at(learner: Any) -> None:
    look_at(clone(learner).fit(NUMBERS, NUMBERS[::-1, 1]))


def test_models_without_standard_errors_or_margins_can_be_looked_at() -> None:
    separated = crake.LogisticClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    saturated = crake.LinearRegressor().fit([[0.0], [1.0]], [1.0, 2.0])
    alone = crake.SVMClassifier().fit([[0.0], [1.0]], ["a", "a"])
    for model, name in ((separated, "standard_errors_"), (saturated, "standard_errors_"), (alone, "coef_")):
        look_at(model)
        assert not hasattr(model, name)
        with pytest.raises(crake.CrakeError, match=r"no standard errors|one class only"):
            getattr(model, name)


def test_a_row_of_a_frame_is_explained_by_its_names() -> None:
    frame = pd.DataFrame({"outlook": ["sun", "rain", "sun", "rain"], "degrees": [20.0, 10.0, 22.0, np.nan]})
    model = crake.NaiveBayesClassifier().fit(frame, ["out", "in", "out", "in"])
    for at in range(len(frame)):
        expected = model.explain(frame.iloc[[at]])
        assert str(model.explain(frame.iloc[at])) == str(expected)
        assert str(model.explain(frame.iloc[at][::-1])) == str(expected)


def is_documented(model: Any, name: str) -> bool:
    """A method or property says what it is in its docstring; a fitted attribute stands in the documents."""
    own = inspect.getattr_static(type(model), name, None)
    if own is not None and (inspect.getdoc(own) or "").strip():
        return True
    return f"`{name}`" in DOCUMENTS or name in (inspect.getdoc(type(model)) or "")


@pytest.mark.parametrize("make", registry.stored().values(), ids=lambda make: make.__name__)
def test_tab_completion_shows_documented_names_only(make: type[Any]) -> None:
    model = make()
    target = NUMBERS[::-1, 1] if is_regressor(model) else np.where(NUMBERS[:, 0] + NUMBERS[::-1, 1] > 0, "yes", "no")
    model.fit(NUMBERS, target)
    names = [name for name in dir(model) if not name.startswith("_")]
    assert {"fit", "get_params", *model.get_params(deep=False)} <= set(names)
    assert [name for name in names if not is_documented(model, name) and name not in model.get_params(deep=False)] == []
    assert not (HOOKS | PARTS) & set(names)
