"""Prism has exactly the rules of WEKA 3.6.14's Prism, and its predictions on all rows and on ten folds."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.weka.reference import ABSENT, SETS, SHARED, predictions, stored

import crake

WEKA36 = SHARED / "reference" / "weka36"
NAMES_ONLY = ("car", "contact-lenses", "weather.nominal")


def printed(model: str) -> list[str]:
    """WEKA's rules as crake writes them: conditions joined by "and", then the class."""
    body = model.split("----------\n", 1)[1].rstrip("\n").replace("\n   and ", " and ")
    return [line.removeprefix("If ").replace(" then ", " → ") for line in body.split("\n")]


@pytest.mark.skipif(not SETS, reason=ABSENT)
@pytest.mark.parametrize("name", NAMES_ONLY)
def test_the_same_rules_as_weka(name: str) -> None:
    reference = stored(name)
    weka = json.loads((WEKA36 / f"{name}.json").read_text("utf-8"))["schemes"]["Prism"]
    model = crake.PrismClassifier(probability="certain").fit(reference.table)
    assert [f"{rule.premise} → {rule.answer}" for rule in model.rules()] == printed(weka["model"])
    full, folds = (predictions(WEKA36 / f"{name}.{part}.csv.gz", ["Prism"])["Prism"] for part in ("full", "cv"))
    is_classified = full.sum(axis=1) > 0
    np.testing.assert_array_equal(model.apply(reference.table) > 0, is_classified)
    np.testing.assert_array_equal(model.predict_proba(reference.table)[is_classified], full[is_classified])
    tested = crake.evaluate(crake.PrismClassifier(probability="certain"), reference.table, plan=reference.plan)
    is_classified = folds.sum(axis=1) > 0  # WEKA leaves a row unclassified that no rule takes
    np.testing.assert_array_equal(tested.out_of_fold.probabilities[is_classified], folds[is_classified])
