"""C4.5 with reduced-error pruning: as a variant it is WEKA's J48 -R, tree for tree; with rows held out by chance it is
as good.
"""

from __future__ import annotations

import csv
import json
from typing import Any

import numpy as np
import pytest
from tests.weka.reference import SHARED, predictions
from tests.weka.trees.test_j48 import printed

import crake
from crake.learners.tree.showing.text import tree_text

WEKA36 = SHARED / "reference" / "weka36"
SETS = sorted(path.stem for path in WEKA36.glob("*.json"))

pytestmark = pytest.mark.skipif(not SETS, reason="the folder shared/reference/weka36 is not beside the checkout")


def facts(name: str) -> tuple[crake.Table, dict[str, Any], crake.GivenFolds]:
    reference = json.loads((WEKA36 / f"{name}.json").read_text())
    table = crake.read(SHARED / "data" / "arff" / f"{name}.arff", target=reference["class_attribute"])
    with (SHARED / "reference" / "weka" / "folds" / f"{name}.csv").open() as file:
        folds = crake.GivenFolds(np.array([int(line["fold"]) for line in csv.DictReader(file)]))
    return table, reference["schemes"]["J48-R"], folds


@pytest.mark.parametrize("name", SETS)
def test_the_trees_of_j48(name: str) -> None:
    table, its, folds = facts(name)
    learner = crake.C45Classifier(pruning="reduced-error", variant="j48")
    model = learner.fit(table)
    assert tree_text(model.tree_, table.schema, None).split("\n\n")[0].split("\n") == printed(its["model"])
    assert (model.n_leaves_, model.n_nodes_) == (its["leaves"], its["size"])
    on_all = predictions(WEKA36 / f"{name}.full.csv.gz", ["J48-R"])["J48-R"]
    np.testing.assert_allclose(model.predict_proba(table), on_all, atol=1e-6)
    on_folds = predictions(WEKA36 / f"{name}.cv.csv.gz", ["J48-R"])["J48-R"]
    tested = crake.evaluate(learner, table, plan=folds).out_of_fold
    np.testing.assert_allclose(tested.probabilities, on_folds, atol=1e-6)


@pytest.mark.parametrize("name", SETS)
def test_as_accurate_with_rows_held_out_by_chance(name: str) -> None:
    table, its, folds = facts(name)
    share = its["cv"]["pct_correct"] / 100
    mine = [
        float(
            crake.evaluate(crake.C45Classifier(pruning="reduced-error", random_state=seed), table, plan=folds).accuracy
        )
        for seed in (1, 2, 3)
    ]
    noise = np.sqrt(share * (1 - share) / len(table))
    assert abs(np.mean(mine) - share) < 3 * noise
