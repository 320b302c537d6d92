"""The confusion matrices of the lecture notes, counted from rows."""

from __future__ import annotations

import numpy as np
import pytest

from crake.metrics.confusion.matrix import ConfusionMatrix, confusion_matrix
from crake.metrics.ranking.auc import auc


def counted(TP: int, FN: int, FP: int, TN: int) -> ConfusionMatrix:
    """The matrix of so many rows of each outcome; class 0 is yes, class 1 is no."""
    actual = np.repeat([0, 0, 1, 1], [TP, FN, FP, TN])
    predicted = np.repeat([0, 1, 0, 1], [TP, FN, FP, TN])
    return confusion_matrix(actual, predicted, ("yes", "no"))


GOLF = counted(6954, 46, 412, 2588)
CANCER = counted(90, 210, 140, 9560)


def test_golf() -> None:
    assert f"{GOLF.accuracy:.2%}" == "95.42%"
    assert GOLF.actual_totals.tolist() == [7000, 3000]
    assert GOLF.predicted_totals.tolist() == [7366, 2634]
    assert str(GOLF).splitlines() == [
        "actual \\ predicted      yes       no  total  recognised",
        "yes                    6954       46   7000     99.34 %",
        "no                      412     2588   3000     86.27 %",
        "total                  7366     2634  10000     95.42 %",
        "precision           94.41 %  98.25 %",
    ]


def test_cancer() -> None:
    assert f"{CANCER.recall('yes'):.2%}" == "30.00%"
    assert f"{CANCER.specificity('yes'):.2%}" == "98.56%"
    assert f"{CANCER.accuracy:.2%}" == "96.50%"
    assert f"{CANCER.error:.2%}" == "3.50%"
    assert f"{CANCER.precision('yes'):.2%}" == "39.13%"
    assert f"{CANCER.f('yes'):.2%}" == "33.96%"
    assert f"{CANCER.prevalence('yes'):.2%}" == "3.00%"


@pytest.mark.parametrize("matrix", [GOLF, CANCER])
def test_accuracy_is_sensitivity_and_specificity_weighted_by_prevalence(matrix: ConfusionMatrix) -> None:
    positive, negative = float(matrix.prevalence("yes")), float(matrix.prevalence("no"))
    identity = float(matrix.recall("yes")) * positive + float(matrix.specificity("yes")) * negative
    assert float(matrix.accuracy) == pytest.approx(identity, abs=1e-15)


def test_f_beta_is_the_weighted_harmonic_mean() -> None:
    """F_β = (β² + 1)PR / (β²P + R) = 1 / (α/P + (1 − α)/R), α = 1 / (β² + 1)."""
    P, R = float(CANCER.precision("yes")), float(CANCER.recall("yes"))
    for beta in (0.5, 1, 2):
        alpha = 1 / (beta**2 + 1)
        assert float(CANCER.f("yes", beta)) == pytest.approx((beta**2 + 1) * P * R / (beta**2 * P + R), abs=1e-15)
        assert float(CANCER.f("yes", beta)) == pytest.approx(1 / (alpha / P + (1 - alpha) / R), abs=1e-15)


def test_always_answering_no_is_accurate_and_useless() -> None:
    useless = counted(0, 10, 0, 9990)
    assert f"{useless.accuracy:.1%}" == "99.9%"
    assert useless.accuracy.value == useless.prevalence("no").value
    assert useless.recall("yes").value == 0
    assert useless.precision("yes").reason == "no row was called 'yes'"
    assert useless.f("yes").value == 0
    assert useless.macro("recall").value == 0.5
    actual = np.repeat([0, 1], [10, 9990])
    assert auc(actual, np.tile([0.001, 0.999], (10000, 1)), positive=0).value == 0.5
