"""Exported models: the rows a second of a tree of 679 leaves as a C header, as SQL in DuckDB, and in onnxruntime.

Usage: python -m benchmarks export

The tree is C4.5's of the KDD Cup table (../shared/data/csv), or CART's of as many leaves over made-up rows where that
file is not there. The C program and onnxruntime take rows that lie in memory as numbers, DuckDB a table in memory. All
run on one thread, in turn, and the best of several processor times counts. The query lets NULL take the heaviest
branch; these rows have none. The bars are 10M rows/s for C and 2M rows/s for DuckDB.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import crake

KDD = Path(__file__).parents[3] / "shared" / "data" / "csv" / "kddcup99_10pct.csv.gz"
LEAVES, ROWS, ROUNDS = 679, 400_000, 5
COPIES = 4
"""DuckDB gets the rows several times over: it takes as long to plan the query as to answer 600,000 rows."""
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "tree.h"
int main(int count, char **names) {
  (void)count;
  long rows = atol(names[2]), total = 0;
  double *x = malloc(sizeof(double) * rows * tree_COLUMNS), best = 1e9;
  FILE *file = fopen(names[1], "rb");
  if (x == NULL || file == NULL || fread(x, sizeof(double) * tree_COLUMNS, rows, file) != (size_t)rows) return 1;
  for (int each = 0; each < 7; each++) {
    clock_t start = clock();
    for (long i = 0; i < rows; i++) total += tree_predict(x + i * tree_COLUMNS);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (seconds < best) best = seconds;
  }
  printf("%.9f %ld\\n", best, total / 7);
  return 0;
}
"""


def main() -> None:
    model, rows = fitted()
    answers = model.predict(rows)
    read = len(model.exported().features)
    print(f"a tree of {model.n_leaves_} leaves that reads {read} columns, {len(rows):,} rows")
    codes = np.searchsorted(np.sort(model.classes_), answers)
    show("C (cc -O2), bar 10M", len(rows), in_c(model, rows, int(codes.sum())))
    show("DuckDB, planning included, bar 2M", COPIES * len(rows), in_duckdb(model, rows, answers))
    show("onnxruntime", len(rows), in_onnxruntime(model, rows, answers))
    show("crake's own predict_proba", len(rows), best_of(lambda: model.predict_proba(rows)))


def fitted() -> tuple[Any, pa.Table]:
    """Return the tree and the rows that are asked about."""
    if KDD.exists():
        table = crake.read(KDD, target="class")
        model: Any = crake.C45Classifier().fit(table)
        chosen = np.random.default_rng(0).permutation(len(table))[:ROWS]
        return model, table.take(chosen).to_arrow().drop_columns(["class"])
    print("the KDD Cup table is not there: CART over made-up rows")
    generator = np.random.default_rng(0)
    X = generator.normal(size=(ROWS, 20))
    y = (np.sin(3 * X[:, 0]) + np.cos(3 * X[:, 1]) + X[:, 2] * X[:, 3] + generator.normal(size=ROWS) > 1).astype(int)
    model = crake.CARTClassifier(max_leaf_nodes=LEAVES).fit(X, y)
    return model, pa.table({f"x{j}": X[:, j] for j in range(20)})


def matrix(model: Any, rows: pa.Table) -> Any:
    """Return the columns that the model reads as numbers: levels by their codes, as the header takes them."""
    exported, columns = model.exported(), []
    for feature in exported.features:
        column = exported.schema.features[feature]
        values = rows[column.name].to_pylist()
        if column.levels:
            code = {level: at for at, level in enumerate(column.levels)}
            columns.append([-1.0 if v is None else code.get(v, -2.0) for v in values])
        else:
            columns.append([np.nan if v is None else float(v) for v in values])
    return np.ascontiguousarray(np.array(columns, np.float64).T)


def in_c(model: Any, rows: pa.Table, expected: int) -> float | None:
    if shutil.which("cc") is None:
        return None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tree.h").write_text(model.to_c("tree"))
        (folder / "main.c").write_text(PROGRAM)
        matrix(model, rows).tofile(folder / "rows.bin")
        subprocess.run(["cc", "-std=c99", "-O2", "-o", "main", "main.c", "-lm"], cwd=folder, check=True)
        command = [folder / "main", folder / "rows.bin", str(len(rows))]
        seconds, total = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert int(total) == expected, "the C program answers otherwise"
    return float(seconds)


def in_duckdb(model: Any, rows: pa.Table, answers: Any) -> float:
    target = model.schema_.target
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("given", rows)
        connection.execute(f"CREATE TABLE t AS SELECT given.* FROM given, range({COPIES})")
        written = model.to_sql(dialect="duckdb", columns=[], missing="heaviest")
        query = f'SELECT "predicted {target}", count(*) FROM ({written}) GROUP BY 1'
        counted = dict(connection.execute(query).fetchall())
        labels, counts = np.unique(answers, return_counts=True)
        assert counted == dict(zip(labels.tolist(), (COPIES * counts).tolist(), strict=True)), (
            "DuckDB answers otherwise"
        )
        return best_of(lambda: connection.execute(query).fetchall())


def in_onnxruntime(model: Any, rows: pa.Table, answers: Any) -> float | None:
    try:
        import onnxruntime  # noqa: PLC0415
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.to_onnx(), options, providers=["CPUExecutionProvider"])
    parts = []
    for start in range(0, len(rows), 20_000):
        part = rows.slice(start, 20_000)
        parts.append({each.name: cells(part[each.name], each.type) for each in session.get_inputs()})
    found = np.concatenate([session.run(["prediction"], part)[0] for part in parts])
    assert found.tolist() == answers.tolist(), "onnxruntime answers otherwise"
    return best_of(lambda: [session.run(["prediction"], part) for part in parts])


def cells(column: Any, kind: str) -> Any:
    """Return a column as onnxruntime takes it."""
    if kind == "tensor(string)":
        return np.array([["" if v is None else v] for v in column.to_pylist()], object)
    return column.to_numpy(zero_copy_only=False).astype(np.float64)[:, None]


def best_of(work: Callable[[], Any]) -> float:
    seconds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def show(name: str, rows: int, seconds: float | None) -> None:
    text = "not installed" if seconds is None else f"{seconds:.3f} s, {rows / seconds / 1e6:.2f}M rows/s"
    print(f"{name}: {text}")


if __name__ == "__main__":
    main()
