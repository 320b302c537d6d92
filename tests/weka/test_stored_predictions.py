"""The figures WEKA 3.9.7 printed for its own predictions, from those predictions."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crake.metrics.confusion.matrix import ConfusionMatrix, confusion_matrix
from crake.metrics.probability.log_loss import log_loss
from crake.metrics.ranking.auc import auc, auc_weighted

WEKA = Path(__file__).resolve().parents[3] / "shared" / "reference" / "weka"
SETS = sorted(path.name.removesuffix(".json.gz") for path in WEKA.glob("*.json.gz"))
SCHEMES = ("ZeroR", "OneR", "J48", "NaiveBayes", "IBk-5", "Logistic")

if not SETS:
    pytest.skip("the folder shared/reference/weka is not beside the checkout", allow_module_level=True)


def predictions(name: str) -> dict[str, np.ndarray]:
    """Scheme → rows of actual, predicted, p0 … pk."""
    rows: dict[str, list[list[str]]] = {scheme: [] for scheme in SCHEMES}
    with gzip.open(WEKA / f"{name}.cv.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.reader(file):
            if row[0] in rows:
                rows[row[0]].append(row[3:])
    return {scheme: np.array(lines, dtype=float) for scheme, lines in rows.items() if lines}


@pytest.mark.parametrize("name", SETS)
def test_the_measures_are_wekas(name: str) -> None:
    stored = json.loads(gzip.decompress((WEKA / f"{name}.json.gz").read_bytes()))
    checked = 0
    for scheme, rows in predictions(name).items():
        figures = stored["schemes"][scheme]["cv"]
        actual, predicted = rows[:, 0].astype(int), rows[:, 1].astype(int)
        if figures["unclassified"]:
            continue
        matrix = confusion_matrix(actual, predicted, stored["classes"])
        assert matrix.counts.tolist() == figures["confusion"]
        check_confusion(matrix, figures)
        check_probabilities(actual, rows[:, 2:], figures)
        checked += 1
    assert checked >= 4


def check_confusion(matrix: ConfusionMatrix, figures: dict[str, Any]) -> None:
    assert 100 * float(matrix.accuracy) == pytest.approx(figures["pct_correct"], abs=1e-10)
    for label, theirs in zip(matrix.labels, figures["per_class"], strict=True):
        assert matrix.precision(label).value == pytest.approx(theirs["precision"], abs=1e-12)
        if matrix.recall(label).is_defined:
            assert matrix.recall(label).value == pytest.approx(theirs["tpr"], abs=1e-12)
        # F of a class that was never called: WEKA has none, the form on counts 0.
        if theirs["f"] is not None and matrix.f(label).is_defined:
            assert matrix.f(label).value == pytest.approx(theirs["f"], abs=1e-12)
    if figures["f_weighted"] is not None:
        assert matrix.weighted("f").value == pytest.approx(figures["f_weighted"], abs=1e-12)
    else:
        assert not matrix.weighted("precision").is_defined


def check_probabilities(actual: np.ndarray, P: np.ndarray, figures: dict[str, Any]) -> None:
    assert auc_weighted(actual, P).value == pytest.approx(figures["auc_weighted"], abs=1e-12)
    for code, theirs in enumerate(figures["per_class"]):
        assert auc(actual, P, positive=code).value == pytest.approx(theirs["auc"], abs=1e-12)
    # The stored loss was cut at 1e-15, ours at 2^-52: equal where no row falls below both.
    if P[np.arange(len(actual)), actual].min() > 1e-15:
        assert log_loss(actual, P).value == pytest.approx(figures["logloss_nat_clip1e15"], rel=1e-9)
