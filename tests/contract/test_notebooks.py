"""In a notebook every model, evaluation and comparison shows itself, without scripts; hostile names stay text."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from tests.contract.estimators import CLASSIFIERS, REGRESSORS, title

import crake
from crake.table.examples import load

EVIL = "<script>alert(1)</script>"


@pytest.mark.parametrize("make", CLASSIFIERS, ids=lambda make: make.__name__)
def test_a_fitted_model_shows_itself(make: Any) -> None:
    rows = [[EVIL, 1.0], ["b", 2.0], [EVIL, 1.5], ["b", 2.5]] * 6
    X = np.array(rows, dtype=object)
    model = make().fit(X, np.array([EVIL, "no"] * 12))
    html = model._repr_html_()
    assert html == model._repr_mimebundle_()["text/html"]
    assert "<script" not in html
    assert make.__name__ in html
    assert "<svg" in html or "<details" in html  # drawn, or a tree to unfold
    assert re.search(r"x0|x1|&lt;script&gt;|no", re.sub(r"<[^>]*>", " ", html).replace(make.__name__, ""))


@pytest.mark.parametrize("estimator", REGRESSORS, ids=title)
def test_a_fitted_regressor_shows_itself(estimator: Any) -> None:
    model = clone(estimator).fit(np.arange(12.0).reshape(-1, 1), np.arange(12.0))
    assert "<script" not in model._repr_html_()
    assert type(model).__name__ in model._repr_html_()


def test_results_show_themselves() -> None:
    evaluation = crake.evaluate("naive-bayes", load("golf"))
    for shown, word in (
        (evaluation, "balanced accuracy"),
        (evaluation.explain("kappa"), "agreement beyond chance"),
        (crake.compare(load("golf"), learners=["majority", "1r"]), "majority"),
        (crake.NaiveBayesClassifier().fit(load("golf")).changes({"outlook": "Sunny"}), "What would change it"),
    ):
        html = re.sub(r"<script.*?</script>", "", shown._repr_html_(), flags=re.DOTALL)
        assert word in html


def test_a_model_that_is_not_fitted_shows_its_parameters() -> None:
    assert "alpha" in crake.NaiveBayesClassifier(alpha=0.5)._repr_html_()
