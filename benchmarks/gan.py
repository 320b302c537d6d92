"""The GAN: time and quality of its rows on a simulated table, and on mammography and credit-g where they are there."""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path

import numpy as np

import crake
from crake import GAN
from crake.table.convert.frames import from_xy
from crake.table.table import Table

RARE, COMMON = 10_000, 20_000
DATA = Path(__file__).parents[2] / "shared" / "data"


def main() -> None:
    if importlib.util.find_spec("jax") is None:
        print("JAX is not installed: pip install 'crake[gan]'")
        return
    tables = {"simulated, 10k rare rows × 10 columns": simulated()}
    if DATA.is_dir():
        tables["mammography, 260 rare rows"] = crake.read(
            DATA / "csv/mammography.csv.gz", target="column_7", nominal=["column_7"]
        )
        tables["credit-g, 300 rare rows"] = crake.read(DATA / "arff/credit-g.arff", target="class")
    print("bars: at most 3 minutes for 10k × 10 on two cores; each column within 0.1")
    for name, table in tables.items():
        gan = GAN()
        start, processor = time.perf_counter(), time.process_time()
        gan.sample(table.known())
        spent, processor = time.perf_counter() - start, time.process_time() - processor
        print(f"\n{name}: {spent:.0f} s, {processor:.0f} s of processor time")
        print(gan.quality_[0])


def simulated() -> Table:
    """A mixed table whose columns hang together: humps, long tails, many zeros, counts, gaps, names."""
    generator = np.random.default_rng(0)
    n = RARE + COMMON
    hidden = generator.normal(size=n)
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
    return from_xy(X, np.repeat(["yes", "no"], [RARE, COMMON]))


if __name__ == "__main__":
    main()
