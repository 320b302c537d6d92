"""A row explained by every learner, with what would change its answer: the slowest of a few rows.

letter (20,000 rows, 16 numbers, 26 classes) and credit-g (1,000 rows, 7 numbers, 13 names) are read from
../shared/data/arff where they are there; tables of their shape are drawn otherwise.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import crake
from crake.learners.registry import by_name, compared
from crake.table.table import Table

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "arff"
ROWS = (0, 37, 148, 259, 740)
TIMES = 7


def main() -> None:
    print(f"{'work':58} | {'explain':>9} | {'changes':>9} | {'its CPU':>9} | bar")
    for name, drawn in (("letter", _letter), ("credit-g", _credit)):
        file = FOLDER / f"{name}.arff"
        table = crake.read(file, target="class") if file.exists() else drawn()
        learners = {each: by_name(each) for each in compared()}
        learners["naive-bayes, kernel densities"] = crake.NaiveBayesClassifier(numeric="kernel")
        for each, learner in learners.items():
            _measure(f"{name}: {each}", learner.fit(table), table)


def _measure(work: str, model: Any, table: Table) -> None:
    rows = [table.take(np.array([row])) for row in ROWS]
    best = np.array([np.min([_times(model, one, table) for _ in range(TIMES)], axis=0) for one in rows])
    shown = " | ".join(f"{1000 * slowest:6.1f} ms" for slowest in best.max(axis=0))
    print(f"{work:58} | {shown} | together ≤ 50 ms")


def _times(model: Any, one: Table, table: Table) -> tuple[float, float, float]:
    start = time.perf_counter()
    model.explain(one)
    middle, busy = time.perf_counter(), time.process_time()
    model.changes(one, table)
    return middle - start, time.perf_counter() - middle, time.process_time() - busy


def _letter() -> Table:
    generator = np.random.default_rng(1)
    y = generator.integers(0, 26, 20_000)
    centre = generator.uniform(3, 12, (26, 16))
    X = np.clip(np.round(centre[y] + generator.normal(0, 2, (len(y), 16))), 0, 15)
    return crake.read(pa.table({**{f"x{j}": X[:, j] for j in range(16)}, "class": y.astype(str)}), "class")


def _credit() -> Table:
    generator = np.random.default_rng(2)
    numbers = {f"x{j}": generator.integers(0, 50, 1000).astype(float) for j in range(7)}
    names = {f"n{j}": generator.integers(0, 5, 1000).astype(str) for j in range(13)}
    risk = np.where(generator.random(1000) < 0.3, "bad", "good")
    return crake.read(pa.table({**numbers, **names, "class": risk}), "class")


if __name__ == "__main__":
    main()
