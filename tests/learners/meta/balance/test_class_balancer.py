"""Balanced with class weights answers as WEKA's ClassBalancer before J48 and NaiveBayes, on all rows and on folds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.weka.reference import ABSENT, SCHEMES, SETS, WEKA, largest_difference, predictions, stored

import crake

LEARNERS = {
    "ClassBalancer+J48": crake.C45Classifier(variant="j48"),
    "ClassBalancer+NaiveBayes": SCHEMES["NaiveBayes"],
}


def balanced(learner: Any, table: crake.Table) -> crake.Balanced:
    """WEKA divides the whole weight by all declared classes, also those without rows."""
    rows = np.bincount(table.target, minlength=len(table.schema.classes))
    weights = {
        label: len(table) / (len(rows) * count)
        for label, count in zip(table.schema.classes, rows, strict=True)
        if count
    }
    sampler = crake.Weights() if rows.all() else crake.Weights(weights)
    return crake.Balanced(learner, sampler, correct_prior=False).fit(table)


@pytest.mark.skipif(not SETS, reason=ABSENT)
@pytest.mark.parametrize("name", SETS)
def test_the_same_distributions(name: str) -> None:
    its = stored(name)
    full, cv = (predictions(WEKA / f"{name}.{part}.csv.gz", LEARNERS) for part in ("full", "cv"))
    for scheme, learner in LEARNERS.items():
        assert largest_difference(balanced(learner, its.table).predict_proba(its.table), full[scheme]) < 1e-6, scheme
        for fold in np.unique(its.fold)[::3]:
            tested = np.flatnonzero(its.fold == fold)
            model = balanced(learner, its.table.take(np.flatnonzero(its.fold != fold)))
            found = model.predict_proba(its.table.take(tested))
            assert largest_difference(found, cv[scheme][tested]) < 1e-6, (scheme, fold)
