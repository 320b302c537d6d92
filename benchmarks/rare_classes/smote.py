"""SMOTE beside imbalanced-learn (where it is installed): time, peak memory, and equality in distribution over seeds."""

from __future__ import annotations

import importlib
import importlib.util
import time
import tracemalloc

import numpy as np
from scipy.stats import chi2_contingency, ks_2samp, kstest

from benchmarks.lines import HEADER, best_of, line
from crake import SMOTE
from crake.table.convert.frames import from_xy
from crake.table.table import Table

NUMBERS, NAMES, LEVELS = 20, 10, 8


def main() -> None:
    if importlib.util.find_spec("imblearn") is None:
        print("imbalanced-learn is not installed: pip install imbalanced-learn")
        return
    peers = importlib.import_module("imblearn.over_sampling")
    PeerSMOTE, SMOTENC = peers.SMOTE, peers.SMOTENC

    print(HEADER)
    X, y = _numbers(1_000_000)
    other = PeerSMOTE(random_state=1)
    ours, peer = best_of(
        3, lambda: SMOTE().fit_resample(X, y), lambda: other.fit_resample(X, y), clock=time.process_time
    )
    print(line("SMOTE, 1M rows, 1 % rare, 20 numbers", ours, peer, ours / peer, "≤ 1.2"))
    names = list(range(NUMBERS, NUMBERS + NAMES))
    X, y = _mixed(200_000)
    table = from_xy(X, y, nominal=names)
    other = SMOTENC(names, random_state=1)
    ours, peer = best_of(1, lambda: SMOTE().sample(table), lambda: other.fit_resample(X, y), clock=time.process_time)
    print(line("SMOTE, 200k rows, 20 numbers + 10 names; SMOTENC", ours, peer, peer / ours, "≥ 5"))
    print(f"peak memory: {_peak(table):.2f} × the table (bar: ≤ 2)")
    X, y = _mixed(1_000_000)
    table = from_xy(X, y, nominal=names)
    start = time.perf_counter()
    peak = _peak(table)
    print(f"1M rows, 20 numbers + 10 names: {time.perf_counter() - start:.1f} s, peak memory {peak:.2f} × the table")
    _equal_in_distribution(PeerSMOTE, SMOTENC)


def _numbers(rows: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(rows, NUMBERS)), np.zeros(rows, int)
    y[: rows // 100] = 1
    X[: rows // 100] += 0.5
    return X, y


def _mixed(rows: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = _numbers(rows)
    return np.hstack([X, np.random.default_rng(1).integers(0, LEVELS, (rows, NAMES))]), y


def _peak(table: Table) -> float:
    """The peak of memory that sampling allocates, as a multiple of the memory of the table's columns."""
    own = sum(table.column(name).size * table.column(name).itemsize for name in table.schema.names)
    tracemalloc.start()
    sample = SMOTE().sample(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sample.made_rows
    return peak / own


def _equal_in_distribution(peer_numbers: type, peer_mixed: type) -> None:
    """Two-sample tests of each column over seeds; under equality the p-values are spread evenly over 0 … 1."""
    generator = np.random.default_rng(5)
    X = np.hstack([generator.normal(size=(330, 3)) * [1, 2, 3], generator.integers(0, 4, (330, 2))])
    y = np.repeat([1, 0], [30, 300])
    chances: dict[str, list[float]] = {"numbers": [], "numbers of mixed rows": [], "names of mixed rows": []}
    for seed in range(60):
        mine = SMOTE(random_state=seed).fit_resample(X[:, :3], y)[0][330:]
        theirs = peer_numbers(random_state=seed).fit_resample(X[:, :3], y)[0][330:]
        chances["numbers"].append(float(ks_2samp(mine.sum(axis=1), theirs.sum(axis=1)).pvalue))
        mine = SMOTE(random_state=seed, nominal=[3, 4]).fit_resample(X, y)[0][330:]
        theirs = peer_mixed([3, 4], random_state=seed).fit_resample(X, y)[0][330:]
        chances["numbers of mixed rows"].append(float(ks_2samp(mine[:, 0], theirs[:, 0]).pvalue))
        counts = np.array([np.bincount(each[:, 3].astype(int), minlength=4) for each in (mine, theirs)])
        chances["names of mixed rows"].append(float(chi2_contingency(counts[:, counts.sum(axis=0) > 0]).pvalue))
    for what, values in chances.items():
        even = kstest(values, "uniform").pvalue
        print(f"equal to imbalanced-learn in distribution, {what}: p-values of 60 seeds even with p = {even:.3f}")


if __name__ == "__main__":
    main()
