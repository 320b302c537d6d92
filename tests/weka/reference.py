"""The stored results of WEKA 3.9.7: tables, folds, predictions, printed rules."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import crake

SHARED = Path(__file__).resolve().parents[3] / "shared"
WEKA = SHARED / "reference" / "weka"
SETS = sorted(path.name.removesuffix(".json.gz") for path in WEKA.glob("*.json.gz"))
ABSENT = "the folder shared/reference/weka is not beside the checkout"

SCHEMES: dict[str, Any] = {
    "ZeroR": crake.MajorityClassifier(prior="laplace"),
    "OneR": crake.OneRuleClassifier(min_bucket=6, probability="certain", unseen="first"),
    "OneR-B1": crake.OneRuleClassifier(min_bucket=1, probability="certain", unseen="first"),
    "NaiveBayes": crake.NaiveBayesClassifier(alpha=1, prior="laplace", precision="estimated", ddof=0, floor=1e-75),
    "NaiveBayes-K": crake.NaiveBayesClassifier(
        alpha=1, prior="laplace", numeric="kernel", precision="estimated", floor=1e-75
    ),
    "NaiveBayes-D": crake.NaiveBayesClassifier(alpha=1, prior="laplace", numeric="discretised", floor=1e-75),
}
BALANCED = "ClassBalancer+NaiveBayes"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Stored:
    """One table with all that WEKA said of it. Predictions by scheme: one row a row of the table, in its order."""

    table: crake.Table
    fold: NDArray[np.int64]
    schemes: dict[str, Any]
    full: dict[str, Floats]
    cv: dict[str, Floats]

    @property
    def plan(self) -> crake.GivenFolds:
        return crake.GivenFolds(self.fold)


@cache
def stored(name: str) -> Stored:
    facts = json.loads(gzip.decompress((WEKA / f"{name}.json.gz").read_bytes()))
    table = crake.read(SHARED / "data" / "arff" / f"{name}.arff", target=facts["class_attribute"])
    assert [str(label) for label in table.schema.classes] == facts["classes"]
    with (WEKA / "folds" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        fold = np.array([int(line["fold"]) for line in csv.DictReader(file)])
    schemes = [*SCHEMES, BALANCED]
    full, cv = (predictions(WEKA / f"{name}.{part}.csv.gz", schemes) for part in ("full", "cv"))
    return Stored(table, fold, facts["schemes"], full, cv)


def predictions(path: Path, schemes: Iterable[str]) -> dict[str, Floats]:
    """The class probabilities of each scheme that has them, rows ascending."""
    rows: dict[str, list[tuple[int, list[float]]]] = {scheme: [] for scheme in schemes}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        first = next(line := csv.reader(file)).index("p0")
        for cells in line:
            if cells[0] in rows:
                rows[cells[0]].append((int(cells[1]), [float(cell) for cell in cells[first:]]))
    return {scheme: np.array([p for _, p in sorted(found)]) for scheme, found in rows.items() if found}


def largest_difference(mine: Floats, its: Floats) -> float:
    """The largest difference of a class probability; an array of another shape is no agreement."""
    assert mine.shape == its.shape
    return float(np.abs(mine - its).max())


def printed_rule(text: str) -> tuple[str, list[str], list[str], int]:
    """OneR as printed: the attribute, the conditions, the classes they answer, the correct training rows."""
    head, *rules, total = text.rstrip("\n").split("\n")
    conditions, answers = zip(*(rule.strip().split("\t-> ") for rule in rules), strict=True)
    return head.removesuffix(":"), list(conditions), list(answers), int(total[1:].split("/")[0])
