"""The decision stump answers as WEKA's does: all tables, on all rows and on its ten folds, to the last bit."""

from __future__ import annotations

import pytest
from tests.weka.reference import ABSENT, SETS, WEKA, largest_difference, predictions, stored

import crake


@pytest.mark.skipif(not SETS, reason=ABSENT)
@pytest.mark.parametrize("name", SETS)
def test_the_same_distributions(name: str) -> None:
    reference = stored(name)
    on_all = predictions(WEKA / f"{name}.full.csv.gz", ["DecisionStump"])["DecisionStump"]
    on_folds = predictions(WEKA / f"{name}.cv.csv.gz", ["DecisionStump"])["DecisionStump"]
    model = crake.DecisionStump().fit(reference.table)
    assert largest_difference(model.predict_proba(reference.table), on_all) < 1e-12
    tested = crake.evaluate(crake.DecisionStump(), reference.table, plan=reference.plan).out_of_fold
    assert largest_difference(tested.probabilities, on_folds) < 1e-12


@pytest.mark.skipif(not SETS, reason=ABSENT)
@pytest.mark.parametrize("name", SETS)
def test_the_same_question(name: str) -> None:
    reference = stored(name)
    printed = reference.schemes["DecisionStump"]["model"].split("Classifications")[1].strip().split("\n")[0]
    mine = str(crake.DecisionStump().fit(reference.table)).split("\n")[0]
    its, mine = printed.split(" : ")[0], mine.split(":")[0]
    if " <= " not in its:
        assert mine == its
    else:
        (feature, cut), (my_feature, my_cut) = its.split(" <= "), mine.split(" <= ")
        assert (my_feature, float(my_cut)) == (feature, pytest.approx(float(cut), abs=1e-6))
