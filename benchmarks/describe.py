"""Describing wide tables: many columns, few rows, each in a process of its own; with and without a target."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

COMMAND = [sys.executable, "-m", "crake", "describe"]
SIZES = ((120, 5_000, "≤ 3 s"), (20, 20_000, "≤ 10 s"))


def main() -> None:
    print(f"{'work':50} | {'seconds':>9} | {'CPU':>7} | {'lines':>6} | bar")
    with tempfile.TemporaryDirectory() as folder:
        for rows, columns, bar in SIZES:
            file = _file(Path(folder) / f"{rows}x{columns}.csv", rows, columns)
            for options in ([], ["-t", "y"]):
                seconds, processor, lines = min(_run([*COMMAND, str(file), *options]) for _ in range(3))
                work = f"crake describe, {rows} × {columns:,}{', with a target' if options else ''}"
                print(f"{work:50} | {seconds:7.2f} s | {processor:5.2f} s | {lines:6} | {bar}")


def _file(path: Path, rows: int, columns: int) -> Path:
    """Write noise, and two classes that it says nothing about."""
    values = np.random.default_rng(1).normal(size=(rows, columns)).round(4)
    lines = [",".join([*(f"c{j}" for j in range(columns)), "y"])]
    lines += [",".join([*map(str, row), "ab"[i % 2]]) for i, row in enumerate(values.tolist())]
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
