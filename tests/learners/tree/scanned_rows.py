"""Rows for trees that are grown from scans, and the comparison of these trees with those of memory."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake
from crake.learners.tree.scanned import budget, layout, mapped_room
from crake.learners.tree.tree import Surrogates, Tree
from crake.table.table import Table

ROWS = 700


def count_rows_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count neither what the process of the tests holds nor batches: limits are for the rows of a tree."""
    monkeypatch.setattr(budget, "resident_bytes", lambda: 0)
    monkeypatch.setattr(mapped_room, "memory_in_use", lambda: (0, 0))
    monkeypatch.setattr(budget, "BATCHES", 0)
    monkeypatch.setattr(budget, "BESIDE", 0)


def keep_in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lay rows out in small files, of which every page is given back again and again."""
    monkeypatch.setattr(layout, "PRUNING", 10**9)
    monkeypatch.setattr(mapped_room, "SMALL", 0)
    monkeypatch.setattr(mapped_room, "SEGMENT", 1 << 14)
    monkeypatch.setattr(mapped_room, "SHARE", -1.0)


def write_rows(path: Path, classes: int, *, gaps: bool = False) -> Path:
    """Write columns with ties, few and many levels, a useless one, and classes that follow some of them.

    With `gaps` every seventh cell or so is missing, in the target too.
    """
    rng = np.random.default_rng(classes)
    wide, narrow = rng.normal(size=ROWS), rng.integers(0, 9, ROWS).astype(float)
    colour, town = rng.choice(["red", "green", "blue"], ROWS), rng.choice([f"t{i:02}" for i in range(25)], ROWS)
    score = np.where(colour == "red", wide, narrow / 4 - 1) + 0.2 * (town < "t11") + rng.normal(0, 0.3, ROWS)
    label = np.digitize(score, np.linspace(-1, 1, classes - 1) if classes > 2 else [0.3])
    columns = {
        "wide": wide,
        "colour": colour,
        "narrow": narrow,
        "noise": np.round(rng.normal(size=ROWS), 2),
        "town": town,
        "same": np.zeros(ROWS),
        "label": np.array([f"c{i}" for i in label]),
        "score": score,
    }
    is_gap = {name: gaps & (rng.random(ROWS) < 0.15) for name in columns}
    table = pa.table({name: pa.array(cells, mask=is_gap[name]) for name, cells in columns.items()})
    pq.write_table(table, path, row_group_size=150)
    return path


def scanned(path: Path, memory: int = 10**9, target: str = "label") -> Table:
    """Return the file as a scan, with this memory for its rows."""
    return crake.read(path, in_memory=False, **_columns(target)).with_memory(memory)


def held(path: Path, target: str = "label") -> Table:
    """Return the file in memory."""
    return crake.read(path, **_columns(target))


def _columns(target: str) -> dict[str, object]:
    return {"target": target, "ignore": ["score" if target == "label" else "label"]}


def assert_same_tree(one: Tree, other: Tree) -> None:
    """Raise unless two trees are the same to the last bit."""
    for each in fields(Tree):
        if each.name != "surrogates":
            np.testing.assert_array_equal(getattr(one, each.name), getattr(other, each.name), err_msg=each.name)
    for each in fields(Surrogates):
        mine, its = getattr(one.surrogates, each.name), getattr(other.surrogates, each.name)
        np.testing.assert_array_equal(mine, its, err_msg=f"surrogates: {each.name}")
