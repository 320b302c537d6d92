"""The PRC areas WEKA 3.9.7 printed for its own predictions, from those predictions."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from crake.metrics.ranking.average_precision import weka_prc_area, weka_prc_area_weighted
from crake.metrics.ranking.ranking import rank_class

WEKA = Path(__file__).resolve().parents[3] / "shared" / "reference" / "weka"
SETS = sorted(path.name.removesuffix(".json.gz") for path in WEKA.glob("*.json.gz"))

if not SETS:
    pytest.skip("the folder shared/reference/weka is not beside the checkout", allow_module_level=True)


def predictions(name: str) -> dict[str, np.ndarray]:
    """Scheme → rows of actual, predicted, p0 … pk."""
    rows: dict[str, list[list[str]]] = {}
    with gzip.open(WEKA / f"{name}.cv.csv.gz", "rt", encoding="utf-8") as file:
        lines = csv.reader(file)
        next(lines)
        for row in lines:
            rows.setdefault(row[0], []).append(row[3:])
    return {scheme: np.array(found, dtype=float) for scheme, found in rows.items()}


@pytest.mark.parametrize("name", SETS)
def test_the_prc_areas_of_every_scheme_are_wekas(name: str) -> None:
    stored = json.loads(gzip.decompress((WEKA / f"{name}.json.gz").read_bytes()))["schemes"]
    checked = 0
    for scheme, rows in predictions(name).items():
        figures = stored[scheme]["cv"]
        if figures["unclassified"]:
            continue
        actual, P = rows[:, 0].astype(int), rows[:, 2:]
        assert weka_prc_area_weighted(actual, P).value == pytest.approx(figures["prc_weighted"], abs=1e-9), scheme
        for code, theirs in enumerate(figures["per_class"]):
            assert weka_prc_area(rank_class(actual, P, code)).value == pytest.approx(theirs["prc"], abs=1e-9), scheme
        checked += 1
    assert checked >= 40
