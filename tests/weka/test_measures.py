"""Every figure WEKA printed for its own predictions, all schemes and tables, from those predictions."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.csv
import pytest
from numpy.typing import NDArray
from tests.weka.reference import ABSENT, SHARED

from crake.metrics.confusion.matrix import ConfusionMatrix, confusion_matrix
from crake.metrics.estimate import Estimate
from crake.metrics.probability.log_loss import log_loss
from crake.metrics.probability.weka_errors import (
    probability_mae,
    probability_rmse,
    relative_probability_mae,
    relative_probability_rmse,
)
from crake.metrics.ranking.auc import auc_weighted

Floats = NDArray[np.float64]
FOLDERS = [SHARED / "reference" / name for name in ("weka", "weka36")]
RESULTS = sorted(path for folder in FOLDERS for path in folder.glob("*.json*"))
SMALLEST_FLOAT = 2.0**-1074

if not RESULTS:
    pytest.skip(ABSENT, allow_module_level=True)


class Stored(NamedTuple):
    """One scheme on one table: WEKA's figures and the rows they were made of."""

    where: str
    figures: dict[str, Any]
    classes: tuple[str, ...]
    actual: NDArray[np.int64]
    predicted: NDArray[np.int64]
    P: Floats

    @property
    def answered(self) -> NDArray[np.bool_]:
        """WEKA leaves rows unclassified to which a scheme gives no probability at all."""
        given: NDArray[np.bool_] = self.P.sum(axis=1) > 0
        return given

    @property
    def never_called(self) -> float | None:
        """The precision of a class that nothing was called: none, but 0 in WEKA 3.6, and so is its F."""
        return 0 if self.where.startswith("weka36") else None


def stored(path: Path) -> Iterator[Stored]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    facts = json.loads(text)
    name = path.name.split(".json")[0]
    for part in ("full", "cv"):
        table = pyarrow.csv.read_csv(path.parent / f"{name}.{part}.csv.gz")
        columns = {column: table[column].to_numpy() for column in table.column_names}
        P = np.column_stack([columns[f"p{c}"] for c in range(len(facts["classes"]))])
        for scheme, found in facts["schemes"].items():
            rows = columns["scheme"] == scheme
            if part in found and rows.any():
                where = f"{path.parent.name}, {name}, {scheme}, {part}"
                given = (columns["actual"][rows], columns["pred"][rows], P[rows])
                yield Stored(where, found[part], tuple(facts["classes"]), *given)


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: f"{path.parent.name}-{path.name.split('.json')[0]}")
def test_every_figure_is_wekas(path: Path) -> None:
    checked = 0
    for one in stored(path):
        rows = one.answered
        assert len(rows) == one.figures["n"], one.where
        assert (~rows).sum() == one.figures["unclassified"], one.where
        matrix = confusion_matrix(one.actual[rows], one.predicted[rows], one.classes)
        check_matrix(one, matrix)
        check_classes(one, matrix)
        check_probabilities(one)
        checked += 1
    assert checked >= 6


@pytest.mark.parametrize("name", ["adult-nm", "ReutersCorn"])
def test_a_test_table_of_its_own(name: str) -> None:
    """Stored with 12 digits: enough for all but the ranking of nearly equal scores and the log of tiny ones."""
    folder = SHARED / "reference" / "traintest"
    facts = json.loads((folder / f"{name}.json").read_bytes())
    table = pyarrow.csv.read_csv(folder / f"{name}.test.csv.gz")
    columns = {column: table[column].to_numpy() for column in table.column_names}
    P = np.column_stack([columns[f"p{c}"] for c in range(len(facts["classes"]))])
    for scheme, found in facts["schemes"].items():
        rows = columns["scheme"] == scheme
        given = (columns["actual"][rows], columns["pred"][rows], P[rows])
        one = Stored(f"traintest, {name}, {scheme}", found["test"], tuple(facts["classes"]), *given)
        matrix = confusion_matrix(one.actual, one.predicted, one.classes)
        check_matrix(one, matrix)
        check_classes(one, matrix)
        same(one, "mae", probability_mae(one.actual, one.P))
        same(one, "rmse", probability_rmse(one.actual, one.P))


def check_matrix(one: Stored, matrix: ConfusionMatrix) -> None:
    assert matrix.counts.tolist() == one.figures["confusion"], one.where
    same(one, "correct", matrix.accuracy, matrix.total)
    # WEKA's share is of all rows, also of those it left unclassified.
    same(one, "pct_correct", matrix.accuracy, 100 * matrix.total / one.figures["n"])
    if matrix.kappa.is_defined:
        same(one, "kappa", matrix.kappa)
    else:
        assert one.figures["kappa"] == 1, one.where
    if "mcc_weighted" in one.figures:
        same(one, "mcc_weighted", matrix.weighted("mcc"))
    # F of a class that was never called: WEKA has none, the form on counts 0.
    if matrix.weighted("precision").is_defined or one.never_called == 0:
        same(one, "f_weighted", matrix.weighted("f"))
    else:
        assert one.figures["f_weighted"] is None, one.where


def check_classes(one: Stored, matrix: ConfusionMatrix) -> None:
    for label, theirs in zip(one.classes, one.figures["per_class"], strict=True):
        if matrix.recall(label).is_defined:
            close(one, theirs["tpr"], matrix.recall(label))
        close(one, None if theirs["fpr"] is None else 1 - theirs["fpr"], matrix.specificity(label))
        if matrix.precision(label).is_defined:
            close(one, theirs["precision"], matrix.precision(label))
        else:
            assert theirs["precision"] == one.never_called, one.where
        if matrix.precision(label).is_defined and matrix.recall(label).is_defined:
            close(one, theirs["f"], matrix.f(label))
        if "mcc" in theirs:
            close(one, theirs["mcc"], matrix.against_rest(label).mcc)


def check_probabilities(one: Stored) -> None:
    actual, P = one.actual[one.answered], one.P[one.answered]
    prior = np.bincount(one.actual, minlength=len(one.classes)) + 1
    prior = prior / prior.sum()
    same(one, "mae", probability_mae(actual, P))
    same(one, "rmse", probability_rmse(actual, P))
    if one.answered.all():
        same(one, "rae_pct", relative_probability_mae(actual, P, prior), 100)
        same(one, "rrse_pct", relative_probability_rmse(actual, P, prior), 100)
        same(one, "auc_weighted", auc_weighted(actual, P))
        same(one, "logloss_nat_clip1e15", log_loss(actual, P, smallest=1e-15))
        bits = log_loss(actual, P, smallest=SMALLEST_FLOAT)
        same(one, "sf_mean_scheme_entropy_bits", bits, 1 / math.log(2))


def same(one: Stored, name: str, found: Estimate, scale: float = 1) -> None:
    close(one, one.figures[name], found, scale, name)


def close(one: Stored, theirs: float | None, found: Estimate, scale: float = 1, name: str = "") -> None:
    if theirs is None:
        assert not found.is_defined, f"{one.where} {name}"
    else:
        assert scale * float(found) == pytest.approx(theirs, abs=1e-9, rel=1e-9), f"{one.where} {name}"
