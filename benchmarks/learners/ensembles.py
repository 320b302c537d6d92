"""Ensembles beside scikit-learn on the same rows in one run: processor seconds of one process, then by the clock.

In processor seconds scikit-learn runs with n_jobs=1: with more, its bags run in other processes, whose seconds are not
seen. crake's trees run in threads of this process, and their seconds are added up. The two take turns, and the best of
each counts. By the clock scikit-learn runs with n_jobs=2. ydf is measured where it is installed.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

import crake
from benchmarks.lines import HEADER, line

ROWS, TREES, ROUNDS = 100_000, 100, 2


def made(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(rows, 20)).astype(np.float32).astype(float)
    signal = X[:, :10].sum(axis=1) + 2 * np.sin(2 * X[:, 0]) * X[:, 1]
    return X, (signal + 2 * generator.normal(size=rows) > 0).astype(np.int64)


def main() -> None:
    (X, y), (other, other_y) = made(ROWS, 1), made(20_000, 2)
    stump = crake.DecisionStump("gini")
    full, one_question = DecisionTreeClassifier(), DecisionTreeClassifier(max_depth=1)
    pairs: list[tuple[str, Any, Any, str]] = [
        (
            "bagging, 10 full trees",
            crake.BaggingClassifier(crake.CARTClassifier(), n_estimators=10, oob_score=False),
            BaggingClassifier(full, n_estimators=10, random_state=1),
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
            AdaBoostClassifier(one_question, n_estimators=50, random_state=1),
            "≥ 25× faster",
        ),
    ]
    _compile(pairs, X, y)
    print(HEADER)
    for words, mine, peer, bar in pairs:
        ours, theirs = _in_turns(mine, peer, X, y, time.process_time)
        print(line(f"{words}, scikit-learn", ours, theirs, theirs / ours, bar))
        if "n_jobs" in peer.get_params():
            ours, theirs = _in_turns(mine, peer.set_params(n_jobs=2), X, y, time.perf_counter)
            print(line(f"{words}, by the clock, n_jobs=2", ours, theirs, theirs / ours, bar))
        scores = [roc_auc_score(other_y, model.predict_proba(other)[:, 1]) for model in (mine, peer)]
        accuracies = [model.score(other, other_y) for model in (mine, peer)]
        print(f"    AUC {scores[0]:.4f} and {scores[1]:.4f}, accuracy {accuracies[0]:.4f} and {accuracies[1]:.4f}")
    _staged(pairs[2][1], pairs[2][2], X, y)
    if importlib.util.find_spec("ydf") is not None:
        _beside_ydf(X, y)


def _compile(pairs: list[tuple[str, Any, Any, str]], X: np.ndarray, y: np.ndarray) -> None:
    """Fit each once, and print the processor seconds of that."""
    for words, mine, _, _ in pairs:
        start = time.process_time()
        mine.fit(X[:30_000], y[:30_000])
        print(
            f"{words}: first fit on 30,000 rows {time.process_time() - start:.1f} s of processor time, with compiling"
        )


def _in_turns(mine: Any, peer: Any, X: np.ndarray, y: np.ndarray, clock: Callable[[], float]) -> tuple[float, float]:
    """Return the least seconds of either, which are fitted in turns."""
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(_seconds(mine, X, y, clock))
        theirs.append(_seconds(peer, X, y, clock))
    return min(ours), min(theirs)


def _seconds(model: Any, X: np.ndarray, y: np.ndarray, clock: Callable[[], float]) -> float:
    start = clock()
    model.fit(X, y)
    return clock() - start


def _staged(mine: Any, peer: Any, X: np.ndarray, y: np.ndarray) -> None:
    """Print how far the errors after each round are apart."""
    own = [float(np.mean(each != y)) for each in mine.staged_predict(X)]
    others = [float(np.mean(each != y)) for each in peer.staged_predict(X)]
    print(f"    staged errors of AdaBoost differ by {max(abs(np.subtract(own, others))):.2g} at most")


def _beside_ydf(X: np.ndarray, y: np.ndarray) -> None:
    import ydf  # noqa: PLC0415 (only where it is installed)

    data = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y}
    settings = {
        "num_trees": TREES,
        "max_depth": -1,
        "min_examples": 1,
        "num_threads": 2,
        "compute_oob_performances": False,
    }
    peer = ydf.RandomForestLearner(label="y", winner_take_all=False, **settings)
    mine, ours, theirs = crake.ForestClassifier(TREES, oob_score=False), [], []
    for _ in range(ROUNDS):
        ours.append(_seconds(mine, X, y, time.perf_counter))
        start = time.perf_counter()
        peer.train(data)
        theirs.append(time.perf_counter() - start)
    words = f"forest, {TREES} full trees, by the clock, ydf with 2 threads"
    print(line(words, min(ours), min(theirs), min(theirs) / min(ours), "≥ 2.5× faster"))


if __name__ == "__main__":
    main()
