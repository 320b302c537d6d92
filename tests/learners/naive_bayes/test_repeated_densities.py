"""Kernel densities of values that are met again are worked out once, and are the same to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import crake
from crake.learners.naive_bayes import kernel_density


@pytest.mark.parametrize("settings", [{}, {"floor": 1e-3}, {"precision": "estimated"}])
def test_repeated_values(settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 9, (300, 4)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 3] = 7.0
    y = rng.integers(0, 3, 300)
    model = crake.NaiveBayesClassifier(numeric="kernel", **settings).fit(X, y)
    monkeypatch.setattr(kernel_density, "BLOCK", 128)
    once = model.predict_proba(X)
    monkeypatch.setattr(kernel_density, "FEW", 10**9)  # never looked for
    assert np.array_equal(once, model.predict_proba(X))


def test_values_that_are_not_met_again_are_left_to_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(4).normal(size=(200, 3))
    model = crake.NaiveBayesClassifier(numeric="kernel").fit(X, X[:, 0] > 0)
    monkeypatch.setattr(kernel_density, "_each_once", lambda values: pytest.fail("sorted for nothing"))
    model.predict_proba(X)
