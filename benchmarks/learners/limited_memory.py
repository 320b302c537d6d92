"""Learners below limits of memory, each in a process of its own, beside the same learner with all rows in memory."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

DATA = Path(__file__).parents[1] / "data"
ROWS_PER_GROUP = 1 << 17

CHILD = """
import hashlib, json, resource, sys, time
import crake
path, memory, target = sys.argv[1], int(sys.argv[2]), sys.argv[3]
small = crake.read("iris")
{warm_up}
learner = crake.{learner}
scans = []
start = time.process_time()
numbers = [target] if target != "y" else []
table = crake.read(path, target=target, numeric=numbers, in_memory=not memory)
if memory:
    last = [0]
    def told(rows, *_):
        if rows < last[0]: scans.append(1)
        last[0] = rows
    table = table.with_memory(memory).with_progress(told)
model = learner.fit(table)
seconds = time.process_time() - start
bits = b"".join(getattr(model.{part}, name).tobytes() for name in {arrays})
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
answer = dict(seconds=seconds, peak=peak, model=hashlib.sha256(bits).hexdigest()[:12])
print(json.dumps({{**answer, "scans": len(scans) + 1 if memory else 1}}))
"""


@dataclass(frozen=True)
class Work:
    """How a learner is tried: code that compiles, the fitted part whose arrays are compared, the column of numbers.

    `bars` are times the CPU of memory that may be taken at a share of its peak.
    """

    warm_up: str
    part: str
    arrays: tuple[str, ...]
    number: str
    bars: dict[float, float]

    def measure(self, learner: str, path: Path, memory: int = 0) -> dict[str, float]:
        """Return CPU seconds, peak, scans and a hash of the model; nothing where the limit is refused."""
        code = CHILD.format(learner=learner, warm_up=self.warm_up, part=self.part, arrays=self.arrays)
        target = self.number if "Regressor" in learner else "y"
        command = [sys.executable, "-c", code, str(path), str(memory), target]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            print(done.stderr.splitlines()[-1])
            return {}
        return json.loads(done.stdout)

    def compare(self, name: str, learner: str, path: Path, *, is_timed: bool = True) -> None:
        """Learn in memory, and below shares of its peak."""
        held = self.measure(learner, path)
        print(f"{name:13} in memory: {held['seconds']:7.1f} CPU s, peak {held['peak'] / 1e6:6.0f} MB", flush=True)
        for share, bar in self.bars.items():
            limit = int(share * held["peak"])
            found = self.measure(learner, path, limit)
            if not found:
                continue
            ratio, is_same = found["seconds"] / held["seconds"], found["model"] == held["model"]
            holds = found["peak"] <= limit and (ratio <= bar or not is_timed) and is_same
            print(
                f"{name:13} below {limit / 1e6:6.0f} MB: {found['seconds']:7.1f} CPU s ({ratio:.2f}×), peak "
                f"{found['peak'] / 1e6:6.0f} MB, {found['scans']} scans, {'same' if is_same else 'ANOTHER'} model: "
                f"{'holds' if holds else 'MISSED'}",
                flush=True,
            )


def written(name: str, columns: int, rows: int, draw: Callable[[np.random.Generator, int], Rows]) -> Path:
    """Return the Parquet file of so many rows of numbers and a class; it is written once."""
    DATA.mkdir(exist_ok=True)
    path = DATA / f"{name}_{rows}.parquet"
    if not path.exists():
        start = time.perf_counter()
        generator = np.random.default_rng(5)
        schema = pa.schema([*((f"x{j}", pa.float64()) for j in range(columns)), ("y", pa.string())])
        with pq.ParquetWriter(path, schema) as writer:
            for size in _sizes(rows, (10 << 20) // columns):
                x, y = draw(generator, size)
                numbers = {f"x{j}": x[:, j] for j in range(columns)}
                writer.write_table(pa.table({**numbers, "y": y}, schema), row_group_size=ROWS_PER_GROUP)
        print(f"wrote {path.name} in {time.perf_counter() - start:.0f} s")
    print(f"{path.stem}: {path.stat().st_size / 1e9:.2f} GB, {columns} numbers")
    return path


Rows = tuple[np.ndarray, np.ndarray]


def score(x: np.ndarray) -> np.ndarray:
    """Return a number of which six columns decide, with an interaction."""
    return x[:, 0] * x[:, 1] + np.sin(2 * x[:, 2]) + 0.5 * x[:, 3] + (x[:, 4] > 0.3) * x[:, 5]


def classes(of: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return the class of each score, with noise."""
    return np.where(of + generator.normal(size=len(of)) > 0, "yes", "no")


def _sizes(rows: int, most: int) -> Iterator[int]:
    for begin in range(0, rows, most):
        yield min(most, rows - begin)
