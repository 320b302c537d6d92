"""A refused step leaves a model as it was."""

from __future__ import annotations

import numpy as np
import pytest

import crake
from crake.table.examples import load


def test_rows_of_other_columns_change_nothing() -> None:
    model = crake.NaiveBayesClassifier().partial_fit(load("golf"))
    before = dict(vars(model))
    with pytest.raises(crake.CrakeError, match="different columns"):
        model.partial_fit(load("iris"))
    assert {name: vars(model)[name] is value for name, value in before.items()} == dict.fromkeys(vars(model), True)


def test_a_class_that_the_prior_does_not_name_is_not_half_learned() -> None:
    model = crake.NaiveBayesClassifier(prior=[0.5, 0.5]).partial_fit([[1.0], [2.0], [3.0]], ["a", "b", "a"])
    model.partial_fit([[1.0], [2.0]], ["a", None])
    before = model.predict_proba([[1.5]])
    with pytest.raises(crake.CrakeError, match="prior has 2 numbers"):
        model.partial_fit([[1.0], [2.0], [4.0]], ["a", "c", None])
    assert model.classes_.tolist() == ["a", "b"]
    assert np.array_equal(model.predict_proba([[1.5]]), before)
    assert model.left_out_ == 1  # of the portion that was learned; the refused one is not counted


def test_rows_that_were_never_learned_are_not_forgotten_by_half() -> None:
    model = crake.NaiveBayesClassifier().fit([["a"], ["b"]], ["x", "y"])
    before = model.predict_proba([["a"]])
    with pytest.raises(crake.CrakeError):
        model.forget([["c"], ["c"]], ["x", None])
    assert np.array_equal(model.predict_proba([["a"]]), before)
    assert model.left_out_ == 0
