"""C4.5 grows, collapses, prunes and raises exactly the trees of WEKA's J48: text, size, distributions, folds."""

from __future__ import annotations

import csv
import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crake
from crake.learners.tree.algorithms.c45 import C45Classifier
from crake.learners.tree.showing.text import tree_text

SETS = (
    "breast-cancer", "car", "contact-lenses", "credit-g", "diabetes", "glass", "hypothyroid", "iris", "labor", "vote",
    "weather.nominal", "weather.numeric",
)  # fmt: skip
SCHEMES: dict[str, dict[str, Any]] = {
    "J48": {},
    "J48-U": {"pruning": None},
    "J48-B": {"binary": True},
    "J48-S": {"raising": False},
    "J48-A": {"laplace": True},
    "J48-J": {"correction": False},
    "J48-U-O-M1-J": {"pruning": None, "collapse": False, "min_samples_leaf": 1, "correction": False},
    "J48-C0.1-M5": {"confidence": 0.1, "min_samples_leaf": 5},
}


LARGE = 1000
"""Rows above which the folds of J48 and of its unpruned trees stand for those of all schemes: ten trees each."""


def distributions(path: Path, classes: int) -> dict[str, np.ndarray]:
    found: dict[str, list[tuple[int, list[float]]]] = {}
    with gzip.open(path, "rt") as file:
        for line in csv.reader(file):
            if line[0] in SCHEMES:
                found.setdefault(line[0], []).append((int(line[1]), [float(p) for p in line[-classes:]]))
    return {scheme: np.array([p for _, p in sorted(rows)]) for scheme, rows in found.items()}


def printed(model: str) -> list[str]:
    """WEKA's tree with whole numbers written without their decimal: (3.0/1.0) as (3/1)."""
    body = re.split(r"\nNumber of Leaves", model.split("------------------", 1)[1])[0].strip("\n ")
    return [re.sub(r"(?<=[(/])(\d+)\.0(?=[/)])", r"\1", line.rstrip()) for line in body.split("\n")]


@pytest.mark.parametrize("name", SETS)
def test_the_same_trees_as_j48(shared: Path, name: str) -> None:
    weka = shared / "reference" / "weka"
    with gzip.open(weka / f"{name}.json.gz") as file:
        reference = json.load(file)
    table = crake.read(shared / "data" / "arff" / f"{name}.arff", target=reference["class_attribute"])
    classes = len(table.schema.classes)
    on_all = distributions(weka / f"{name}.full.csv.gz", classes)
    on_folds = distributions(weka / f"{name}.cv.csv.gz", classes)
    with (weka / "folds" / f"{name}.csv").open() as file:
        folds = crake.GivenFolds(np.array([int(line["fold"]) for line in csv.DictReader(file)]))
    for scheme, parameters in SCHEMES.items():
        expected = reference["schemes"][scheme]
        model = C45Classifier(variant="j48", **parameters).fit(table)
        assert (model.n_leaves_, model.n_nodes_) == (expected["leaves"], expected["size"]), scheme
        assert np.abs(model.predict_proba(table) - on_all[scheme]).max() < 1e-6, scheme
        if scheme != "J48-B":  # there WEKA prints thresholds with all their digits
            assert tree_text(model.tree_, table.schema, None).split("\n\n")[0].split("\n") == printed(expected["model"])
        if len(table) > LARGE and scheme not in ("J48", "J48-U"):
            continue  # ten smaller tables have the folds of every scheme
        tested = crake.evaluate(C45Classifier(variant="j48", **parameters), table, plan=folds).out_of_fold
        assert np.abs(tested.probabilities - on_folds[scheme]).max() < 1e-6, scheme
