"""Figures of WEKA 3.9.7 on tables that come with crake, so that they are checked wherever the tests run.

Source: WEKA 3.9.7's own output for weather.nominal.arff and iris.arff of its data folder, fitted on all rows and on
the ten folds below. Its iris is the UCI file, which differs from Fisher's (and scikit-learn's) in rows 34 and 37.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_iris
from tests.weka.reference import SCHEMES

import crake

UCI_ROWS = {34: (4.9, 3.1, 1.5, 0.1), 37: (4.9, 3.1, 1.5, 0.1)}

FOLD = (
    "36067785935089916175149009343524142380765122788264"
    "90164362478575807136510832995014079866334795822412"
    "65206477109356740521359631801692894385772488314209"
)

CONFUSION = {
    "ZeroR": [[50, 0, 0], [50, 0, 0], [50, 0, 0]],
    "OneR": [[50, 0, 0], [0, 46, 4], [0, 7, 43]],
    "NaiveBayes": [[50, 0, 0], [0, 48, 2], [0, 4, 46]],
}

FOLD_CORRECT = {
    "OneR": [14, 14, 15, 15, 14, 14, 14, 12, 14, 13],
    "NaiveBayes": [15, 14, 15, 15, 14, 14, 15, 14, 15, 13],
}

IRIS_ROWS = {
    0: (1.0, 1.0004145150504925e-17, 1.3763093007062924e-25),
    50: (2.1287855363561172e-156, 0.9005087982445842, 0.09949120175541581),
    70: (2.3017308406925743e-151, 0.09100398990536089, 0.9089960100946392),
    119: (2.90226965510103e-153, 0.9534263602850575, 0.046573639714942626),
    133: (2.945018565907133e-153, 0.7957746712016791, 0.20422532879832098),
}

WEATHER_YES = [
    0.29575339512826043, 0.15252918287937745, 0.7368223194865874, 0.5544302390778355, 0.8672448901270075,
    0.7368223194865874, 0.9130353767934624, 0.41173999159714303, 0.7860790990047145, 0.844814209486479,
    0.5675425243232511, 0.6666439917009626, 0.9245211819701042, 0.34780294124170974,
]  # fmt: skip


def iris() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    X, y = load_iris(return_X_y=True)
    for row, values in UCI_ROWS.items():
        X[row] = values
    return X, y


@pytest.mark.parametrize("scheme", CONFUSION)
def test_iris_on_the_folds(scheme: str) -> None:
    fold = np.array([int(digit) for digit in FOLD])
    found = crake.evaluate(SCHEMES[scheme], *iris(), plan=crake.GivenFolds(fold))
    assert found.confusion.counts.tolist() == CONFUSION[scheme]
    if scheme in FOLD_CORRECT:
        assert np.bincount(fold, weights=found.correct).tolist() == FOLD_CORRECT[scheme]


def test_naive_bayes_on_iris_row_by_row() -> None:
    X, y = iris()
    found = SCHEMES["NaiveBayes"].fit(X, y).predict_proba(X)
    for row, expected in IRIS_ROWS.items():
        # Relative: the 1e-156 must agree too, it comes through the floor of 1e-75.
        assert found[row] == pytest.approx(expected, rel=1e-11)


def test_one_rule_on_iris() -> None:
    """petalwidth: < 0.8 → setosa, < 1.75 → versicolor, else virginica; 144 of 150 right."""
    model = SCHEMES["OneR"].fit(crake.read("iris"))
    assert model.attribute_ == "petal width (cm)"
    assert model.rule_.cuts.tolist() == [0.8, 1.75]
    assert model.rule_.answers.tolist() == [0, 1, 2]
    assert model.rule_.errors == 6


def test_weather() -> None:
    table = crake.read("weather")
    yes = table.schema.classes.index("Yes")
    assert SCHEMES["NaiveBayes"].fit(table).predict_proba(table)[:, yes] == pytest.approx(WEATHER_YES, rel=1e-14)
    assert SCHEMES["ZeroR"].fit(table).predict_proba(table)[0, yes] == 0.625
    assert SCHEMES["OneR"].fit(table).attribute_ == "outlook"
