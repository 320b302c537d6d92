"""ID3 grows the trees of WEKA 3.6.14's Id3, on its nominal tables without missing values.

A branch without rows is where they differ: WEKA leaves the row unclassified (all probabilities 0), crake answers the
class shares of the node above.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.weka.reference import SHARED, predictions

import crake
from crake.learners.tree.showing.text import tree_text

WEKA36 = SHARED / "reference" / "weka36"
SETS = ("car", "contact-lenses", "weather.nominal")

pytestmark = pytest.mark.skipif(
    not WEKA36.is_dir(), reason="the folder shared/reference/weka36 is not beside the checkout"
)


def facts(name: str) -> tuple[crake.Table, dict[str, Any]]:
    reference = json.loads((WEKA36 / f"{name}.json").read_text())
    return crake.read(SHARED / "data" / "arff" / f"{name}.arff", target=reference["class_attribute"]), reference


def lines(model: str) -> list[str]:
    """WEKA's print of Id3 has narrower indents, no rows, and "null" at branches without rows."""
    return [line.replace("|  ", "|   ") for line in model.split("\n") if " = " in line]


@pytest.mark.parametrize("name", SETS)
def test_the_same_tree(name: str) -> None:
    table, reference = facts(name)
    model = crake.ID3Classifier(numeric="refuse").fit(table)
    mine = tree_text(model.tree_, table.schema, None).split("\n\n")[0].split("\n")
    without_rows = [re.sub(r": .* \(0\)$", ": null", line) for line in mine]
    assert [re.sub(r" \([\d/.]+\)$", "", line) for line in without_rows] == lines(reference["schemes"]["Id3"]["model"])
    on_all = predictions(WEKA36 / f"{name}.full.csv.gz", ["Id3"])["Id3"]
    np.testing.assert_allclose(model.predict_proba(table), on_all, atol=1e-12)


@pytest.mark.parametrize("name", SETS)
def test_the_same_on_folds_but_for_branches_without_rows(name: str) -> None:
    table, _ = facts(name)
    its = predictions(WEKA36 / f"{name}.cv.csv.gz", ["Id3"])["Id3"]
    with Path(SHARED / "reference" / "weka" / "folds" / f"{name}.csv").open() as file:
        folds = crake.GivenFolds(np.array([int(line["fold"]) for line in csv.DictReader(file)]))
    mine = crake.evaluate(crake.ID3Classifier(), table, plan=folds).out_of_fold.probabilities
    classified = its.sum(axis=1) > 0
    assert classified.mean() > 0.9
    np.testing.assert_allclose(mine[classified], its[classified], atol=1e-12)
    np.testing.assert_allclose(mine.sum(axis=1), 1, atol=1e-12)
