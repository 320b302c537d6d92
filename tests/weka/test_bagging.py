"""Bagging answers as WEKA's with its generator: REPTree, J48 and 50 unpruned J48, on all rows and on folds of some."""

from __future__ import annotations

import numpy as np
import pytest
from tests.weka.reference import ABSENT, SETS, WEKA, largest_difference, predictions, stored

import crake

J48 = crake.C45Classifier(variant="j48")
SCHEMES = {
    "Bagging-REPTree": crake.BaggingClassifier(crake.REPTreeClassifier(), generator="weka", oob_score=False),
    "Bagging-J48": crake.BaggingClassifier(J48, generator="weka", oob_score=False),
    "Bagging-J48-U-50": crake.BaggingClassifier(
        crake.C45Classifier(variant="j48", pruning=None), n_estimators=50, generator="weka", oob_score=False
    ),
}
ON_FOLDS = ("iris", "labor", "weather.numeric")
SMALL = ("glass", "iris", "labor", "vote", "weather.nominal", "weather.numeric")
"""Tables on which J48 is tested; on the others it agrees too, in seconds."""


@pytest.mark.skipif(not SETS, reason=ABSENT)
@pytest.mark.parametrize("name", SETS)
def test_the_same_distributions_on_all_rows(name: str) -> None:
    table = stored(name).table
    on_all = predictions(WEKA / f"{name}.full.csv.gz", SCHEMES)
    for scheme, learner in SCHEMES.items():
        if name not in SMALL and scheme != "Bagging-REPTree":
            continue
        found = learner.fit(table).predict_proba(table)
        assert largest_difference(found, on_all[scheme]) < 1e-9, scheme


@pytest.mark.skipif(not SETS, reason=ABSENT)
@pytest.mark.parametrize("name", ON_FOLDS)
@pytest.mark.parametrize("scheme", ["Bagging-REPTree", "Bagging-J48"])
def test_the_same_distributions_on_folds(name: str, scheme: str) -> None:
    reference = stored(name)
    table, fold = reference.table, reference.fold
    on_folds = predictions(WEKA / f"{name}.cv.csv.gz", [scheme])[scheme]
    for each in np.unique(fold):
        tested = np.flatnonzero(fold == each)
        found = SCHEMES[scheme].fit(table.take(np.flatnonzero(fold != each))).predict_proba(table.take(tested))
        assert largest_difference(found, on_folds[tested]) < 1e-9, each
