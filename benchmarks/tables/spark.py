"""Learning and predicting in Spark beside MLlib: naive Bayes of numbers, trees, predictions.

Usage: python -m benchmarks spark; shorter: SPARK_ROWS=1000000 SPARK_WORKS="tree;predict"
python -m benchmarks spark

Ten numbers, two classes, Parquet in four files; six of the numbers decide about the class, with noise. crake and MLlib
have a session of Spark each (local, all cores), in processes of their own, so that neither compiles Java for the other,
and take turns: once fresh, then SPARK_TIMES times more. Sessions are started, and have counted the rows, before.
Seconds are those of the processors, of the whole process tree: the driver, Java and the workers of Python, with
those that have ended, and with what Java still compiles after a work is done. "First" is the first turn of both,
"later" the least of the turns after it. Bars are those of later turns.

    naive Bayes, files        files are opened in the tasks       at most 0.25 of MLlib's GaussianNB
    naive Bayes, mapInArrow   Spark hands the rows over           at most 0.6
    tree                      exact CART to depth 8               at most 1.5 of MLlib's tree of 256 bins
    predict                   naive Bayes, to a sink of nothing   at most 1.2
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.lines import HEADER, line

DATA = Path(__file__).parents[1] / "data"
COLUMNS, FILES, ROWS_PER_GROUP, TESTED = 10, 4, 1 << 17, 300_000
NUMBERS = [f"x{j}" for j in range(COLUMNS)]
BARS = {"naive Bayes, files": 0.25, "naive Bayes, mapInArrow": 0.6, "tree": 1.5, "predict": 1.2}
TICKS = os.sysconf("SC_CLK_TCK")


def written(rows: int) -> Path:
    """Return the folder of so many rows in four files, beside it rows to test on; both are written once."""
    folder = DATA / f"spark_{rows}"
    if not (folder / "tested").exists():
        (folder / "rows").mkdir(parents=True, exist_ok=True)
        for number in range(FILES):
            _write(folder / "rows" / f"{number}.parquet", rows // FILES, number)
        _write(folder / "tested.parquet", TESTED, FILES)
        (folder / "tested").touch()
    return folder


def _write(path: Path, rows: int, seed: int) -> None:
    """Write numbers and the class, as a name and as the number that MLlib wants."""
    generator = np.random.default_rng(seed)
    types = [*((name, pa.float64()) for name in NUMBERS), ("y", pa.string()), ("label", pa.float64())]
    with pq.ParquetWriter(path, pa.schema(types)) as writer:
        for begin in range(0, rows, 1 << 20):
            x = generator.normal(size=(min(1 << 20, rows - begin), COLUMNS))
            score = x[:, 0] * x[:, 1] + np.sin(2 * x[:, 2]) + 0.5 * x[:, 3] + (x[:, 4] > 0.3) * x[:, 5]
            y = score + 0.3 * x[:, 6] + generator.normal(size=len(x)) > 0
            columns = {name: x[:, j] for j, name in enumerate(NUMBERS)}
            table = pa.table({**columns, "y": np.where(y, "yes", "no"), "label": y.astype(float)})
            writer.write_table(table.cast(pa.schema(types)), row_group_size=ROWS_PER_GROUP)


def seconds_of_tree(root: int) -> float:
    """Return the processor seconds of a process and of all below it, with those that have ended."""
    parents, spent = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            parents[int(entry.name)], spent[int(entry.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    own, found = [root], 0
    while own:
        process = own.pop()
        found += spent.get(process, 0)
        own += [child for child, parent in parents.items() if parent == process]
    return found / TICKS


Work = Callable[[], Callable[[], dict[str, float]]]
"""A work to be measured; what it returns says what came out of it, and is not measured."""


def work_of_crake(name: str, spark: Any, folder: Path) -> Work:
    import crake  # noqa: PLC0415 (MLlib's side does without)

    # Both sides of naive Bayes learn from the same columns: the class as the number that MLlib wants.
    target, other = ("label", "y") if name.startswith("naive") else ("y", "label")
    options = {"target": target, "ignore": [other]}
    frame = spark.read.parquet(str(folder / "rows"))
    held = crake.read(folder / "tested.parquet", in_memory=True, **options)

    def outcome(model: Any) -> dict[str, float]:
        labels = np.asarray(held.schema.classes)[held.target]
        return {"accuracy": float(np.mean(model.predict(held) == labels))}

    def fit(learner: Any, source: Any) -> Work:
        def work() -> Callable[[], dict[str, float]]:
            model = learner.fit(crake.read(source, **options))
            return lambda: outcome(model)

        return work

    if name == "predict":
        model = crake.NaiveBayesClassifier().fit(held)
        return lambda: _to_nothing(model.predict(frame.select(*NUMBERS)))
    if name == "tree":
        return fit(crake.CARTClassifier(max_depth=8), frame)
    # Of a frame with a filter Spark hands the rows over. This one costs nothing: the optimizer sees that it is true.
    return fit(crake.NaiveBayesClassifier(), frame if name.endswith("files") else frame.filter("x0 > 0 or true"))


def work_of_mllib(name: str, spark: Any, folder: Path) -> Work:
    from pyspark.ml.classification import DecisionTreeClassifier, NaiveBayes  # noqa: PLC0415 (an extra)
    from pyspark.ml.feature import VectorAssembler  # noqa: PLC0415 (an extra)

    assembler = VectorAssembler(inputCols=NUMBERS, outputCol="features", handleInvalid="skip")
    frame = spark.read.parquet(str(folder / "rows"))
    tested = assembler.transform(spark.read.parquet(str(folder / "tested.parquet")))
    bayes = NaiveBayes(modelType="gaussian")
    if name == "predict":
        model = bayes.fit(tested)
        return lambda: _to_nothing(model.transform(assembler.transform(frame.select(*NUMBERS))))
    learner = DecisionTreeClassifier(maxDepth=8, maxBins=256, seed=1) if name == "tree" else bayes

    def work() -> Callable[[], dict[str, float]]:
        fitted = learner.fit(assembler.transform(frame.select(*NUMBERS, "label")))
        return lambda: {"accuracy": fitted.transform(tested).filter("prediction = label").count() / TESTED}

    return work


def _to_nothing(frame: Any) -> Callable[[], dict[str, float]]:
    frame.write.format("noop").mode("overwrite").save()
    return dict


def serve(side: str, name: str, folder: Path) -> None:
    """Start a session, then do the work once for each line that comes, and say what it took."""
    warnings.simplefilter("ignore")  # Spark warns of the version of pandas
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession  # noqa: PLC0415 (an extra)

    builder = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.memory", os.environ.get("SPARK_MEMORY", "4g"))
    spark = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.read.parquet(str(folder / "rows")).count()
    work = (work_of_crake if side == "crake" else work_of_mllib)(name, spark, folder)
    print("ready", flush=True)
    for _ in sys.stdin:
        before, start = seconds_of_tree(os.getpid()), time.perf_counter()
        outcome = work()
        wall, own = time.perf_counter() - start, seconds_of_tree(os.getpid()) - before
        time.sleep(1)  # Java compiles a little longer
        settled = seconds_of_tree(os.getpid()) - before
        print(json.dumps({**outcome(), "wall": wall, "own": own, "seconds": settled}), flush=True)
    spark.stop()


class Side:
    """A process with a session of Spark, that works when it is asked."""

    def __init__(self, side: str, name: str, folder: Path) -> None:
        command = [sys.executable, "-m", "benchmarks.tables.spark", side, name, str(folder)]
        self.log = (folder / f"{side}.log").open("w")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self.log}
        self.process = subprocess.Popen(command, text=True, **pipes)
        self._answer()

    def work(self) -> dict[str, float]:
        print("once more", file=self.process.stdin, flush=True)
        return json.loads(self._answer())

    def _answer(self) -> str:
        while text := self.process.stdout.readline():
            if text.startswith(("ready", "{")):
                return text
        raise RuntimeError(f"the session ended: {Path(self.log.name).read_text()[-2000:]}")

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.log.close()


def compare(name: str, folder: Path, rows: int, times: int) -> None:
    """Let both sides do a work, in turn, in sessions of their own."""
    sides = [Side(side, name, folder) for side in ("crake", "mllib")]
    try:
        turns = [[side.work() for side in sides] for _ in range(1 + times)]
    finally:
        for side in sides:
            side.close()
    work = f"{name}, {rows:,} × {COLUMNS}"
    ours, peer = (turn["seconds"] for turn in turns[0])
    print(line(f"{work}: first", ours, peer, ours / peer, ""))
    ours, peer = (min(turn[k]["seconds"] for turn in turns[1:]) for k in range(2))
    print(line(f"{work}: later", ours, peer, ours / peer, f"≤ {BARS[name]}×"))
    for k, side in enumerate(("crake", "MLlib")):
        last = turns[-1][k]
        said = [f"accuracy {last['accuracy']:.4f}"] if "accuracy" in last else []
        each = ", ".join(f"{turn[k]['seconds']:.2f}" for turn in turns)
        said += [f"CPU seconds of the turns {each}", f"the last took {last['wall']:.2f} s by the clock"]
        print(f"  {side}: {'; '.join(said)}", flush=True)


def main() -> None:
    rows = int(os.environ.get("SPARK_ROWS", "10_000_000"))
    times = int(os.environ.get("SPARK_TIMES", "3"))
    names = [name for name in BARS if name in os.environ.get("SPARK_WORKS", ";".join(BARS)).split(";")]
    folder = written(rows)
    print(HEADER)
    for name in names:
        compare(name, folder, rows, times)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        serve(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
    else:
        main()
