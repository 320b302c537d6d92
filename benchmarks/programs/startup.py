"""Starting up: import, help, and a first comparison, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMAND = [sys.executable, "-m", "crake"]
WORKS = (
    ("import crake", [sys.executable, "-c", "import crake"], "≤ 0.2 s", 5),
    ("crake --help", [*COMMAND, "--help"], "≤ 0.3 s", 5),
    ("from crake import C45Classifier", [sys.executable, "-c", "from crake import C45Classifier"], "≤ 0.5 s", 5),
    ("crake describe iris", [*COMMAND, "describe", "iris"], "≤ 0.8 s", 5),
    ("crake compare iris, kernels compiled", [*COMMAND, "compare", "iris"], "≤ 3 s", 3),
)


def main() -> None:
    print(f"{'work':58} | {'seconds':>9} | bar")
    subprocess.run([*COMMAND, "compare", "iris"], check=True, capture_output=True)
    for work, command, bar, times in WORKS:
        print(f"{work:58} | {min(_seconds(command) for _ in range(times)):7.2f} s | {bar}")
    with tempfile.TemporaryDirectory() as folder:
        _with_model(Path(folder))
    with tempfile.TemporaryDirectory() as empty:
        cold = _seconds([*COMMAND, "compare", "iris"], XDG_CACHE_HOME=empty)
    print(f"{'crake compare iris, the very first time (compiling)':58} | {cold:7.2f} s | ≤ 15 s")


def _with_model(folder: Path) -> None:
    """What a model of a small table takes to be used once."""
    model, rows = folder / "iris.crake", folder / "iris.csv"
    rows.write_bytes(subprocess.run([*COMMAND, "examples", "iris"], check=True, capture_output=True).stdout)
    subprocess.run([*COMMAND, "train", "iris", "-l", "c4.5", "-o", model], check=True, capture_output=True)
    works = {
        "crake predict, C4.5 of iris": ["predict", model, rows],
        "crake explain, C4.5 of iris": ["explain", model, rows, "--row", "70"],
        "crake describe, a CSV file of iris": ["describe", rows],
        "crake describe, a model of iris": ["describe", model],
    }
    for work, command in works.items():
        seconds = min(_seconds([*COMMAND, *map(str, command)]) for _ in range(5))
        print(f"{work:58} | {seconds:7.2f} s | ≤ 0.8 s")


def _seconds(command: list[str], **environment: str) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **environment})
    return time.perf_counter() - start
