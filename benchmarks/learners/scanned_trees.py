"""Trees of a Parquet file under limits of memory, beside the same trees of rows in memory.

Usage: python -m benchmarks scanned_trees, or python -m benchmarks.learners.scanned_trees [rows]

Ten numbers, two classes; CART by Gini and by entropy, C4.5, and CART of one of the numbers, all to depth 8. Every run
is a process of its own. It says its CPU seconds and its peak of memory, reading included, and prints a hash of the
tree. Limits are shares of the peak in memory. Bars, for 10 million rows and CART: 1.4 times the CPU of memory at half
its peak, 2 times at a third; the limit is kept; the same tree.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

DATA = Path(__file__).parents[1] / "data"
COLUMNS, ROWS_PER_GROUP = 10, 1 << 17
LEARNERS = {
    "CART": "CARTClassifier(max_depth=8)",
    "CART, entropy": "CARTClassifier('entropy', max_depth=8)",
    "C4.5": "C45Classifier(max_depth=8)",
    "regression": "CARTRegressor(max_depth=8)",
}
SHARES = (1 / 2, 1 / 3)

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


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    DATA.mkdir(exist_ok=True)
    path = DATA / f"trees_{rows}.parquet"
    if not path.exists():
        start = time.perf_counter()
        write(path, rows)
        print(f"wrote {path.name} in {time.perf_counter() - start:.0f} s")
    print(f"{rows:,} rows of {COLUMNS} numbers")
    for name, learner in LEARNERS.items():
        held = measure(learner, path)
        print(f"{name:13} in memory: {held['seconds']:7.1f} CPU s, peak {held['peak'] / 1e6:6.0f} MB")
        for share in SHARES:
            limit = int(share * held["peak"])
            found = measure(learner, path, limit)
            if not found:
                continue
            same = "same tree" if found["tree"] == held["tree"] else "ANOTHER TREE"
            print(
                f"{name:13} below {limit / 1e6:6.0f} MB: {found['seconds']:7.1f} CPU s "
                f"({found['seconds'] / held['seconds']:.2f}×), peak {found['peak'] / 1e6:6.0f} MB, "
                f"{found['scans']} scans, {same}"
            )


if __name__ == "__main__":
    main()
