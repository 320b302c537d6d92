"""Reading a 500-MB CSV: crake's Table (nominal columns coded) beside polars' data frame, in the same run.

Usage: python -m benchmarks.tables.read_csv [megabytes]

Each reading is a process of its own, so that its peak memory is its own; the two take turns, and the best of
three counts. Kernels are compiled before, and the file is in the page cache for both. Bars: 3 × polars' time, 2 × the
file's size in memory.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

DATA = Path(__file__).parents[1] / "data"
ROWS_PER_MEGABYTE = 12_800

CRAKE = """
from crake.table.formats.csv.reader import read_csv
def read(path):
    return len(read_csv(path, target="grade"))
"""
POLARS = """
import polars
def read(path):
    return len(polars.read_csv(path))
"""
CHILD = """
import json, resource, sys, time
{reader}
start = time.perf_counter()
rows = read(sys.argv[1])
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps(dict(rows=rows, seconds=seconds, peak=peak)))
"""


def write(path: Path, megabytes: int) -> None:
    """Ten numeric columns (whole, of two, three and seventeen digits) and five nominal ones of 2 to 20,000 levels."""
    generator = np.random.default_rng(1)
    rows = ROWS_PER_MEGABYTE
    cities = np.array([f"city{i}" for i in range(20_000)])
    with path.open("w") as file:
        file.write("i1,i2,i3,i4,i5,f1,f2,f3,f4,f5,sex,grade,colour,shop,city\n")
        for _ in range(megabytes):
            columns = [
                *(generator.integers(0, 10**k, rows).astype(str) for k in (1, 2, 3, 4, 5)),
                *(np.char.mod("%.2f", generator.normal(0, 10, rows)) for _ in range(3)),
                np.char.mod("%.3f", generator.normal(0, 1, rows)),
                generator.normal(0, 1, rows).astype(str),
                np.array(["male", "female"])[generator.integers(0, 2, rows)],
                np.array(list("ABCDE"))[generator.integers(0, 5, rows)],
                np.array(["red", "green", "blue", "deep sky"])[generator.integers(0, 4, rows)],
                np.char.mod("s%d", generator.integers(0, 500, rows)),
                cities[(generator.pareto(1.0, rows) * 50).astype(int) % len(cities)],
            ]
            file.write("\n".join(map(",".join, zip(*columns, strict=True))) + "\n")


def measure(reader: str, path: Path, **environment: str) -> dict[str, float]:
    command = [sys.executable, "-c", CHILD.format(reader=reader), str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **environment})
    return json.loads(done.stdout)


def compile_seconds(path: Path) -> float:
    """The first reading of a small file without any compiled kernel, less the second."""
    with tempfile.TemporaryDirectory() as empty:
        cold = measure(CRAKE, path, XDG_CACHE_HOME=empty)["seconds"]
        return cold - measure(CRAKE, path, XDG_CACHE_HOME=empty)["seconds"]


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    DATA.mkdir(exist_ok=True)
    path, small = DATA / f"read_{megabytes}.csv", DATA / "read_1.csv"
    for file, size in ((path, megabytes), (small, 1)):
        if not file.exists():
            start = time.perf_counter()
            write(file, size)
            print(f"wrote {file.name}: {file.stat().st_size / 1e6:.0f} MB in {time.perf_counter() - start:.0f} s")
    size = path.stat().st_size
    compiling = compile_seconds(small)
    pairs = [(measure(CRAKE, path), measure(POLARS, path)) for _ in range(3)]
    ours, theirs = (min(runs, key=lambda run: run["seconds"]) for runs in zip(*pairs, strict=True))
    assert ours["rows"] == theirs["rows"]
    seconds = ours["seconds"] / theirs["seconds"]
    print(f"{size / 1e6:.0f} MB, {ours['rows']:,} rows, {os.cpu_count()} cores")
    print("work                   |   crake |  polars | ratio | bar")
    print(f"read, s                | {ours['seconds']:7.2f} | {theirs['seconds']:7.2f} | {seconds:5.2f} | ≤ 3 × polars")
    peak, their_peak = ours["peak"] / 1e6, theirs["peak"] / 1e6
    print(f"peak memory, MB        | {peak:7.0f} | {their_peak:7.0f} | {peak * 1e6 / size:5.2f} | ≤ 2 × file")
    print(f"compile once, s        | {compiling:7.2f} |         |       | ≤ 6")


if __name__ == "__main__":
    main()
