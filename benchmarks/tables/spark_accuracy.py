"""Accuracy of exact CART beside MLlib's tree of 256 bins, on other rows than those learned from.

Usage: python -m benchmarks spark_accuracy; shorter: SPARK_ROWS=100000 SPARK_TESTED=200000 SPARK_SEEDS=1
python -m benchmarks spark_accuracy

Four kinds of ten numbers and two classes, several seeds, to depth 5, 8 and 12. Both trees learn from the same rows by
Gini. crake's is that of rows in memory, which Spark's tasks give, too, node for node. Beside the difference of the two
stands its standard error, as if both were wrong on rows of their own: more than it is, as they are wrong on the same.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import crake

COLUMNS, DEPTHS, BINS = 10, (5, 8, 12), 256
NAMES = [f"x{j}" for j in range(COLUMNS)]
Rows = tuple[np.ndarray, np.ndarray]


def _score(x: np.ndarray) -> np.ndarray:
    return x[:, 0] * x[:, 1] + np.sin(2 * x[:, 2]) + 0.5 * x[:, 3] + (x[:, 4] > 0.3) * x[:, 5]


def noisy(generator: np.random.Generator, rows: int) -> Rows:
    """Six normal numbers decide, with as much noise."""
    x = generator.normal(size=(rows, COLUMNS))
    return x, _score(x) + 0.3 * x[:, 6] + generator.normal(size=rows) > 0


def clean(generator: np.random.Generator, rows: int) -> Rows:
    """Six normal numbers decide, without noise."""
    x = generator.normal(size=(rows, COLUMNS))
    return x, _score(x) > 0


def skewed(generator: np.random.Generator, rows: int) -> Rows:
    """Four numbers with a long tail decide, by their logarithms, with little noise."""
    x = np.exp(2 * generator.normal(size=(rows, COLUMNS)))
    score = np.log(x) / 2
    score = score[:, 0] * score[:, 1] + score[:, 2] + 0.5 * score[:, 3]
    return x, score + 0.3 * generator.normal(size=rows) > 0


def narrow(generator: np.random.Generator, rows: int) -> Rows:
    """Three short ranges decide, each with a thousandth or hundredth of the values; one label of a hundred is wrong."""
    x = generator.normal(size=(rows, COLUMNS))
    y = (np.abs(x[:, 0] - 0.5) < 0.002) | (np.abs(x[:, 1] + 0.3) < 0.0015) | (x[:, 2] > 2.2)
    return x, y ^ (generator.random(rows) < 0.01)


KINDS: tuple[Callable[[np.random.Generator, int], Rows], ...] = (noisy, clean, skewed, narrow)


def _table(x: np.ndarray, label: pa.Array | np.ndarray) -> pa.Table:
    return pa.table({**{name: x[:, j] for j, name in enumerate(NAMES)}, "label": label})


def _held(x: np.ndarray, y: np.ndarray) -> Any:
    return crake.read(_table(x, np.where(y, "yes", "no")), "label")


def compare(spark: Any, rows: Rows, tested: Rows, folder: Path) -> list[tuple[float, float]]:
    """Return the accuracy of crake and of MLlib for each depth."""
    from pyspark.ml.classification import DecisionTreeClassifier  # noqa: PLC0415 (an extra)
    from pyspark.ml.feature import VectorAssembler  # noqa: PLC0415 (an extra)

    assembler, frames = VectorAssembler(inputCols=NAMES, outputCol="features"), []
    for name, (x, y) in (("rows", rows), ("tested", tested)):
        pq.write_table(_table(x, y.astype(float)), folder / f"{name}.parquet")
        read = spark.read.parquet(str(folder / f"{name}.parquet"))
        frames.append(assembler.transform(read).select("features", "label"))
    own, other, found = _held(*rows), _held(*tested), []
    frames[0].cache()
    for depth in DEPTHS:
        model = crake.CARTClassifier(max_depth=depth).fit(own)
        ours = float(np.mean(model.predict(other) == np.where(tested[1], "yes", "no")))
        peer = DecisionTreeClassifier(maxDepth=depth, maxBins=BINS, seed=1).fit(frames[0])
        theirs = peer.transform(frames[1]).filter("prediction = label").count() / len(tested[1])
        found.append((ours, theirs))
    frames[0].unpersist()
    return found


def main() -> None:
    warnings.simplefilter("ignore")  # Spark warns of the version of pandas
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession  # noqa: PLC0415 (an extra)

    number, tested = int(os.environ.get("SPARK_ROWS", "300_000")), int(os.environ.get("SPARK_TESTED", "500_000"))
    builder = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.driver.memory", "2g").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    print(f"{number:,} rows to learn from, {tested:,} others to test on")
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            for seed in range(int(os.environ.get("SPARK_SEEDS", "2"))):
                generator = np.random.default_rng(100 + seed)
                accuracies = compare(spark, kind(generator, number), kind(generator, tested), Path(folder))
                for depth, (ours, theirs) in zip(DEPTHS, accuracies, strict=True):
                    error = np.sqrt((ours * (1 - ours) + theirs * (1 - theirs)) / tested)
                    print(
                        f"{kind.__name__:7} seed {seed}, depth {depth:2}: crake {ours:.4f}, MLlib {theirs:.4f}, "
                        f"difference {ours - theirs:+.4f} ± {error:.4f}",
                        flush=True,
                    )
    spark.stop()


if __name__ == "__main__":
    main()
