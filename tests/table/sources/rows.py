"""Rows for all sources: gaps, several types, enough rows for several blocks of moments, levels that come late."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 10_000


def arrow_table(rows: int = ROWS, seed: int = 1) -> pa.Table:
    """Ten thousand rows: what the last ones hold was never met before."""
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 3, rows)
    colour = np.array(["red", "green", "blue", "añil"])[draw.integers(0, 4, rows)].astype(object)
    colour[-3:] = ["zinc", "amber", "mauve"]
    city = np.array([f"city {i}" for i in range(300)])[np.minimum(draw.geometric(0.02, rows), 299)]
    return pa.table(
        {
            "colour": pa.array(colour, mask=draw.random(rows) < 0.05),
            "city": city,
            "member": pa.array(draw.random(rows) < 0.3, mask=draw.random(rows) < 0.05),
            "age": pa.array(draw.integers(18, 90, rows), mask=draw.random(rows) < 0.05),
            "income": pa.array(draw.lognormal(10, 1, rows) + 1000 * y, mask=draw.random(rows) < 0.05),
            "joined": pa.array(draw.integers(0, 2_000_000_000, rows), pa.timestamp("s")),
            "plan": pa.array(np.array(["basic", "plus", "pro"])[y], mask=draw.random(rows) < 0.05),
        }
    )


def write_parquet(path: Path, table: pa.Table, files: int = 1, row_group_size: int = 1024) -> Path:
    """The table as a Parquet file, or as a folder of several."""
    if files == 1:
        pq.write_table(table, path, row_group_size=row_group_size)
        return path
    path.mkdir()
    edges = np.linspace(0, table.num_rows, files + 1).astype(int)
    for i in range(files):
        part = table.slice(edges[i], edges[i + 1] - edges[i])
        pq.write_table(part, path / f"part-{i:03}.parquet", row_group_size=row_group_size)
    return path
