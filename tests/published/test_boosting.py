"""AdaBoost by hand: two worked examples of ten points whose figures are published.

Schapire and Freund (2012), Boosting: foundations and algorithms, section 1.2, and Schapire's tutorials: three
half-planes, none of which is right on the points that another has wrong. Their errors are 0.30, 0.21 and 0.14, their
weights 0.42, 0.65 and 0.92, and their vote makes no error. The book draws its points without numbers: those here are
our own, and as with those of the book each half-plane errs on three of them, which gives these figures. The other
example is that of a course hand-out, "AdaBoost Example": ten numbers on a line.
"""

from __future__ import annotations

import numpy as np
import pytest

import crake

PLANE = [[0.5, 0.5], [0.6, 0.8], [1.4, 2.5], [1.8, 2.2], [1.9, 2.7], [1.2, 0.6], [1.3, 0.9], [1.6, 0.4], [2.5, 3.0],
         [2.6, 0.7]]  # fmt: skip
SIGNS = ["+"] * 5 + ["-"] * 5


@pytest.mark.parametrize("variant", ["m1", "samme"])
def test_the_three_half_planes_of_freund_and_schapire(variant: str) -> None:
    model = crake.AdaBoostClassifier(n_estimators=3, variant=variant).fit(PLANE, SIGNS)
    np.testing.assert_allclose(model.estimator_errors_, [0.30, 0.21, 0.14], atol=0.005)
    np.testing.assert_allclose(model.estimator_weights_ / 2, [0.42, 0.65, 0.92], atol=0.005)  # α = ½·log((1 − ε)/ε)
    np.testing.assert_allclose(model.training_errors_, [0.3, 0.3, 0.0])
    rows = model._coded(PLANE)
    wrong = [member.predict(rows) != np.array(SIGNS) for member in model.estimators_]
    assert [int(each.sum()) for each in wrong] == [3, 3, 3]
    assert not (np.sum(wrong, axis=0) > 1).any()


def test_ten_numbers_on_a_line() -> None:
    x = np.arange(10.0)[:, None]
    y = [1, 1, 1, -1, -1, -1, 1, 1, 1, -1]
    model = crake.AdaBoostClassifier(n_estimators=3, variant="m1").fit(x, y)
    np.testing.assert_allclose(model.estimator_errors_, [0.3, 0.214, 0.1818], atol=5e-4)
    np.testing.assert_allclose(model.estimator_weights_ / 2, [0.423649, 0.6496, 0.7520], atol=5e-5)
    assert [stump.tree_.threshold[0] for stump in model.estimators_] == pytest.approx([2.5, 8.5, 5.5])
    assert model.training_errors_.tolist() == [0.3, 0.3, 0.0]
