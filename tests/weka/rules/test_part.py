"""PART has exactly the lists of WEKA's PART: text, class probabilities on all rows and on ten folds."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.weka.reference import ABSENT, SETS, WEKA, predictions, stored

import crake
from crake.learners.rules.text import rule_text


def printed(model: str) -> list[str]:
    """WEKA's rules as crake prints them: one line each, whole numbers without their decimal."""
    body = model.split("------------------\n\n", 1)[1].split("\n\nNumber of Rules", maxsplit=1)[0]
    lines = [rule.replace(" AND\n", " and ") for rule in body.split("\n\n")]
    lines = [re.sub(r"(?<=[(/])(\d+)\.0(?=[/)])", r"\1", line) for line in lines]
    return [re.sub(r"^ → ", "otherwise → ", re.sub(r"^(.*): (.*)$", r"\1 → \2", line)) for line in lines]


@pytest.mark.skipif(not SETS, reason=ABSENT)
@pytest.mark.parametrize("name", SETS)
def test_the_same_lists_as_weka(name: str) -> None:
    reference = stored(name)
    model = crake.PARTClassifier(variant="weka").fit(reference.table)
    assert [rule_text(rule) for rule in model.rules()] == printed(reference.schemes["PART"]["model"])
    full, folds = (predictions(WEKA / f"{name}.{part}.csv.gz", ["PART"])["PART"] for part in ("full", "cv"))
    assert np.abs(model.predict_proba(reference.table) - full).max() < 1e-6
    tested = crake.evaluate(crake.PARTClassifier(variant="weka"), reference.table, plan=reference.plan)
    assert np.abs(tested.out_of_fold.probabilities - folds).max() < 1e-6
