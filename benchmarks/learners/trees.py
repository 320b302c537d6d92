"""Decision trees beside scikit-learn, ydf and WEKA, on the same rows in one run.

ydf and WEKA (python-weka-wrapper3, which needs Java) are measured where they are installed; they are not among crake's
own dependencies. The KDD Cup table is read from ../shared/data/csv where it is there.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.tree import DecisionTreeClassifier

import crake
from benchmarks.lines import HEADER, best_of, line
from crake import C45Classifier, CARTClassifier, ID3Classifier
from crake.table.convert.frames import from_xy

KDD = Path(__file__).parents[3] / "shared" / "data" / "csv" / "kddcup99_10pct.csv.gz"


def made(rows: int, columns: int = 20) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    X = generator.normal(size=(rows, columns))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + generator.normal(size=rows) > 0).astype(np.int64)


def main() -> None:
    X, y = made(500_000)
    CARTClassifier(max_depth=3).fit(X[:1000], y[:1000])
    C45Classifier(max_depth=3).fit(X[:1000], y[:1000])
    print(HEADER)
    _gini(X, y, 10, "depth 10", 3)
    _gini(X, y, None, "grown fully", 1)
    _ydf(X, y)
    _criteria(X, y)
    _kdd()
    _nominal()
    _predict(X, y)
    _memory()
    _growth()


def _gini(X: np.ndarray, y: np.ndarray, depth: int | None, words: str, times: int) -> None:
    ours, theirs = best_of(
        times,
        lambda: CARTClassifier(max_depth=depth).fit(X, y),
        lambda: DecisionTreeClassifier(max_depth=depth).fit(X, y),
    )
    print(line(f"500k × 20, Gini, {words}, scikit-learn", ours, theirs, theirs / ours, "≥ 12× faster"))


def _ydf(X: np.ndarray, y: np.ndarray) -> None:
    if find_spec("ydf") is None:
        print("500k × 20, Gini, depth 10, ydf: not installed")
        return
    import ydf  # noqa: PLC0415 - a peer that may be absent

    ydf.verbose(0)
    data = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y}
    learner = ydf.CartLearner(label="y", max_depth=11, min_examples=1, validation_ratio=0.0, num_threads=2)
    ours, theirs = best_of(2, lambda: CARTClassifier(max_depth=10).fit(X, y), lambda: learner.train(data))
    print(line("500k × 20, Gini, depth 10, ydf CartLearner, 2 threads", ours, theirs, theirs / ours, "≥ 6× faster"))


def _criteria(X: np.ndarray, y: np.ndarray) -> None:
    gini, entropy, ratio = best_of(
        3,
        lambda: CARTClassifier(max_depth=10).fit(X, y),
        lambda: CARTClassifier(criterion="entropy", max_depth=10).fit(X, y),
        lambda: C45Classifier(max_depth=10, pruning=None, collapse=False).fit(X, y),
    )
    print(line("entropy, own Gini", entropy, gini, entropy / gini, "≤ 1.5×"))
    print(line("gain ratio (C4.5, unpruned), own Gini", ratio, gini, ratio / gini, "≤ 1.5×"))


def _kdd() -> None:
    if not KDD.exists():
        print("KDD Cup 99: its file is not there")
        return
    table = crake.read(KDD, target="class")
    C45Classifier().fit(table.take(np.arange(2000)))
    model = C45Classifier()
    # A fresh copy each time: a table keeps its columns side by side once they have been asked for.
    copies = [table.take(np.arange(len(table))) for _ in range(3)]
    (ours,) = best_of(3, lambda: model.fit(copies.pop()))
    right = float(np.mean(np.argmax(model.predict_proba(table), axis=1) == table.target))
    print(
        f"KDD Cup 99, 494k rows, C4.5: {ours:.2f} s, {model.n_leaves_} leaves, {right:.5f} of the training rows right"
    )
    if find_spec("weka") is None:
        print("KDD Cup 99, WEKA J48: not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kdd.arff"
        crake.write_arff(table, path)
        theirs, leaves, share = _j48(path)
    print(
        line(
            f"KDD Cup 99, C4.5, WEKA J48 ({leaves} leaves, {share:.5f} right)",
            ours,
            theirs,
            theirs / ours,
            "≥ 20× faster",
        )
    )


def _j48(path: Path) -> tuple[float, int, float]:
    from weka.classifiers import Classifier, Evaluation  # noqa: PLC0415 - a peer that may be absent
    from weka.core import jvm  # noqa: PLC0415
    from weka.core.converters import Loader  # noqa: PLC0415

    jvm.start(max_heap_size="8g", packages=False, logging_level=50)
    data = Loader(classname="weka.core.converters.ArffLoader").load_file(str(path))
    data.class_is_last()
    learner = Classifier(classname="weka.classifiers.trees.J48")
    start = time.perf_counter()
    learner.build_classifier(data)
    seconds = time.perf_counter() - start
    leaves = int(learner.jobject.measureNumLeaves())
    evaluation = Evaluation(data)
    evaluation.test_model(learner, data)
    return seconds, leaves, evaluation.percent_correct / 100


def _nominal() -> None:
    generator = np.random.default_rng(1)
    rows, levels = 1_000_000, (2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
    X = np.stack([generator.integers(0, count, rows) for count in levels], axis=1)
    y = (X[:, 0] + X[:, 1] % 2 + generator.integers(0, 2, rows) > 1).astype(np.int64)
    table = from_xy(X, y, nominal="all")
    learner = ID3Classifier(max_depth=1)
    learner.fit(table.take(np.arange(1000)))
    (seconds,) = best_of(3, lambda: learner.fit(table))
    print(
        f"1M × 10 nominal, one level: {seconds:.3f} s, {rows * 10 / seconds / 1e6:.0f}M rows·attributes/s (bar ≥ 150M)"
    )


def _predict(X: np.ndarray, y: np.ndarray) -> None:
    ours, theirs = CARTClassifier(max_depth=10).fit(X, y), DecisionTreeClassifier(max_depth=10).fit(X, y)
    rows = np.concatenate([X, X])
    ours.predict_proba(rows[:1000])
    crake_s, sklearn_s = best_of(9, lambda: ours.predict_proba(rows), lambda: theirs.predict_proba(rows))
    print(line("predict 1M rows, depth 10, scikit-learn", crake_s, sklearn_s, sklearn_s / crake_s, "≥ 2× faster"))


MEMORY = """
import re
from pathlib import Path
from benchmarks.learners.trees import made
from crake import CARTClassifier

def held(what):  # Linux: the resident memory now (VmRSS) or at its highest (VmHWM), in bytes
    return int(re.search(what + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024

CARTClassifier(max_depth=10).fit(*made(1000))
X, y = made(500_000)
Path("/proc/self/clear_refs").write_text("5")  # the highest starts anew
before = held("VmRSS")
CARTClassifier(max_depth=10).fit(X, y)
print((held("VmHWM") - before) / X.nbytes)
"""


def _memory() -> None:
    done = subprocess.run([sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True)
    print(f"peak memory of fit, 500k × 20, beside the table: {float(done.stdout):.2f} × the table (bar: ≤ 3 ×)")


def _growth() -> None:
    print("rows       | seconds | per n·log n, against the first (bar ≤ 1.8)")
    first = None
    for rows in (125_000, 500_000, 2_000_000):
        X, y = made(rows)
        (seconds,) = best_of(2, lambda X=X, y=y: CARTClassifier().fit(X, y))
        cost = seconds / (rows * math.log(rows))
        first = first or cost
        print(f"{rows:10,} | {seconds:7.2f} | {cost / first:.2f}")
