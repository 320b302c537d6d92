"""Ensembles beside scikit-learn on the same rows in one run, in CPU seconds of one process.

scikit-learn runs with n_jobs=1: with more, its bags run in other processes, whose CPU seconds are not seen.
crake's trees run in threads of this process, and their CPU seconds are added up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

import crake
from benchmarks.lines import HEADER, line

ROWS, TREES = 100_000, 20


def made(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(rows, 20)).astype(np.float32).astype(float)
    signal = X[:, :10].sum(axis=1) + 2 * np.sin(2 * X[:, 0]) * X[:, 1]
    return X, (signal + 2 * generator.normal(size=rows) > 0).astype(np.int64)


def main() -> None:
    (X, y), (other, other_y) = made(ROWS, 1), made(20_000, 2)
    stump = crake.DecisionStump("gini")
    for warm in (crake.BaggingClassifier(crake.CARTClassifier()), crake.ForestClassifier(2)):
        warm.fit(X[:1000], y[:1000])
    crake.AdaBoostClassifier(stump, n_estimators=2).fit(X[:1000], y[:1000])
    print(HEADER)
    pairs: list[tuple[str, Any, Any, str]] = [
        (
            "bagging, 10 full trees",
            crake.BaggingClassifier(crake.CARTClassifier(), n_estimators=10, oob_score=False),
            BaggingClassifier(DecisionTreeClassifier(), n_estimators=10, random_state=1),
            "≥ 7× faster",
        ),
        (
            f"forest, {TREES} full trees",
            crake.ForestClassifier(TREES, oob_score=False),
            RandomForestClassifier(TREES, random_state=1),
            "≥ 3.3× faster",
        ),
        (
            "AdaBoost, 50 stumps",
            crake.AdaBoostClassifier(stump, n_estimators=50),
            AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=50, random_state=1),
            "≥ 25× faster",
        ),
    ]
    for words, mine, peer, bar in pairs:
        ours, theirs = (_cpu(lambda model=model: model.fit(X, y)) for model in (mine, peer))
        print(line(f"{words}, scikit-learn", ours, theirs, theirs / ours, bar))
        scores = [roc_auc_score(other_y, model.predict_proba(other)[:, 1]) for model in (mine, peer)]
        accuracies = [model.score(other, other_y) for model in (mine, peer)]
        print(f"    AUC {scores[0]:.4f} and {scores[1]:.4f}, accuracy {accuracies[0]:.4f} and {accuracies[1]:.4f}")


def _cpu(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
