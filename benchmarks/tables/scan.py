"""A Parquet table larger than we want to hold: naive Bayes from one scan beside DuckDB's own SQL for the same numbers.

Usage: python -m benchmarks scan, or python -m benchmarks.tables.scan [megabytes]

Ten nominal columns (2 to 2,000 values) and ten numeric ones, two classes. DuckDB counts each value by class and takes
count, mean and variance of each number by class: in one statement with grouping sets or in ten, whichever is
faster. Libraries and compiled code are loaded before. Every run is a process of its own, so that its peak memory is
its own; ours and theirs take turns, best of three. Bars: 0.7 of DuckDB's speed, 1 GB of memory, cross-validation in
2.2 scans.
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
ROWS_PER_GROUP = 1 << 20
VALUES = (2, 3, 5, 8, 12, 20, 50, 100, 500, 2000)

FIT = """
import pyarrow.parquet
from crake import NaiveBayesClassifier, evaluate, read
evaluate("naive-bayes", read("iris"))
def work(path):
    model = NaiveBayesClassifier().fit(read(path, "bought", in_memory=False))
    return float(model.class_count_.sum())
"""
CROSS_VALIDATE = """
import pyarrow.parquet
from crake import NaiveBayesClassifier, evaluate, read
evaluate("naive-bayes", read("iris"))
def work(path):
    return float(evaluate(NaiveBayesClassifier(), read(path, "bought", in_memory=False)).accuracy)
"""
DUCKDB = """
import duckdb
nominal, numeric = [f"n{j}" for j in range(10)], [f"x{j}" for j in range(10)]
connection = duckdb.connect()
connection.execute("set enable_progress_bar = false")
def moments(path):
    parts = ", ".join(f"count({x}), avg({x}), var_samp({x})" for x in numeric)
    connection.execute(f"select bought, count(*), {parts} from '{path}' group by bought").fetchall()
def together(path):
    sets = ", ".join(f"(bought, {n})" for n in nominal)
    chosen = ", ".join(nominal)
    connection.execute(f"select bought, {chosen}, count(*) from '{path}' group by grouping sets ({sets})").fetchall()
    moments(path)
def apart(path):
    for n in nominal:
        connection.execute(f"select bought, {n}, count(*) from '{path}' group by all").fetchall()
    moments(path)
"""
CHILD = """
import json, resource, sys, time
{work}
start = time.perf_counter()
answer = work(sys.argv[1])
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps(dict(answer=answer, seconds=seconds, peak=peak)))
"""


def write(path: Path, megabytes: int) -> int:
    """Row groups of a million rows until the file is large enough; how many rows."""
    generator, rows, written = np.random.default_rng(1), 0, 0
    with path.open("wb") as sink:
        writer = pq.ParquetWriter(sink, _some_rows(generator, 1).schema)
        while written < megabytes * 1e6:
            writer.write_table(_some_rows(generator, ROWS_PER_GROUP), row_group_size=ROWS_PER_GROUP)
            rows, written = rows + ROWS_PER_GROUP, sink.tell()
        writer.close()
    return rows


def _some_rows(generator: np.random.Generator, rows: int) -> pa.Table:
    y = generator.integers(0, 2, rows)
    columns = {}
    for j, values in enumerate(VALUES):
        codes = ((generator.integers(0, values, rows) + y * (j % 3 == 0)) % values).astype(np.int32)
        columns[f"n{j}"] = _words(codes, [f"value {i}" for i in range(values)], generator.random(rows) < 0.02)
    for j in range(10):
        x = generator.normal(size=rows) + 0.1 * j * y
        columns[f"x{j}"] = pa.array(np.round(x, 2) if j % 2 else x, mask=generator.random(rows) < 0.02)
    columns["bought"] = _words(y.astype(np.int32), ["no", "yes"], np.zeros(rows, bool))
    return pa.table(columns)


def _words(codes: np.ndarray, words: list[str], missing: np.ndarray) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=missing), pa.array(words)).cast(pa.string())


def measure(work: str, path: Path) -> dict[str, float]:
    command = [sys.executable, "-c", CHILD.format(work=work), str(path)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    DATA.mkdir(exist_ok=True)
    path = DATA / f"scan_{megabytes}.parquet"
    if not path.exists():
        start = time.perf_counter()
        rows = write(path, megabytes)
        print(f"wrote {path.name}: {rows:,} rows in {time.perf_counter() - start:.0f} s")
    works = {
        "fit": FIT,
        "together": DUCKDB + "work = together",
        "apart": DUCKDB + "work = apart",
        "cross-validation": CROSS_VALIDATE,
    }
    runs = [{name: measure(work, path) for name, work in works.items()} for _ in range(3)]
    best = {name: min((run[name] for run in runs), key=lambda one: one["seconds"]) for name in works}
    fit, folds = best["fit"], best["cross-validation"]
    duckdb = min(best["together"]["seconds"], best["apart"]["seconds"])
    print(f"{path.stat().st_size / 1e6:.0f} MB, {fit['answer']:,.0f} rows")
    print("work                        |  crake | DuckDB |  ratio | bar")
    speed = duckdb / fit["seconds"]
    print(f"one scan, s                 | {fit['seconds']:6.2f} | {duckdb:6.2f} | {speed:5.2f}× | ≥ 0.7×")
    scans = folds["seconds"] / fit["seconds"]
    print(f"10-fold cross-validation, s | {folds['seconds']:6.2f} |        | {scans:5.2f}  | ≤ 2.2 scans")
    for name, run in (("one scan", fit), ("cross-validation", folds)):
        print(f"peak memory, {name}, MB".ljust(42) + f"{run['peak'] / 1e6:6.0f} | ≤ 1000")


if __name__ == "__main__":
    main()
