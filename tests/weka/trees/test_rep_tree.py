"""REPTree answers as WEKA's does, pruned or not: twelve tables, on all rows and on ten folds."""

from __future__ import annotations

import numpy as np
import pytest
from tests.weka.reference import ABSENT, SETS, WEKA, largest_difference, predictions, stored

import crake

SCHEMES = {"REPTree": crake.REPTreeClassifier(), "REPTree-P": crake.REPTreeClassifier(pruning=None)}


@pytest.mark.skipif(not SETS, reason=ABSENT)
@pytest.mark.parametrize("name", SETS)
def test_the_same_distributions(name: str) -> None:
    reference = stored(name)
    table, fold = reference.table, reference.fold
    on_all = predictions(WEKA / f"{name}.full.csv.gz", SCHEMES)
    on_folds = predictions(WEKA / f"{name}.cv.csv.gz", SCHEMES)
    for scheme, learner in SCHEMES.items():
        model = learner.fit(table)
        assert model.n_nodes_ == reference.schemes[scheme]["nodes"]
        assert largest_difference(model.predict_proba(table), on_all[scheme]) < 1e-9
        for each in np.unique(fold):
            tested = np.flatnonzero(fold == each)
            found = learner.fit(table.take(np.flatnonzero(fold != each))).predict_proba(table.take(tested))
            assert largest_difference(found, on_folds[scheme][tested]) < 1e-9, (scheme, each)
