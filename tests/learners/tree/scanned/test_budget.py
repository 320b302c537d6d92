"""The memory that a scanned tree may take: what is kept for other things, and what an error advises."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake
from crake.errors import DataError, MemoryRefusal
from crake.learners.tree.scanned import budget, layout, mapped_room
from crake.learners.tree.scanned.budget import Budget
from crake.modelfile.writing import model_bytes
from crake.table.table import Table


def test_compiled_code_has_room_that_rows_do_not_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading the code of a first level took 105 MB of a process that held 172."""
    monkeypatch.setattr(budget, "resident_bytes", lambda: 172_000_000)
    schema = crake.read("golf").schema
    assert Budget.of(172_000_000 + 105_000_000, schema, 0).free == 0
    assert Budget.of(400_000_000, schema, 0).free > 0


def test_a_limit_is_never_shown_larger_than_it_is() -> None:
    with pytest.raises(DataError, match=r"limited to 1,000 MB, and it needs 1,001 MB: expected --memory 1011MB or"):
        Budget(1_000_400_000, 1_000_000_000).check(500_000, "it")
    with pytest.raises(DataError, match="limited to 5 bytes, and it needs 1 MB"):
        Budget(5, 0).check(6, "it")


@pytest.mark.parametrize("learner", [crake.CARTClassifier(max_depth=2), crake.C45Classifier(max_depth=2)], ids=repr)
def test_the_advised_memory_is_enough(
    learner: crake.CARTClassifier | crake.C45Classifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "resident_bytes", lambda: 0)
    monkeypatch.setattr(mapped_room, "memory_in_use", lambda: (0, 0))
    monkeypatch.setattr(budget, "BESIDE", 0)
    monkeypatch.setattr(budget, "SLACK", 0)
    rows = 40_000
    x = np.arange(rows) % 1013
    pq.write_table(pa.table({"x": x.astype(float), "y": np.where(x > 500, "b", "a")}), tmp_path / "rows.parquet")
    table = crake.read(tmp_path / "rows.parquet", target="y", in_memory=False)
    with pytest.raises(DataError) as refused:
        learner.fit(table.with_memory(5))
    (advised,) = re.findall(r"--memory (\d+MB)", str(refused.value))
    assert learner.fit(table.with_memory(advised)).n_leaves_ == 2


@pytest.fixture
def clicks(tmp_path: Path) -> Table:
    """Rows with gaps whose tree has names and surrogates: it grows from lists."""
    k = np.arange(3000)
    colour = np.array(["red", "blue", "green", "grey"])[k * k % 7 % 4]
    x = np.where(k % 11 == 0, np.nan, k * 37 % 101)
    rows = {"colour": colour, "x": x, "z": k * 53 % 97, "y": np.where((k * 7 + k // 5) % 13 > 6, "b", "a")}
    pq.write_table(pa.table(rows), tmp_path / "clicks.parquet")
    return crake.read(tmp_path / "clicks.parquet", target="y", in_memory=False)


def in_files(monkeypatch: pytest.MonkeyPatch, held: list[int], most: int) -> None:
    """Let rows be in files under a limit, in a process that holds so much at each look."""
    looks = iter(held)
    last = [0]

    def memory_in_use() -> tuple[int, int]:
        last[0] = next(looks, last[0])
        return last[0], 0

    def room(*arguments: Any) -> mapped_room.MappedRoom:
        return mapped_room.MappedRoom(most, 1000, "clicks")

    monkeypatch.setattr(mapped_room, "memory_in_use", memory_in_use)
    monkeypatch.setattr(mapped_room, "SMALL", 0)
    monkeypatch.setattr(mapped_room.MappedRoom, "look", lambda room: None)
    monkeypatch.setattr(layout, "room_for", room)


def test_a_tree_that_leaves_no_room_in_memory_is_refused_while_it_grows(
    clicks: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_files(monkeypatch, [300_000_000, 300_000_000, 399_999_000, 500_000_000], 400_000_000)
    with pytest.raises(MemoryRefusal) as refused:
        crake.CARTClassifier().fit(clicks)
    told = re.fullmatch(
        r"the memory is limited to 400 MB, and a tree that has (\d+) nodes so far needs 501 MB: expected a smaller "
        r"tree, --set max_depth=10 or --set min_samples_leaf=100; "
        r"or --memory (\d+)MB or table.with_memory\('\2MB'\)",
        str(refused.value),
    )
    assert told is not None
    assert told[1] == "15"  # three levels below the root: before, the process was below the limit
    assert 511 <= int(told[2]) <= 515


def test_a_tree_that_fits_is_the_same_in_files(clicks: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = crake.CARTClassifier().fit(clicks)
    in_files(monkeypatch, [300_000_000], 400_000_000)
    assert model_bytes(crake.CARTClassifier().fit(clicks)) == model_bytes(expected)
    assert len(expected.tree_.surrogates) > 10
    assert len(expected.tree_.groups) > 10
