"""Levels of intervals and verdicts in simulation: how often the truth lies within, and how often noise is believed.

    python -m benchmarks levels            about ten minutes on two cores
    LEVELS_TABLES=2000 python -m benchmarks levels       # ten times as exact, and as long

Scores and labels are drawn directly, as if they were out-of-fold predictions. The truth is the measure of a million
rows. Noise tables have no column that says anything about the target; real learners are compared on them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtri

import crake
from crake.arrays import Floats
from crake.evaluation.comparison.criterion import BY_ACCURACY
from crake.evaluation.comparison.winner import winner_estimate
from crake.evaluation.result.classification import Evaluation
from crake.metrics import PredictedRows, PredictedValues
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.measures import CLASSIFICATION, REGRESSION

TABLES = int(os.environ.get("LEVELS_TABLES", "200"))
AGAIN = 10
"""A few of the 400 pairs of setting and measure are off by chance: new samples are drawn for those."""
MANY = 1_000_000
SIZES = (60, 150, 500, 2000)
LEARNERS = {
    "all 75 %": np.full(11, 0.75),
    "60 … 80 %": np.linspace(0.6, 0.8, 11),
    "one 90 %, ten 60 %": np.array([0.9] + [0.6] * 10),
}
"""True accuracies of eleven learners."""
ONE_CLASS = ("three_point_precision", "kolmogorov_smirnov", "lift")
"""Measures of a ranking that speak of one class."""


@dataclass(frozen=True)
class Setting:
    """Predictions to draw: their name, the rows of a sample, and the function that draws them."""

    name: str
    rows: int
    draw: Callable[[np.random.Generator, int], Any]


def two_classes(rng: np.random.Generator, n: int, share: float, slope: float) -> PredictedRows:
    """Normal scores 1.4 apart; probabilities are right at slope 1, too sure at 2.5."""
    y = rng.random(n) < share
    x = rng.standard_normal(n) + 1.4 * (y - 0.5)
    p = 1 / (1 + np.exp(-slope * (1.4 * x + np.log(share / (1 - share)))))
    return PredictedRows(("no", "yes"), y.astype(int), np.column_stack([1 - p, p]), positive="yes")


def three_classes(rng: np.random.Generator, n: int, slope: float) -> PredictedRows:
    """55, 30 and 15 % of the rows; a normal score per class, its own 1.6 higher."""
    shares = np.array([0.55, 0.3, 0.15])
    y = rng.choice(3, size=n, p=shares)
    x = rng.standard_normal((n, 3))
    x[np.arange(n), y] += 1.6
    odds = slope * (1.6 * x + np.log(shares))
    P = np.exp(odds - odds.max(axis=1, keepdims=True))
    return PredictedRows(("a", "b", "c"), y, P / P.sum(axis=1, keepdims=True))


def numbers(rng: np.random.Generator, n: int, heavy: bool) -> PredictedValues:
    """Errors that are normal, or Student's t with 5 degrees of freedom."""
    y = 2 * rng.standard_normal(n)
    return PredictedValues(y, y + (rng.standard_t(5, n) if heavy else rng.standard_normal(n)), np.ones(n))


def settings() -> Iterator[Setting]:
    """All settings: sizes, shares of the positive class, right and wrong probabilities, classes, regressors."""
    for n in SIZES:
        for slope, sure in ((1.0, "right"), (2.5, "too sure")):
            for share in (0.5, 0.15, 0.05) if n >= 500 else (0.5, 0.15):
                yield Setting(
                    f"2 classes, {100 * share:g} %, {sure}", n, partial(two_classes, share=share, slope=slope)
                )
            yield Setting(f"3 classes, {sure}", n, partial(three_classes, slope=slope))
        yield Setting("regression", n, partial(numbers, heavy=False))
        yield Setting("regression, heavy tails", n, partial(numbers, heavy=True))


def measures_for(sample: Any) -> list[Any]:
    """Return the measures of the registry that these predictions have, costs of 1 and 5 for the errors."""
    if isinstance(sample, PredictedValues):
        return list(REGRESSION)
    K = len(sample.classes)
    costs = np.ones((K, K)) - np.eye(K)
    costs[-1, :-1] = 5
    matrix = CostMatrix(sample.classes, costs)
    return [each.with_costs(matrix) for each in CLASSIFICATION if K == 2 or each.name not in ONE_CLASS]


def coverage(
    seed: int, setting: Setting, names: tuple[str, ...] = (), times: int = 1
) -> tuple[Setting, dict[str, list[bool]]]:
    """Return for each sample, of those that have the measure, whether its interval holds the truth.

    `names` are the measures, all by default; `times` draws more samples, other ones.
    """
    everything = setting.draw(np.random.default_rng(1), MANY)
    measures = [each for each in measures_for(everything) if not names or each.name in names]
    scale = {"total_cost": setting.rows / MANY}
    truth = {each.name: each.value(everything) * scale.get(each.name, 1.0) for each in measures}
    hits: dict[str, list[bool]] = {each.name: [] for each in measures}
    rng = np.random.default_rng(100 + seed + 1000 * (times > 1))
    for _ in range(times * (TABLES if setting.rows > 150 else 3 * TABLES)):
        sample = setting.draw(rng, setting.rows)
        for each in measures:
            interval = each.of(sample).interval
            if interval is not None:
                hits[each.name].append(interval[0] <= truth[each.name] <= interval[1])
    return setting, {name: found for name, found in hits.items() if found}


