"""Logistic regression of a million rows: 20 numbers, and 10 nominal columns of 50 levels; its peers beside it.

Best of several runs in turn. The ratio of processor times is there because other work on the machine moves it less.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
import textwrap
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from benchmarks.lines import HEADER, line
from crake import LogisticClassifier

ROWS, COLUMNS = 1_000_000, 20
NOMINAL, LEVELS = 10, 50
SOLVERS = ("newton-cholesky", "lbfgs")


def numbers() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    X = generator.normal(size=(ROWS, COLUMNS))
    z = X @ (0.5 * generator.normal(size=COLUMNS)) + 0.3
    return X, (generator.random(ROWS) < 1 / (1 + np.exp(-z))).astype(int)


def names() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(2)
    X = generator.integers(0, LEVELS, (ROWS, NOMINAL))
    z = (0.3 * generator.normal(size=(NOMINAL, LEVELS)))[np.arange(NOMINAL), X].sum(axis=1)
    return X, (generator.random(ROWS) < 1 / (1 + np.exp(-z))).astype(int)


def main() -> None:
    warnings.simplefilter("ignore")
    print(HEADER)
    _numbers()
    _names()
    _memory()


def _log_likelihood(probabilities: np.ndarray, y: np.ndarray) -> float:
    return float(np.log(probabilities[np.arange(len(y)), y]).sum())


def _beside(times: int, said: str, bar: str, ours: Callable[[], object], peer: Callable[[], object]) -> None:
    """Both in turn; the best time of each, and the least processor time."""
    spent = [[_spent(work) for work in (ours, peer)] for _ in range(times)]
    wall, processor = np.array(spent).min(axis=0).T
    print(line(said, wall[0], wall[1], wall[1] / wall[0], f"{bar} ({processor[1] / processor[0]:.1f}× by processor)"))


def _spent(work: Callable[[], object]) -> tuple[float, float]:
    start, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - processor


def _numbers() -> None:
    X, y = numbers()
    ours = LogisticClassifier().fit(X, y)

    def fit() -> object:
        return ours.fit(X, y).standard_errors_

    for solver in SOLVERS:
        peer = LogisticRegression(C=np.inf, solver=solver, tol=1e-4, max_iter=1000).fit(X, y)
        apart = _log_likelihood(peer.predict_proba(X), y) / ours.log_likelihood_ - 1
        said = f"1M × 20 numbers, with errors, {solver} ({apart:.0e} apart)"
        _beside(4, said, "≥ 1.5× faster", fit, lambda peer=peer: peer.fit(X, y))
    if importlib.util.find_spec("statsmodels") is None:
        print("statsmodels is not installed: not measured")
        return
    from statsmodels.api import Logit, add_constant  # noqa: PLC0415  # where it is installed

    for method in ("newton", "lbfgs"):

        def peers_errors(method: str = method) -> object:
            return Logit(y, add_constant(X)).fit(method=method, disp=0).bse

        apart = Logit(y, add_constant(X)).fit(method=method, disp=0).llf / ours.log_likelihood_ - 1
        said = f"1M × 20 numbers, statsmodels' {method} ({apart:.0e} apart)"
        _beside(2, said, "≥ 5× faster", fit, peers_errors)


def _names() -> None:
    X, y = names()
    ours = LogisticClassifier(nominal="all").fit(X, y)
    # The looser tolerance leaves lbfgs 1e-6 short of the log-likelihood; the tighter one brings it within 1e-8.
    for solver, tol in (("lbfgs", 1e-6), ("newton-cg", 1e-4)):
        peer = make_pipeline(
            OneHotEncoder(drop="first"), LogisticRegression(C=np.inf, solver=solver, tol=tol, max_iter=1000)
        ).fit(X, y)
        apart = _log_likelihood(peer.predict_proba(X), y) / ours.log_likelihood_ - 1
        said = f"1M × 10 nominal of 50, one-hot, {solver} ({apart:.0e} apart)"
        _beside(3, said, "≥ 3× faster", lambda: ours.fit(X, y).standard_errors_, lambda peer=peer: peer.fit(X, y))


PEAK = """
import sys, warnings
from pathlib import Path
import numpy as np
warnings.simplefilter("ignore")
from benchmarks.learners.logistic import LogisticClassifier, make_pipeline, OneHotEncoder, LogisticRegression
rows = np.random.default_rng(0).integers(0, 3, (200, 3))
peer = make_pipeline(OneHotEncoder(drop="first"), LogisticRegression(C=np.inf, max_iter=1000))
learner = LogisticClassifier(nominal="all") if sys.argv[1] == "crake" else peer
learner.fit(rows, np.arange(200) % 2)  # compiled, loaded
X, y = np.load(sys.argv[2] + "/X.npy"), np.load(sys.argv[2] + "/y.npy")
def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew; a child begins with its parent's
before = peak()
learner.fit(X, y)
print(peak() - before)
"""


def _memory() -> None:
    """The largest memory that a fresh process needed beyond its data, as Linux counts it."""
    if not Path("/proc/self/clear_refs").exists():
        print("memory is measured on Linux only")
        return
    used = {}
    with tempfile.TemporaryDirectory() as folder:
        X, y = names()
        np.save(f"{folder}/X.npy", X)
        np.save(f"{folder}/y.npy", y)
        for which in ("crake", "peer"):
            command = [sys.executable, "-c", textwrap.dedent(PEAK), which, folder]
            used[which] = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    work, ratio = "memory, 1M × 10 nominal of 50, one-hot", used["peer"] / used["crake"]
    print(f"{work:58} | {used['crake']:6.0f} MB | {used['peer']:6.0f} MB | {ratio:6.2f}× | ≥ 5× less")


if __name__ == "__main__":
    main()
