"""TAN and AODE answer as WEKA's BayesNet (3.9.7) and AODE (3.6.14) do: on all rows and on ten folds from one pass."""

from __future__ import annotations

import pytest
from tests.weka.reference import ABSENT, SETS, SHARED, WEKA, largest_difference, predictions, stored

import crake

WEKA36 = SHARED / "reference" / "weka36"
TAN = {
    "BayesNet-TAN": crake.TANClassifier(criterion="bayes", missing="mode"),
    "BayesNet-TAN-ENTROPY": crake.TANClassifier(criterion="entropy", missing="mode"),
}
NOMINAL = ("breast-cancer", "car", "contact-lenses", "vote", "weather.nominal")


@pytest.mark.skipif(not SETS, reason=ABSENT)
@pytest.mark.parametrize("name", SETS)
def test_tan_has_the_same_distributions(name: str) -> None:
    reference = stored(name)
    on_all = predictions(WEKA / f"{name}.full.csv.gz", TAN)
    on_folds = predictions(WEKA / f"{name}.cv.csv.gz", TAN)
    for scheme, learner in TAN.items():
        found = learner.fit(reference.table).predict_proba(reference.table)
        assert largest_difference(found, on_all[scheme]) < 1e-13
        folds = crake.evaluate(learner, reference.table, plan=reference.plan).out_of_fold.probabilities
        assert largest_difference(folds, on_folds[scheme]) < 1e-13


@pytest.mark.skipif(not SETS, reason=ABSENT)
@pytest.mark.parametrize("name", NOMINAL)
def test_aode_has_the_same_distributions(name: str) -> None:
    reference, learner = stored(name), crake.AODEClassifier()
    (on_all,) = predictions(WEKA36 / f"{name}.full.csv.gz", ["AODE"]).values()
    (on_folds,) = predictions(WEKA36 / f"{name}.cv.csv.gz", ["AODE"]).values()
    assert largest_difference(learner.fit(reference.table).predict_proba(reference.table), on_all) < 1e-13
    folds = crake.evaluate(learner, reference.table, plan=reference.plan).out_of_fold.probabilities
    assert largest_difference(folds, on_folds) < 1e-13
