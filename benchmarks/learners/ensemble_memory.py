"""Memory of 100 bagged trees beyond the table that all threads share, in bytes a row a thread, by the resident set.

Each number of threads has a process of its own. The resident set is read every few milliseconds while trees grow, in
the second half of the fit: the columns that trees share are sorted before. Trees are at most DEPTH questions deep:
deeper ones are stored in so many small arrays that the pages between these count more than the rows do. Their arrays
are taken off. The slope is what one more thread takes. Arrays that are freed go back to the system at once
(MALLOC_MMAP_THRESHOLD_), so that the allocator's store is not counted.

Threads are not always at their most at one moment: the slope differs a little from run to run. What one member
allocates does not: the most while it is drawn and grown, less what there was before it.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
import tracemalloc
from pathlib import Path

import numpy as np

import crake
from crake.kernels import threads
from crake.learners.ensemble.bagging.samples import Sample

ROWS, COLUMNS, TREES, DEPTH = 300_000, 10, 100, 4


def resident() -> int:
    """Return the resident set of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Watch(threading.Thread):
    """Reads the resident set until it is told to stop."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.read: list[int] = []
        self.ends = threading.Event()

    def run(self) -> None:
        while not self.ends.wait(0.005):
            self.read.append(resident())


def measure(number: int) -> None:
    """Print the bytes a row while trees grow in some threads, and the most while columns are sorted."""
    generator = np.random.default_rng(1)
    X = generator.normal(size=(ROWS, COLUMNS))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + generator.normal(size=ROWS) > 0).astype(np.int64)
    with threads.limited(number):
        _bag(10).fit(X[:250_000], y[:250_000])
        gc.collect()
        before, watch = resident(), Watch()
        watch.start()
        start = time.process_time()
        model = _bag(TREES).fit(X, y)
        seconds = time.process_time() - start
        watch.ends.set()
        watch.join()
    kept = sum(_bytes_of(member.tree_) for member in model.estimators_)
    half = len(watch.read) // 2
    grown = (max(watch.read[half:]) - before - kept) / ROWS
    print(f"{number} {grown:.2f} {(max(watch.read[:half]) - before) / ROWS:.2f} {seconds:.1f} {len(model.estimators_)}")


def allocated() -> None:
    """Print the most bytes a row that a member allocates while it is drawn and grown by one thread."""
    generator = np.random.default_rng(1)
    X = generator.normal(size=(ROWS, COLUMNS))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + generator.normal(size=ROWS) > 0).astype(np.int64)
    before: list[int] = []
    most: list[int] = []
    copies = Sample.copies

    def watched(sample: Sample, rows: int) -> object:
        now, peak = tracemalloc.get_traced_memory()
        before.append(now)
        most.append(peak)
        tracemalloc.reset_peak()
        return copies(sample, rows)

    with threads.limited(1):
        _bag(10).fit(X[:250_000], y[:250_000])
        Sample.copies = watched  # type: ignore[method-assign, assignment]
        tracemalloc.start()
        _bag(10).fit(X, y)
    held = [(peak - now) / ROWS for now, peak in zip(before[:-1], most[1:], strict=True)]
    print(f"a member allocates at most {max(held[1:]):.2f} bytes a row while it is drawn and grown (bar 10)")


def _bytes_of(tree: object) -> int:
    """Return the bytes of the arrays of a tree."""
    return sum(each.nbytes for each in vars(tree).values() if isinstance(each, np.ndarray))


def _bag(trees: int) -> crake.BaggingClassifier:
    return crake.BaggingClassifier(crake.CARTClassifier(max_depth=DEPTH), n_estimators=trees, oob_score=False)


def main() -> None:
    print(f"{TREES} bagged trees, {ROWS:,} rows × {COLUMNS}, up to {DEPTH} questions deep")
    found = []
    for number in (1, 2):
        out = subprocess.run(
            [sys.executable, "-m", "benchmarks.learners.ensemble_memory", str(number)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"},
        ).stdout.split()
        found.append((number, float(out[1])))
        print(f"{number} threads: growing {out[1]} bytes a row, at most {out[2]} while sorting; {out[3]} CPU seconds")
    slope = (found[-1][1] - found[0][1]) / (found[-1][0] - found[0][0])
    shared = found[0][1] - slope
    print(f"a thread, resident: {slope:.1f} bytes a row; shared: {shared:.1f}, of which ranks are {4 * COLUMNS}")
    allocated()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(int(sys.argv[1]))
    else:
        main()
