"""Trees of a Parquet file under limits of memory, beside the same trees of rows in memory.

Usage: python -m benchmarks scanned_trees; shorter: TREES_ROWS=1000000 TREES_BIG_ROWS=2000000 TREES_LIMIT=600MB
TREES_LEARNERS="CART,C4.5" python -m benchmarks scanned_trees

Ten numbers, two classes; CART by Gini and by entropy, C4.5, and CART of one of the numbers, all to depth 8. Every run
is a process of its own. It says its CPU seconds and its peak of memory, reading included, and prints a hash of the
tree. Limits are shares of the peak in memory. Bars, for 10 million rows and CART: 1.4 times the CPU of memory at half
its peak, 2 times at a third; the limit is kept; the same tree. Then a command: `crake train -l c4.5 --memory 1GB` of
20 million rows, 2 GB of Parquet, to depth 8 and as deep as C4.5 goes; its bar is the limit.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from benchmarks.learners.limited_memory import Rows, Work, classes, score, written
from crake.table.sources.scanned_table import bytes_of

COLUMNS = 10
LEARNERS = {
    "CART": "CARTClassifier(max_depth=8)",
    "CART, entropy": "CARTClassifier('entropy', max_depth=8)",
    "C4.5": "C45Classifier(max_depth=8)",
    "regression": "CARTRegressor(max_depth=8)",
}
WORK = Work(
    warm_up="crake.CARTClassifier(max_depth=3).fit(small), crake.C45Classifier().fit(small)",
    part="tree_",
    arrays=("feature", "threshold", "first", "counts"),
    number=f"x{COLUMNS - 1}",
    bars={1 / 2: 1.4, 1 / 3: 2.0},
)
OPTIONS = {"to depth 8": ["--set", "max_depth=8"], "of any depth": []}


def draw(generator: np.random.Generator, rows: int) -> Rows:
    """Draw numbers of which six decide about the class, with noise."""
    x = generator.normal(size=(rows, COLUMNS))
    return x, classes(score(x), generator)


def train(path: Path, limit: str, name: str) -> None:
    """Run the command below a limit, and say its CPU seconds and its peak."""
    command = [sys.executable, "-m", "crake", "train", path, "-t", "y", "-l", "c4.5", "--memory", limit]
    output = ["--no-estimate", "-o", path.with_suffix(".crake")]
    child = subprocess.Popen([*command, *OPTIONS[name], *output], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    path.with_suffix(".crake").unlink(missing_ok=True)
    peak = used.ru_maxrss * 1024
    holds = not status and peak <= bytes_of(limit)
    print(
        f"C4.5 {name}, {path.stat().st_size / 1e9:.2f} GB, --memory {limit}: "
        f"{used.ru_utime + used.ru_stime:.1f} CPU s, peak {peak / 1e6:.0f} MB: {'holds' if holds else 'MISSED'}",
        flush=True,
    )


def main() -> None:
    chosen = os.environ.get("TREES_LEARNERS", ",".join(LEARNERS)).split(",")
    path = written("trees", COLUMNS, int(os.environ.get("TREES_ROWS", "10_000_000")), draw)
    for name in chosen:
        WORK.compare(name, LEARNERS[name], path, is_timed=name == "CART")
    big = written("trees", COLUMNS, int(os.environ.get("TREES_BIG_ROWS", "20_000_000")), draw)
    for name in OPTIONS:
        train(big, os.environ.get("TREES_LIMIT", "1GB"), name)


if __name__ == "__main__":
    main()
