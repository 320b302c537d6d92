"""A description takes work linear in the columns, counted in lines of Python run and not by a clock."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.lines_run import lines_run

import crake


def wide(path: Path, columns: int) -> Path:
    """Write names, fractions, and whole numbers that nearly look like ids, which are compared with copied rows."""
    rng = np.random.default_rng(5)
    rows = 12
    ids = np.arange(rows)
    ids[1] = ids[0]
    kinds: list[Any] = [rng.choice(["a", "b"], rows), rng.normal(size=rows).round(3), ids, ["x y z w v u t s"] * rows]
    cells = [list(map(str, kinds[j % len(kinds)])) for j in range(columns)]
    lines = [[f"c{j}" for j in range(columns)] + ["y"], *([c[i] for c in cells] + ["nj"[i % 2]] for i in range(rows))]
    path.write_text("\n".join(",".join(line) for line in lines))
    return path


@pytest.mark.parametrize("in_memory", [True, False])
def test_twice_the_columns_are_twice_the_work(in_memory: bool, tmp_path: Path) -> None:
    def describe(columns: int) -> None:
        table = crake.read(tmp_path / f"{columns}.csv", "y", ignore=["c0"], in_memory=in_memory)
        str(table.describe())

    work = []
    for columns in (100, 200, 400):
        wide(tmp_path / f"{columns}.csv", columns)
        describe(columns)  # what is loaded or made once is not counted
        work.append(lines_run(lambda columns=columns: describe(columns)))  # type: ignore[misc]
    assert work[2] - work[1] < 2.1 * (work[1] - work[0])
