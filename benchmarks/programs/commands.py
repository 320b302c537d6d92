"""Commands on larger tables, each in a process of its own: `describe` of many columns, `compare` of all learners.

Seconds are by the clock, so that the processors must be quiet; beside them the processor seconds. Each command runs
twice at least, the best counts: the first run may compile kernels.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

CRAKE = [sys.executable, "-m", "crake"]
WIDE = ((120, 5_000, "≤ 3 s"), (20, 20_000, "≤ 10 s"))
LONG = ((5_400, 5, "≤ 10 s"), (10_000, 20, "≤ 20 s"))
ADULT = Path(__file__).parents[3] / "shared" / "data" / "arff" / "adult-train.arff.gz"


def main() -> None:
    print(f"{'work':50} | {'seconds':>9} | {'CPU':>7} | {'lines':>6} | bar")
    with tempfile.TemporaryDirectory() as folder:
        for rows, columns, bar in WIDE:
            file = _file(Path(folder) / f"{rows}x{columns}.csv", rows, columns, strength=0.0)
            for options in ([], ["-t", "y"]):
                work = f"crake describe, {rows} × {columns:,}{', with a target' if options else ''}"
                _measure(work, ["describe", str(file), *options], 3, bar)
        for rows, columns, bar in LONG:
            file = _file(Path(folder) / f"{rows}x{columns}.csv", rows, columns, strength=2.0)
            _measure(f"crake compare, {rows:,} × {columns} numbers", ["compare", str(file), "-t", "y"], 2, bar)
    if ADULT.exists():
        _measure("crake compare, adult, 32,561 × 14", ["compare", str(ADULT), "-t", "last"], 2, "≤ 20 s")
    else:
        print(f"compare of adult is left out: there is no {ADULT}")


def _measure(work: str, words: list[str], times: int, bar: str) -> None:
    """Print the best of several runs by the clock."""
    seconds, processor, lines = min(_run([*CRAKE, *words]) for _ in range(times))
    print(f"{work:50} | {seconds:7.2f} s | {processor:5.2f} s | {lines:6} | {bar}", flush=True)


def _file(path: Path, rows: int, columns: int, strength: float) -> Path:
    """Write numbers and two classes; the first two columns and their product say something of the class, or nothing."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(rows, columns)).round(4)
    odds = strength * (values[:, 0] - values[:, 1] * values[:, 2])
    classes = np.where(rng.random(rows) < 1 / (1 + np.exp(-odds)), "a", "b")
    lines = [",".join([*(f"c{j}" for j in range(columns)), "y"])]
    lines += [",".join([*map(str, row), label]) for row, label in zip(values.tolist(), classes, strict=True)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def _run(command: list[str]) -> tuple[float, float, int]:
    start, before = time.perf_counter(), _processor()
    done = subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start, _processor() - before, done.stdout.count(b"\n")


def _processor() -> float:
    """Return the processor seconds of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
