"""Boosted trees beside LightGBM (where it is installed) and scikit-learn: CPU seconds, one thread each, in one run.

CPU seconds of threads that wait for each other say little on a busy machine, so all have one thread.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

import crake
from benchmarks.lines import HEADER, line
from crake.kernels import threads

ROWS, ROUNDS = 500_000, 100
DATA = Path(__file__).parents[3] / "shared" / "data"
TABLES = {
    "credit-g": 10, "diabetes": 10, "hypothyroid": 6, "car": 8, "vote": 10, "glass": 10, "unbalanced": 10,
    "nursery": 3, "breast-cancer": 10, "adult-train": 2, "mammography": 4, "bank": 2,
}  # fmt: skip
"""Tables of the shared folder, and how often each is halved."""


def made(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(rows, 20))
    odds = X[:, 0] * X[:, 1] + 1.5 * np.sin(2 * X[:, 2]) + 2 * (X[:, 3] > 0.5) * (X[:, 4] < 0) - 1
    odds += 0.5 * X[:, 5] * X[:, 6] * X[:, 7] + 0.6 * X[:, 8] + 0.3 * np.abs(X[:, 9])
    return X, (generator.random(rows) < 1 / (1 + np.exp(-1.3 * odds))).astype(np.int64)


def light() -> Any:
    """Return LightGBM's learner with crake's settings; None where it is not installed."""
    if find_spec("lightgbm") is None:
        return None
    import lightgbm  # noqa: PLC0415 (only where it is installed)

    return lightgbm.LGBMClassifier(n_estimators=ROUNDS, num_leaves=31, n_jobs=1, verbose=-1, force_row_wise=True)


def main() -> None:
    warnings.filterwarnings("ignore")
    with threads.limited(1), threadpool_limits(1):
        _times()
        _losses()


def _times() -> None:
    (X, y), (new, _) = made(ROWS, 0), made(1_000_000, 1)
    mine = crake.BoostedTreesClassifier(ROUNDS)
    crake.BoostedTreesClassifier(1).fit(X[:60_000], y[:60_000]).predict(X[:60_000])
    peers = {"scikit-learn": HistGradientBoostingClassifier(max_iter=ROUNDS, early_stopping=False)}
    if light() is not None:
        peers["LightGBM"] = light()
    print(HEADER)
    bars = {"LightGBM": ("≤ 1.3 × its time", "≤ 0.25 × its time"), "scikit-learn": ("not slower", "")}
    ours, theirs = _in_turn(mine, peers, lambda model: model.fit(X, y))
    for name, own in theirs.items():
        print(line(f"fitting {ROUNDS} × 31 leaves, {name}", ours, own, own / ours, bars[name][0]))
    ours, theirs = _in_turn(mine, peers, lambda model: model.predict_proba(new))
    for name, own in theirs.items():
        print(line(f"predicting 1M rows, {name}", ours, own, own / ours, bars[name][1]))


def _in_turn(mine: Any, peers: dict[str, Any], work: Callable[[Any], Any]) -> tuple[float, dict[str, float]]:
    """Return the least CPU seconds of each, run in turn."""
    models = {"crake": mine, **peers}
    least = dict.fromkeys(models, np.inf)
    for _ in range(3):
        for name, model in models.items():
            least[name] = min(least[name], _cpu(lambda model=model: work(model)))
    return least.pop("crake"), least


def _losses() -> None:
    if light() is None:
        print("LightGBM is not installed: log losses are not compared")
        return
    for seed in (0, 1):
        X, y = made(40_000, seed)
        _compare(f"made, seed {seed}", pd.DataFrame(X), y, 1)
    for name, halves in TABLES.items():
        file = next((f for folder in ("arff", "csv") for f in (DATA / folder).glob(f"{name}.*")), None)
        if file is not None:
            _compare(name, *_cells(file), halves)


def _cells(file: Path) -> tuple[pd.DataFrame, np.ndarray]:
    table = crake.read(str(file))
    table = crake.read(str(file), target=table.schema.names[-1])
    X, y = table.to_xy()
    frame = X.to_pandas()
    for column in table.schema.nominal:
        if column.name in frame:
            texts = frame[column.name].astype(str).where(frame[column.name].notna())
            frame[column.name] = texts.astype("category")
    return frame, np.asarray(y).astype(str)


def _compare(name: str, X: pd.DataFrame, y: np.ndarray, halves: int) -> None:
    """Print the mean log loss on the other half of the rows, over some halvings."""
    losses = np.zeros((halves, 2))
    for at in range(halves):
        learned, tested = train_test_split(np.arange(len(y)), test_size=0.5, random_state=at, stratify=y)
        for place, model in enumerate((crake.BoostedTreesClassifier(ROUNDS), light())):
            model.fit(X.iloc[learned], y[learned])
            losses[at, place] = log_loss(y[tested], model.predict_proba(X.iloc[tested]), labels=model.classes_)
    mine, peer = losses.mean(axis=0)
    print(f"log loss of {name}: {mine:.5f}, LightGBM {peer:.5f}, {100 * (mine / peer - 1):+.1f} %")


def _cpu(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
