"""MDL cuts of a million rows with 100,000 distinct values beside sorting them; kernel densities beside SciPy's."""

from __future__ import annotations

import numpy as np
from scipy.stats import gaussian_kde

from benchmarks.lines import HEADER, best_of, line
from crake import Discretizer, NaiveBayesClassifier
from crake.kernels.statistics.distinct import distinct_by_key
from crake.learners.discretize.cuts import mdl_cuts

ROWS, DISTINCT = 1_000_000, 100_000


def main() -> None:
    generator = np.random.default_rng(1)
    print(HEADER)
    for classes in (2, 5):
        values = generator.integers(0, DISTINCT, ROWS) / 7.0
        # Half of the rows follow the value, so that there is something to cut; the others are noise.
        near = (values / 1000).astype(np.int64) % classes
        target = np.where(generator.random(ROWS) < 0.5, near, generator.integers(0, classes, ROWS)).astype(np.int32)
        _cuts(values, target, classes)
    _whole(values, target)
    _density(generator)


def _cuts(values: np.ndarray, target: np.ndarray, classes: int) -> None:
    def ours() -> np.ndarray:
        return mdl_cuts(*distinct_by_key(values, target, classes), classes)

    found = len(ours())
    crake, argsort = best_of(5, ours, lambda: np.argsort(values))
    (sort,) = best_of(5, lambda: np.sort(values))
    work = f"MDL cuts, {classes} classes, {found} cuts"
    print(line(f"{work}, np.argsort", crake, argsort, crake / argsort, "≤ 2×"))
    print(line(f"{work}, np.sort", crake, sort, crake / sort, ""))


def _whole(values: np.ndarray, target: np.ndarray) -> None:
    X = values[:, None]
    model = Discretizer(output="codes")
    fit, argsort = best_of(3, lambda: model.fit(X, target), lambda: np.argsort(values))
    transform, _ = best_of(3, lambda: model.transform(X), lambda: None)
    print(line("Discretizer.fit(X, y), np.argsort", fit, argsort, fit / argsort, ""))
    print(line("Discretizer.transform(X) to codes, np.argsort", transform, argsort, transform / argsort, ""))


def _density(generator: np.random.Generator) -> None:
    X = generator.normal(size=(10_000, 1))
    y = np.zeros(len(X), np.int64)
    y[: len(X) // 2] = 1
    ours = NaiveBayesClassifier(numeric="kernel").fit(X, y)
    peer = [gaussian_kde(X[y == k, 0], bw_method=0.1) for k in (0, 1)]
    crake, scipy = best_of(2, lambda: ours.predict_proba(X), lambda: [kde(X[:, 0]) for kde in peer])
    print(line("kernel densities, 10k rows × 10k kernels, gaussian_kde", crake, scipy, scipy / crake, "faster"))
