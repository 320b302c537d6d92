"""`score` counts right rows as scikit-learn does, and matches labels to classes as cells are matched to levels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score

import crake
from crake.table.examples import load


def test_the_share_is_that_of_scikit_learn() -> None:
    X, labels = load("golf").to_xy()
    weights = np.arange(1.0, 15.0)
    model = crake.OneRuleClassifier().fit(load("golf"))
    predicted = model.predict(X)
    assert model.score(X, labels) == accuracy_score(labels, predicted)
    assert model.score(X, labels, weights) == accuracy_score(labels, predicted, sample_weight=weights)
    assert model.score(X, np.full(14, "another label", object)) == 0


def test_a_label_is_the_class_that_is_equal_but_for_blanks() -> None:
    model = crake.MajorityClassifier().fit([["a"], ["b"], ["c"]], ["p", "p", "q"])
    assert model.score([["a"]] * 4, ["p ", " p", "q ", "p"]) == 0.75
    assert crake.MajorityClassifier().fit([["a"], ["b"]], ["1", "1"]).score([["a"]], [1]) == 1
    table = crake.read(pd.DataFrame({"x0": ["a", "b"], "y": ["p ", "q "]}), "y")
    assert float(crake.Evaluation.of_model(model, table).accuracy) == model.score([["a"], ["b"]], ["p ", "q "])


def test_a_missing_label_is_named() -> None:
    model = crake.MajorityClassifier().fit([["a"]], ["p"])
    with pytest.raises(crake.CrakeError, match="row 1 of y has no label; expected one for every row"):
        model.score([["a"], ["a"]], ["p", None])
