"""The lectures' support vector machine and its picture: (0, 0) −, (2, 2) +, unscaled."""

from __future__ import annotations

import numpy as np
import pytest

import crake

X, Y = [[0, 0], [2, 2]], [-1, 1]


def test_the_widest_margin_of_two_points() -> None:
    """w = (½, ½), b = −1, width 2√2: the perpendicular bisector, and the distance of the points."""
    model = crake.SVMClassifier(margin="hard", scale=False, probability="votes").fit(X, Y)
    np.testing.assert_allclose(model.coef_, [[0.5, 0.5]], atol=1e-9)
    np.testing.assert_allclose(model.intercept_, [-1.0], atol=1e-9)
    assert model.margin_width_ == pytest.approx(2 * np.sqrt(2), abs=1e-9)
    np.testing.assert_allclose(model.decisions(X), [-1, 1], atol=1e-9)


def test_a_price_that_is_too_low_for_them_widens_the_margin() -> None:
    """The points need a = ¼ each; under C = 0.1 they stand inside: w = 0.1·(2, 2)."""
    model = crake.SVMClassifier(C=0.1, scale=False, probability="votes").fit(X, Y)
    np.testing.assert_allclose(model.coef_, [[0.2, 0.2]], atol=1e-9)
    assert model.margin_width_ == pytest.approx(2 / np.hypot(0.2, 0.2))
