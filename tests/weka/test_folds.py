"""Folds of another program: WEKA's, as they were written down."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from crake.plans import GivenFolds

FOLDS = sorted((Path(__file__).resolve().parents[3] / "shared" / "reference" / "weka" / "folds").glob("*.csv"))

if not FOLDS:
    pytest.skip("the folder shared/reference/weka/folds is not beside the checkout", allow_module_level=True)


@pytest.mark.parametrize("path", FOLDS, ids=lambda path: path.stem)
def test_they_are_taken_as_they_are(path: Path) -> None:
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    labels = sorted({line["class"] for line in lines})
    fold = [int(line["fold"]) for line in lines]
    assignment = GivenFolds(fold).assign([labels.index(line["class"]) for line in lines], labels)
    assert assignment.folds == 10
    assert assignment.fold.tolist() == fold
    assert sum(len(test) for _, test in assignment.splits()) == len(lines)
    assert all(np.isin(test, training).sum() == 0 for training, test in assignment.splits())
