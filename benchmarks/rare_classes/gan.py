"""The GAN: time and quality of its rows, and what learners learn from them beside SMOTE and weights, on the same folds.

Tables: a simulated one, and mammography and credit-g where they are there.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path

import numpy as np

import crake
from crake import GAN
from crake.table.convert.frames import from_xy
from crake.table.table import Table

DATA = Path(__file__).parents[3] / "shared" / "data"
LEARNERS = ("logistic", "forest")
WAYS = ("none", "weights", "under", "over", "smote", "perturb", "gan", "cutoff")
FOLDS = 10


def main() -> None:
    if importlib.util.find_spec("jax") is None:
        print("JAX is not installed: pip install 'crake[gan]'")
        return
    chosen = sys.argv[1:] or ("quality", *tables())
    if "quality" in chosen:
        _time_and_quality()
    for name in chosen:
        if name != "quality":
            _same_folds(name)


def tables() -> dict[str, Table]:
    """Tables with a rare class, by name."""
    found = {"simulated": simulated(300, 10_000, apart=1.0)}
    if DATA.is_dir():
        path = DATA / "csv/mammography.csv.gz"
        found["mammography"] = crake.read(path, target="column_7", nominal=["column_7"])
        found["credit-g"] = crake.read(DATA / "arff/credit-g.arff", target="class")
    return found


def _time_and_quality() -> None:
    print("bars: at most 3 minutes for 10k × 10 on two cores; each column within 0.1")
    for name, table in {**tables(), "simulated": simulated(10_000, 20_000)}.items():
        gan = GAN()
        start, processor = time.perf_counter(), time.process_time()
        gan.sample(table.known())
        spent, processor = time.perf_counter() - start, time.process_time() - processor
        print(f"\n{name}: {spent:.0f} s, {processor:.0f} s of processor time")
        print(gan.quality_[0], flush=True)


def _same_folds(name: str) -> None:
    table = tables()[name]
    for learner in LEARNERS:
        start = time.perf_counter()
        print(f"\n{crake.compare_balance(learner, table, ways=WAYS, plan=crake.CrossValidation(FOLDS))}")
        print(f"{time.perf_counter() - start:.0f} s", flush=True)
        study = crake.made_up_quality(GAN(), table, learner=learner, plan=crake.CrossValidation(FOLDS))
        print(f"\n{study.grid()}\n{study.advice}", flush=True)


def simulated(rare: int, common: int, apart: float = 0.0) -> Table:
    """A mixed table whose columns hang together: humps, long tails, many zeros, counts, gaps, names.

    `apart` is the distance of the classes in the hidden number that most columns hang on.
    """
    generator = np.random.default_rng(0)
    n = rare + common
    hidden = generator.normal(size=n) + apart * (np.arange(n) < rare)
    kind = hidden + generator.normal(size=n) > 0.5
    X = np.empty((n, 10), object)
    X[:, 0] = hidden * 2 + generator.normal(size=n)
    X[:, 1] = np.exp(0.8 * hidden + 0.3 * generator.normal(size=n))
    X[:, 2] = np.where(kind, generator.normal(20, 2, n), generator.normal(5, 1, n))
    X[:, 3] = np.where(generator.random(n) < 0.4, 0.0, generator.gamma(2, 3, n))
    X[:, 4] = np.round(np.clip(40 + 10 * hidden + 5 * generator.normal(size=n), 18, 90))
    X[:, 5] = np.where(generator.random(n) < 0.1, np.nan, generator.random(n))
    X[:, 6] = generator.poisson(2, n)
    X[:, 7] = np.where(kind, "old", "new")
    X[:, 8] = np.array(list("abcdef"))[(hidden * 1.2 + 2 + generator.normal(size=n)).clip(0, 5).astype(int)]
    X[:, 9] = generator.choice(["north", "south", "east", "west"], n, p=[0.6, 0.25, 0.1, 0.05])
    return from_xy(X, np.repeat(["yes", "no"], [rare, common]))


if __name__ == "__main__":
    main()
