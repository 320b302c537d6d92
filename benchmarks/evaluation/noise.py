"""Tables of noise: how often a learner or a column is believed, and how good the best of many looks, by AUC.

    nice -n 10 python -m benchmarks noise                   some minutes of two processors
    NOISE_TABLES=2000 python -m benchmarks noise

`levels.py` does the same for accuracy. Here classes are rare, so that AUC ranks by default. A learner may be
called better than the majority class on 5 % of the tables of noise, and a column may be said to tell more than chance
on 5 %. The winner of eleven learners of known AUC must lie within its corrected interval in 95 % of the cases.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product

import numpy as np
import pyarrow as pa
from scipy.special import ndtri

import crake
from crake.arrays import Floats
from crake.evaluation.columns.relations import relations_of
from crake.evaluation.comparison.influence import ByAUC
from crake.evaluation.comparison.winner import winner_estimate
from crake.evaluation.result.classification import Evaluation

TABLES = int(os.environ.get("NOISE_TABLES", "200"))
AREAS = {
    "all 0.75": np.full(11, 0.75),
    "0.6 … 0.85": np.linspace(0.6, 0.85, 11),
    "one 0.9, ten 0.65": np.array([0.9] + [0.65] * 10),
}
"""True AUCs of eleven learners."""
SHARES = (0.1, 0.4)


def believed(seed: int, rows: int, share: float) -> tuple[bool, bool]:
    """Return whether a learner is called better than the majority class by AUC: corrected, and by any single test."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 3, (rows, 4)), rng.standard_normal((rows, 2))])
    y = np.where(rng.permutation(rows) < share * rows, "yes", "no")
    learners = ["majority", "1r", "naive-bayes", crake.C45Classifier(), crake.CARTClassifier(max_depth=2), "knn"]
    comparison = crake.compare(X, y, learners=learners, plan=crake.CrossValidation(5))
    assert comparison.criterion.of.name == "auc"
    places = comparison.standings
    by_any = any(p.p_baseline is not None and p.p_baseline < 0.05 and p.is_above_baseline for p in places)
    return any(place.beats_baseline for place in places), by_any


def winner(seed: int, rows: int, share: float, areas: Floats, alike: float = 0.5) -> tuple[bool, bool]:
    """Return whether the true AUC of the best of several rankings lies within its corrected interval, and its own.

    Scores are normal, those of the class √2·Φ⁻¹(A) higher; `alike` is the shared part of their variance.
    """
    rng = np.random.default_rng(seed)
    y = np.arange(rows) < share * rows
    common = np.sqrt(alike) * rng.standard_normal((rows, 1))
    scores = common + np.sqrt(1 - alike) * rng.standard_normal((rows, len(areas)))
    scores += np.sqrt(2) * ndtri(areas) * y[:, None]
    by = ByAUC()
    learners = [Evaluation.from_scores(y.astype(int), s, name=str(k)) for k, s in enumerate(scores.T)]
    ranked = sorted(learners, key=lambda each: -by.rank(each))
    truth = areas[int(ranked[0].name)]
    estimate, own = winner_estimate(ranked, by), by.measure(ranked[0]).interval
    assert estimate is not None
    assert estimate.interval is not None
    assert own is not None
    low, high = estimate.interval
    return low <= truth <= high, own[0] <= truth <= own[1]


def related(seed: int, rows: int, share: float) -> tuple[bool, bool]:
    """Return whether a column of noise is said to tell more than chance, of classes and of a numeric target."""
    rng = np.random.default_rng(seed)
    columns: dict[str, object] = {f"n{k}": rng.standard_normal(rows) for k in range(4)}
    columns |= {f"c{k}": rng.integers(0, 2 + 3 * k, rows).astype(str) for k in range(3)}
    columns["skew"] = np.exp(2 * rng.standard_normal(rows))
    columns["gaps"] = np.where(rng.random(rows) < 0.3, np.nan, rng.standard_normal(rows))
    y = np.where(rng.permutation(rows) < share * rows, "yes", "no")
    targets = {"y": y, "z": np.exp(rng.standard_normal(rows))}
    tables = (crake.read(pa.table({**columns, name: target}), target=name) for name, target in targets.items())
    found = [relations_of(table) for table in tables]
    return tuple(each is not None and each.beyond_chance > 0 for each in found)  # type: ignore[return-value]


def main() -> None:
    """Print the shares."""
    with ProcessPoolExecutor() as pool:

        def share_of(function: Callable[[int], tuple[bool, bool]]) -> str:
            one, other = np.mean(list(pool.map(function, range(TABLES), chunksize=10)), axis=0)
            return f"{100 * one:.1f} %, {100 * other:.1f} %"

        print(
            f"a learner called better than the majority class by AUC, {TABLES} tables of noise: corrected, by any test"
        )
        for rows, share in ((100, 0.15), (300, 0.05), (300, 0.15)):
            found = share_of(partial(believed, rows=rows, share=share))
            print(f"  {rows} rows, {100 * share:g} % of the class: {found}", flush=True)
        print("the best of 11 rankings: its AUC within the corrected interval, within its own")
        for (words, areas), rows, share in product(AREAS.items(), (150, 500), SHARES):
            found = share_of(partial(winner, rows=rows, share=share, areas=areas))
            print(f"  {words}, {rows} rows, {100 * share:g} %: {found}", flush=True)
        print("nine columns of noise, one of them said to tell more than chance: of two classes, of a number")
        for rows, share in ((60, 0.5), (60, 0.1), (300, 0.1), (2000, 0.5)):
            found = share_of(partial(related, rows=rows, share=share))
            print(f"  {rows} rows, {100 * share:g} %: {found}", flush=True)
