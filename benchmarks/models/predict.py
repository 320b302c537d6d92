"""Predicting ten million rows from Parquet to CSV, two classes, on the command line: rows a second, start included.

Usage: python -m benchmarks.models.predict [million rows]

The rows are read, predicted and written in parts; beside the time stands the peak of memory. The bar is a million
rows a second on two cores. In the same run: pyarrow alone writing as many finished probabilities and labels as CSV.
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
PART = 1_000_000

MEASURED = """
import json, resource, sys, time
from crake.cli.run import run
start = time.perf_counter()
code = run(sys.argv[1:])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps(dict(code=code, seconds=time.perf_counter() - start, peak=peak)))
"""
ARROW = """
import json, sys, time, numpy as np, pyarrow as pa, pyarrow.csv
rows = int(sys.argv[1])
p = np.random.default_rng(1).random(rows)
table = pa.table({"p(no)": p, "p(yes)": 1 - p, "predicted": np.where(p < 0.5, "yes", "no")})
start = time.perf_counter()
pyarrow.csv.write_csv(table, sys.argv[2])
print(json.dumps(dict(seconds=time.perf_counter() - start)))
"""


def write(path: Path, millions: int) -> None:
    """Four numeric columns and two nominal ones, of 200 and of 3 levels."""
    generator = np.random.default_rng(1)
    cities = np.array([f"city{i}" for i in range(200)])
    writer = None
    for _ in range(millions):
        y = generator.integers(0, 2, PART)
        table = pa.table({
            "age": generator.normal(40 + 5 * y, 10, PART),
            "income": generator.normal(0.3 * y, 1, PART),
            "visits": generator.integers(0, 50, PART) + y,
            "spent": generator.gamma(2, 1 + 0.2 * y, PART),
            "city": cities[generator.integers(0, 200, PART)],
            "device": np.array(["phone", "desk", "tablet"])[generator.integers(0, 3, PART)],
            "bought": np.array(["no", "yes"])[y],
        })  # fmt: skip
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def measure(code: str, *arguments: str) -> dict[str, float]:
    done = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    millions = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    DATA.mkdir(exist_ok=True)
    table, model, out = DATA / f"predict_{millions}.parquet", DATA / "predict.crake", DATA / "predict.csv"
    if not table.exists():
        start = time.perf_counter()
        write(table, millions)
        print(f"wrote {table.name}: {table.stat().st_size / 1e6:.0f} MB in {time.perf_counter() - start:.0f} s")
    learner = ("--target", "bought", "--learner", "naive-bayes", "--no-estimate", "-q")
    measure(MEASURED, "train", str(table), *learner, "-o", str(model))
    command = ("predict", str(model), str(table), "-o", str(out), "-q")
    ours = min((measure(MEASURED, *command) for _ in range(3)), key=lambda run: run["seconds"])
    assert ours["code"] == 0
    arrow = measure(ARROW, str(millions * PART), str(out))
    out.unlink()
    speed = millions * PART / ours["seconds"] / 1e6
    print(f"{millions} million rows, {table.stat().st_size / 1e6:.0f} MB of Parquet, {os.cpu_count()} cores")
    print(f"predict to CSV, all in all    | {ours['seconds']:6.2f} s | {speed:.2f} million rows/s | ≥ 1 million rows/s")
    print(f"peak memory                   | {ours['peak'] / 1e6:6.0f} MB")
    print(f"pyarrow, only writing the CSV | {arrow['seconds']:6.2f} s")


if __name__ == "__main__":
    main()
