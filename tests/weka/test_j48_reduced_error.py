"""C4.5 with reduced-error pruning is as good as WEKA's J48 -R; which rows are held out is Java's chance there."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from tests.weka.reference import SHARED

import crake

WEKA36 = SHARED / "reference" / "weka36"
SETS = sorted(path.stem for path in WEKA36.glob("*.json"))


@pytest.mark.skipif(not SETS, reason="the folder shared/reference/weka36 is not beside the checkout")
@pytest.mark.parametrize("name", SETS)
def test_as_accurate_on_the_same_folds(name: str) -> None:
    reference = json.loads((WEKA36 / f"{name}.json").read_text())
    its = reference["schemes"]["J48-R"]["cv"]["pct_correct"] / 100
    table = crake.read(SHARED / "data" / "arff" / f"{name}.arff", target=reference["class_attribute"])
    with (SHARED / "reference" / "weka" / "folds" / f"{name}.csv").open() as file:
        folds = crake.GivenFolds(np.array([int(line["fold"]) for line in csv.DictReader(file)]))
    mine = [
        float(
            crake.evaluate(crake.C45Classifier(pruning="reduced-error", random_state=seed), table, plan=folds).accuracy
        )
        for seed in (1, 2, 3)
    ]
    noise = np.sqrt(its * (1 - its) / len(table))
    assert abs(np.mean(mine) - its) < 3 * noise
