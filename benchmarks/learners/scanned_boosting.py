"""Boosted trees of a Parquet file under limits of memory, beside the same rounds of rows in memory.

Usage: python -m benchmarks scanned_boosting; shorter: BOOSTED_ROWS=1000000 BOOSTED_ROUNDS=20
BOOSTED_LEARNERS="two classes" python -m benchmarks scanned_boosting

Twenty numbers, two classes or a number to predict, 100 rounds. Every run is a process of its own with two threads. It
says its CPU seconds and its peak of memory, reading included, and prints a hash of the trees. Limits are shares of the
peak in memory. Bars: the limit is kept; the same trees; 1.4 times the CPU of memory at half its peak, 2 times at the
last.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

DATA = Path(__file__).parents[1] / "data"
COLUMNS, ROWS_PER_GROUP = 20, 1 << 17
LEARNERS = {
    "two classes": "BoostedTreesClassifier({rounds})",
    "squared loss": "BoostedTreesRegressor({rounds})",
    "held out": "BoostedTreesClassifier({rounds}, n_iter_no_change={rounds})",
}
BARS = {1 / 2: 1.4, 0.4: 2.0}
"""Times the CPU of memory that boosting may take at a share of its peak."""

CHILD = """
import hashlib, json, resource, sys, time
import crake
from crake import BoostedTreesClassifier, BoostedTreesRegressor
path, memory = sys.argv[1], int(sys.argv[2])
learner = {learner}
target, numbers = ("x19", ["x19"]) if isinstance(learner, BoostedTreesRegressor) else ("y", [])
BoostedTreesClassifier(2).fit(crake.read("iris"))
scans = []
start = time.process_time()
table = crake.read(path, target=target, numeric=numbers, in_memory=not memory)
if memory:
    last = [0]
    def told(rows, *_):
        if rows < last[0]: scans.append(1)
        last[0] = rows
    table = table.with_memory(memory).with_progress(told)
model = learner.fit(table)
seconds = time.process_time() - start
trees = model.trees_
bits = b"".join(getattr(trees, name).tobytes() for name in ("feature", "threshold", "first", "answer"))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
answer = dict(seconds=seconds, peak=peak, trees=hashlib.sha256(bits).hexdigest()[:12])
print(json.dumps({{**answer, "scans": len(scans) + 1 if memory else 1}}))
"""


def write(path: Path, rows: int) -> None:
    """Write numbers, half of them rounded, of which six decide about the class, with noise."""
    generator = np.random.default_rng(5)
    schema = pa.schema([*((f"x{j}", pa.float64()) for j in range(COLUMNS)), ("y", pa.string())])
    with pq.ParquetWriter(path, schema) as writer:
        for begin in range(0, rows, 1 << 19):
            x = generator.normal(size=(min(1 << 19, rows - begin), COLUMNS))
            x[:, 1::2] = x[:, 1::2].round(2)
            score = x[:, 0] * x[:, 1] + np.sin(2 * x[:, 2]) + 0.5 * x[:, 3] + (x[:, 4] > 0.3) * x[:, 5]
            y = np.where(score + generator.normal(size=len(x)) > 0, "yes", "no")
            x[:, 19] = score + generator.normal(size=len(x))
            columns = {f"x{j}": x[:, j] for j in range(COLUMNS)}
            writer.write_table(pa.table({**columns, "y": y}, schema), row_group_size=ROWS_PER_GROUP)


def measure(learner: str, path: Path, memory: int = 0) -> dict[str, float]:
    command = [sys.executable, "-c", CHILD.format(learner=learner), str(path), str(memory)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr.splitlines()[-1])
        return {}
    return json.loads(done.stdout)


def compare(name: str, path: Path, rounds: int) -> None:
    """Boost in memory, and below shares of its peak."""
    learner = LEARNERS[name].format(rounds=rounds)
    held = measure(learner, path)
    print(f"{name:13} in memory: {held['seconds']:7.1f} CPU s, peak {held['peak'] / 1e6:6.0f} MB", flush=True)
    for share, bar in BARS.items():
        limit = int(share * held["peak"])
        found = measure(learner, path, limit)
        if not found:
            continue
        ratio = found["seconds"] / held["seconds"]
        holds = found["peak"] <= limit and ratio <= bar and found["trees"] == held["trees"]
        same = "same trees" if found["trees"] == held["trees"] else "OTHER TREES"
        print(
            f"{name:13} below {limit / 1e6:6.0f} MB: {found['seconds']:7.1f} CPU s ({ratio:.2f}×), "
            f"peak {found['peak'] / 1e6:6.0f} MB, {found['scans']} scans, {same}: {'holds' if holds else 'MISSED'}",
            flush=True,
        )


def main() -> None:
    rows, rounds = int(os.environ.get("BOOSTED_ROWS", "5_000_000")), int(os.environ.get("BOOSTED_ROUNDS", "100"))
    DATA.mkdir(exist_ok=True)
    path = DATA / f"boosted_{rows}.parquet"
    if not path.exists():
        start = time.perf_counter()
        write(path, rows)
        print(f"wrote {path.name} in {time.perf_counter() - start:.0f} s")
    print(f"{path.stem}: {path.stat().st_size / 1e9:.2f} GB, {COLUMNS} numbers, {rounds} rounds")
    for name in os.environ.get("BOOSTED_LEARNERS", ",".join(LEARNERS)).split(","):
        compare(name, path, rounds)


if __name__ == "__main__":
    main()
