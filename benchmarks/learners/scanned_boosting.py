"""Boosted trees of a Parquet file under limits of memory, beside the same rounds of rows in memory.

Usage: python -m benchmarks scanned_boosting; shorter: BOOSTED_ROWS=1000000 BOOSTED_ROUNDS=20
BOOSTED_LEARNERS="two classes" python -m benchmarks scanned_boosting

Twenty numbers, two classes or a number to predict, 100 rounds. Every run is a process of its own with two threads. It
says its CPU seconds and its peak of memory, reading included, and prints a hash of the trees. Limits are shares of the
peak in memory. Bars: the limit is kept; the same trees; 1.4 times the CPU of memory at half its peak, 2 times at the
last.
"""

from __future__ import annotations

import os

import numpy as np

from benchmarks.learners.limited_memory import Rows, Work, classes, score, written

COLUMNS = 20
LEARNERS = {
    "two classes": "BoostedTreesClassifier({rounds})",
    "squared loss": "BoostedTreesRegressor({rounds})",
    "held out": "BoostedTreesClassifier({rounds}, n_iter_no_change={rounds})",
}
WORK = Work(
    warm_up="crake.BoostedTreesClassifier(2).fit(small)",
    part="trees_",
    arrays=("feature", "threshold", "first", "answer"),
    number=f"x{COLUMNS - 1}",
    bars={1 / 2: 1.4, 0.4: 2.0},
)


def draw(generator: np.random.Generator, rows: int) -> Rows:
    """Draw numbers, half of them rounded, of which six decide about the class and about the last number, with noise."""
    x = generator.normal(size=(rows, COLUMNS))
    x[:, 1::2] = x[:, 1::2].round(2)
    of = score(x)
    y = classes(of, generator)
    x[:, COLUMNS - 1] = of + generator.normal(size=rows)
    return x, y


def main() -> None:
    rounds = int(os.environ.get("BOOSTED_ROUNDS", "100"))
    path = written("boosted", COLUMNS, int(os.environ.get("BOOSTED_ROWS", "5_000_000")), draw)
    for name in os.environ.get("BOOSTED_LEARNERS", ",".join(LEARNERS)).split(","):
        WORK.compare(f"{name}, {rounds}", LEARNERS[name].format(rounds=rounds), path)


if __name__ == "__main__":
    main()
