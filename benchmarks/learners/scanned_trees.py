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

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from crake.table.sources.scanned_table import bytes_of

DATA = Path(__file__).parents[1] / "data"
COLUMNS, ROWS_PER_GROUP = 10, 1 << 17
LEARNERS = {
    "CART": "CARTClassifier(max_depth=8)",
    "CART, entropy": "CARTClassifier('entropy', max_depth=8)",
    "C4.5": "C45Classifier(max_depth=8)",
    "regression": "CARTRegressor(max_depth=8)",
}
BARS = {1 / 2: 1.4, 1 / 3: 2.0}
"""Times the CPU of memory that a tree may take at a share of its peak."""
OPTIONS = {"to depth 8": ["--set", "max_depth=8"], "of any depth": []}

CHILD = """
import hashlib, json, resource, sys, time
import numpy as np
import crake
from crake import C45Classifier, CARTClassifier, CARTRegressor
path, memory = sys.argv[1], int(sys.argv[2])
learner = {learner}
target, numbers = ("x9", ["x9"]) if isinstance(learner, CARTRegressor) else ("y", [])
small = crake.read("iris")
CARTClassifier(max_depth=3).fit(small), C45Classifier().fit(small)
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
tree = model.tree_
bits = b"".join(getattr(tree, name).tobytes() for name in ("feature", "threshold", "first", "counts"))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
answer = dict(seconds=seconds, peak=peak, nodes=len(tree), tree=hashlib.sha256(bits).hexdigest()[:12])
print(json.dumps({{**answer, "scans": len(scans) + 1 if memory else 1}}))
"""


def write(path: Path, rows: int) -> None:
    """Write numbers of which six decide about the class, with noise."""
    generator = np.random.default_rng(5)
    schema = pa.schema([*((f"x{j}", pa.float64()) for j in range(COLUMNS)), ("y", pa.string())])
    with pq.ParquetWriter(path, schema) as writer:
        for begin in range(0, rows, 1 << 20):
            x = generator.normal(size=(min(1 << 20, rows - begin), COLUMNS))
            score = x[:, 0] * x[:, 1] + np.sin(2 * x[:, 2]) + 0.5 * x[:, 3] + (x[:, 4] > 0.3) * x[:, 5]
            y = np.where(score + generator.normal(size=len(x)) > 0, "yes", "no")
            columns = {f"x{j}": x[:, j] for j in range(COLUMNS)}
            writer.write_table(pa.table({**columns, "y": y}, schema), row_group_size=ROWS_PER_GROUP)


def measure(learner: str, path: Path, memory: int = 0) -> dict[str, float]:
    command = [sys.executable, "-c", CHILD.format(learner=learner), str(path), str(memory)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr.splitlines()[-1])
        return {}
    return json.loads(done.stdout)


def written(rows: int) -> Path:
    """Return the file of so many rows; it is written once."""
    DATA.mkdir(exist_ok=True)
    path = DATA / f"trees_{rows}.parquet"
    if not path.exists():
        start = time.perf_counter()
        write(path, rows)
        print(f"wrote {path.name} in {time.perf_counter() - start:.0f} s")
    return path


def compare(name: str, path: Path) -> None:
    """Grow a tree in memory, and below shares of its peak."""
    learner = LEARNERS[name]
    held = measure(learner, path)
    print(f"{name:13} in memory: {held['seconds']:7.1f} CPU s, peak {held['peak'] / 1e6:6.0f} MB", flush=True)
    for share, bar in BARS.items():
        limit = int(share * held["peak"])
        found = measure(learner, path, limit)
        if not found:
            continue
        ratio = found["seconds"] / held["seconds"]
        holds = found["peak"] <= limit and (ratio <= bar or name != "CART") and found["tree"] == held["tree"]
        same = "same tree" if found["tree"] == held["tree"] else "ANOTHER TREE"
        print(
            f"{name:13} below {limit / 1e6:6.0f} MB: {found['seconds']:7.1f} CPU s ({ratio:.2f}×), "
            f"peak {found['peak'] / 1e6:6.0f} MB, {found['scans']} scans, {same}: {'holds' if holds else 'MISSED'}",
            flush=True,
        )


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
    path = written(int(os.environ.get("TREES_ROWS", "10_000_000")))
    print(f"{path.stem}: {path.stat().st_size / 1e9:.2f} GB, {COLUMNS} numbers")
    for name in chosen:
        compare(name, path)
    big = written(int(os.environ.get("TREES_BIG_ROWS", "20_000_000")))
    for name in OPTIONS:
        train(big, os.environ.get("TREES_LIMIT", "1GB"), name)


if __name__ == "__main__":
    main()