def _is_off(hits: list[bool]) -> bool:
    share = float(np.mean(hits))
    return not 0.93 - 2 * np.sqrt(0.93 * 0.07 / len(hits)) <= share <= 0.97 + 2 * np.sqrt(0.97 * 0.03 / len(hits))


def winners(rows: int, accuracies: Floats) -> tuple[float, float]:
    """Return how often the winner's true accuracy lies within its corrected interval, and within its own."""
    return coverage_of_winners(rows, accuracies, 0.5, 5 * TABLES)


def coverage_of_winners(rows: int, accuracies: Floats, alike: float, tables: int) -> tuple[float, float]:
    """Draw learners of these true accuracies, `alike` of whose variance is shared; see `winners.py`."""
    rng, corrected, plain = np.random.default_rng(3), 0, 0
    y = np.arange(rows) % 2
    for _ in range(tables):
        common = np.sqrt(alike) * rng.standard_normal((rows, 1))
        right = common + np.sqrt(1 - alike) * rng.standard_normal((rows, len(accuracies))) < ndtri(accuracies)
        best = int(np.argmax(right.sum(axis=0)))
        order = [best, *(k for k in range(len(accuracies)) if k != best)]
        learners = [Evaluation.from_predictions(y, np.where(right[:, k], y, 1 - y)) for k in order]
        estimate = winner_estimate(learners, BY_ACCURACY)
        for_all = learners[0].accuracy.interval
        assert estimate is not None and estimate.interval is not None and for_all is not None  # noqa: PT018
        corrected += estimate.interval[0] <= accuracies[best] <= estimate.interval[1]
        plain += for_all[0] <= accuracies[best] <= for_all[1]
    return corrected / tables, plain / tables


def noise(seed: int) -> tuple[bool, bool]:
    """Return whether a learner is called better than the majority on a table of noise: corrected, and by any test."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 3, (80, 4)), rng.standard_normal((80, 2))])
    y = rng.random(80) < 0.5
    names = ["majority", "1r", "naive-bayes", crake.C45Classifier(), crake.CARTClassifier(max_depth=2), "knn"]
    comparison = crake.compare(X, np.where(y, "yes", "no"), learners=names, plan=crake.CrossValidation(5))
    places = comparison.standings
    by_any = any(p.p_baseline is not None and p.p_baseline < 0.05 and p.is_above_baseline for p in places)
    return any(place.beats_baseline for place in places), by_any


def main() -> None:
    """Print the coverage of every measure (least and greatest over the settings), of winners, and of verdicts."""
    learners = [(words, n, accuracies) for n in SIZES[:3] for words, accuracies in LEARNERS.items()]
    with ProcessPoolExecutor() as pool:
        chosen = list(pool.map(winners, *zip(*((n, accuracies) for _, n, accuracies in learners), strict=True)))
        results = list(pool.map(coverage, *zip(*enumerate(settings()), strict=True)))
        falsely = list(pool.map(noise, range(10 * TABLES), chunksize=20))
    names = [each.name for each in (*CLASSIFICATION, *REGRESSION)]
    print(
        f"coverage of 95 % intervals in %, all settings together, {TABLES} samples each ({3 * TABLES} up to 150 rows)"
    )
    print("| measure | " + " | ".join(f"{n:,} rows" for n in SIZES) + " |")
    print("|---|" + "---|" * len(SIZES))
    for name in names:
        for heavy in (False, True):
            cells = []
            for n in SIZES:
                found = [
                    hit
                    for setting, hits in results
                    if setting.rows == n and ("heavy" in setting.name) == heavy
                    for hit in hits.get(name, ())
                ]
                cells.append(f"{100 * np.mean(found):.1f}" if found else "")
            if any(cells):
                print(f"| {name}{', heavy tails' if heavy else ''} | " + " | ".join(cells) + " |")
    print(f"\noutside 93 … 97 % by more than two standard errors, then on {AGAIN} times as many other samples:")
    for number, (setting, hits) in enumerate(results):
        off = tuple(name for name, found in hits.items() if _is_off(found))
        again = coverage(number, setting, off, AGAIN)[1] if off else {}
        texts = [f"{name} {100 * np.mean(hits[name]):.1f}, then {100 * np.mean(again[name]):.1f}" for name in off]
        print(f"  {setting.rows:,} rows, {setting.name}: {'; '.join(texts) or 'none'}")
    print("\nthe winner of 11 learners: corrected interval, its own interval")
    for (words, n, _), (corrected, plain) in zip(learners, chosen, strict=True):
        print(f"  {n} rows, {words}: {100 * corrected:.1f} %, {100 * plain:.1f} %")
    called = np.mean(falsely, axis=0)
    print(f"\n{len(falsely):,} tables of noise: a learner called better than the majority in {100 * called[0]:.1f} %,")
    print(f"without the correction in {100 * called[1]:.1f} %")
